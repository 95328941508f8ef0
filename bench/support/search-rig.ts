import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addEntries, type Entry } from '../../server/src/domains/retrieval/entries.ts'
import type { Language } from '../../server/src/domains/retrieval/language.ts'
import { mergePending } from '../../server/src/domains/retrieval/merge.ts'
import { openPartition, type Partition } from '../../server/src/domains/retrieval/partition.ts'
import { type Database, openDatabase } from '../../server/src/platform/db/database.ts'
import { newUuid } from '../../server/src/platform/lib/id.ts'
import { createScratchDatabase } from './scratch-database.ts'

/** A database with one Workspace for search entries. */
export interface SearchRig extends AsyncDisposable {
  readonly database: Database
  readonly workspace: string
  /** Adds the entries in transactions of a few hundred, as the server does, and merges them into the lists, as its job does. */
  fill(key: string, language: Language, entries: readonly Entry[]): Promise<Partition>
}

const BATCH = 500

/** Opens a scratch database on the PostgreSQL at `url`, or an embedded database. */
export async function startSearchRig(url: string | undefined): Promise<SearchRig> {
  const scratch = url === undefined ? undefined : await createScratchDatabase(url)
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-'))
  const quiet = { onError: () => {}, onProgress: () => {} }
  const database = await openDatabase({ url: scratch?.url, dataDir, poolSize: 4, ...quiet })
  const workspace = newUuid()
  const nothing = Buffer.alloc(0)
  await database.db
    .insertInto('workspace')
    .values({
      id: workspace,
      name: 'bench',
      settings: '{}',
      hash_key: nothing,
      signing_key: nothing,
      signing_public_key: '',
      active_policy_id: null,
      created_at: new Date(0),
    })
    .execute()
  return {
    database,
    workspace,
    async fill(key, language, entries) {
      const transaction = database.db.transaction()
      const partition = await transaction.execute((tx) => openPartition(tx, workspace, 'knowledge', key, language))
      for (let at = 0; at < entries.length; at += BATCH) {
        await database.db.transaction().execute((tx) => addEntries(tx, partition, entries.slice(at, at + BATCH)))
        while (await mergePending(database.db, BATCH));
      }
      return partition
    },
    async [Symbol.asyncDispose]() {
      await database.close()
      await scratch?.[Symbol.asyncDispose]()
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}
