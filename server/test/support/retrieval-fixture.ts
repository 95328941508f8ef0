import { addEntries, type Entry, removeEntries } from '../../src/domains/retrieval/entries.ts'
import type { Language } from '../../src/domains/retrieval/language.ts'
import { openPartition, type Partition } from '../../src/domains/retrieval/partition.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { fromId, newUuid } from '../../src/platform/lib/id.ts'
import { seedWorkspace } from './seed.ts'

export async function createRetrievalFixture({ db }: Database) {
  const workspace = fromId('ws', (await seedWorkspace(db)).workspaceId) ?? ''
  return {
    workspace,
    partition: (language: Language = 'en', key: string = newUuid()): Promise<Partition> =>
      db.transaction().execute((tx) => openPartition(tx, workspace, 'knowledge', key, language)),
    add: (partition: Partition, entries: readonly Entry[]): Promise<void> =>
      db.transaction().execute((tx) => addEntries(tx, partition, entries)),
    remove: async (ids: readonly string[]): Promise<void> =>
      void (await db.transaction().execute((tx) => removeEntries(tx, ids))),
  }
}

export const newEntry = (text: string, title = ''): Entry => ({ id: newUuid(), title, text })
