import { setTimeout as sleep } from 'node:timers/promises'
import { AuditWriter } from '../../server/src/domains/audit/chain/writer.ts'
import { requireWorkspaceKeys } from '../../server/src/domains/audit/workspace-keys.ts'
import { openDatabase } from '../../server/src/platform/db/database.ts'
import { Cache } from '../../server/src/platform/lib/cache.ts'
import { secretBox } from '../../server/src/platform/lib/secret-box.ts'
import { testDraft } from '../../server/test/support/audit.ts'

/** Secret key of the databases of these benchmarks. */
export const BENCH_SECRET: Buffer = Buffer.alloc(32, 7)

export interface WriteSpec {
  readonly url: string
  readonly workspaceIds: readonly string[]
  /** Records that are appended at the same time, over all Workspaces. */
  readonly concurrency: number
  readonly seconds: number
}

export interface Written {
  readonly records: number
  readonly seconds: number
}

/** Appends records like one node, in a closed loop. */
export async function writeRecords({ url, workspaceIds, concurrency, seconds }: WriteSpec): Promise<Written> {
  const database = await openDatabase({ url, dataDir: '', poolSize: 10, onError: () => {}, onProgress: () => {} })
  const box = secretBox(BENCH_SECRET, 'workspace')
  const keys = new Cache((id: string) => requireWorkspaceKeys(database.db, box, id), { loadMs: 10_000 })
  const findSealer = async (id: string) => (await keys.get(id)).hasher
  const writer = new AuditWriter(database, { findSealer })
  let records = 0
  const started = performance.now()
  const loop = async (_: unknown, index: number): Promise<void> => {
    const workspaceId = workspaceIds[index % workspaceIds.length] ?? ''
    while (performance.now() - started < seconds * 1_000) {
      await writer.append(workspaceId, testDraft(workspaceId, { application_id: null, policy_versions: [] }))
      records += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, loop))
  const took = (performance.now() - started) / 1_000
  await database.close()
  // The parent's next step must not compete with the end of connections.
  await sleep(50)
  return { records, seconds: took }
}
