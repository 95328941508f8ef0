import type { Collection, CollectionCreate } from '../../src/domains/knowledge/collection.ts'
import { createCollection } from '../../src/domains/knowledge/collection-store.ts'
import { type IncomingDocument, type Ingested, ingestDocument } from '../../src/domains/knowledge/ingest.ts'
import type { ScanText } from '../../src/domains/knowledge/read-document.ts'
import { type KnowledgeQuery, type Passage, searchKnowledge } from '../../src/domains/knowledge/search.ts'
import { createRanker } from '../../src/domains/retrieval/rank.ts'
import type { Database, Tx } from '../../src/platform/db/database.ts'
import { newId } from '../../src/platform/lib/id.ts'
import { countFindings } from '../../src/shared/finding.ts'
import { ANONYMOUS_USER, type User } from '../../src/shared/principal.ts'
import type { Viewer } from '../../src/shared/viewer.ts'

export const NOW = new Date('2026-03-02T09:00:00Z')

export const EVERYONE = { everyone: true } as const

export function createKnowledgeStoreFixture({ db }: Database, workspaceId: string, scanText: ScanText = () => countFindings([])) {
  const deps = { db, ranker: createRanker() }
  const transact = <T>(work: (tx: Tx, now: Date) => Promise<T>): Promise<T> => db.transaction().execute((tx) => work(tx, NOW))

  const search = (viewer: Viewer, text: string, collections?: readonly string[]) =>
    searchKnowledge(deps, viewer, { text, collections } satisfies KnowledgeQuery)

  return {
    ...{ transact, search },

    async collection(create: Partial<CollectionCreate> = {}): Promise<Collection> {
      const name = create.name ?? newId('name')
      const created = await transact((tx) => createCollection(tx, workspaceId, { ...create, name }, NOW))
      if (!created) throw new Error('the name of the collection is taken')
      return created
    },

    /** Ingests a Markdown document under its key. */
    async put(
      { id }: Pick<Collection, 'id'>,
      key: string,
      text: string,
      more: Partial<IncomingDocument> = {},
    ): Promise<Ingested> {
      const incoming = { key, name: `${key}.md`, bytes: Buffer.from(text), ...more }
      const ingested = await ingestDocument({ db, clock: { now: () => NOW }, scanText, transact }, workspaceId, id, incoming)
      if (!ingested) throw new Error('the collection does not exist')
      return ingested
    },

    /** All passages that the viewer may see, the best first. */
    found: async (...query: Parameters<typeof search>): Promise<Passage[]> => (await Array.fromAsync(search(...query))).flat(),

    viewer: (user: Partial<User> = {}, more: Partial<Viewer> = {}): Viewer => ({
      workspaceId,
      applicationId: newId('app'),
      user: { ...ANONYMOUS_USER, ...user },
      sessionId: '',
      ceiling: 'restricted',
      ...more,
    }),
  }
}

export type KnowledgeStoreFixture = ReturnType<typeof createKnowledgeStoreFixture>
