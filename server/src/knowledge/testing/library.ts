import type { Database, Tx } from '../../db/database.ts'
import { countFindings } from '../../domain/finding.ts'
import { NOBODY, type User } from '../../domain/principal.ts'
import type { Viewer } from '../../domain/viewer.ts'
import { newId } from '../../lib/id.ts'
import { createRanker } from '../../retrieval/rank.ts'
import type { Collection, CollectionCreate } from '../collection.ts'
import { createCollection } from '../collection-store.ts'
import { type IncomingDocument, type Ingested, ingestDocument } from '../ingest.ts'
import type { ScanText } from '../read-document.ts'
import { type KnowledgeQuery, type Passage, searchKnowledge } from '../search.ts'

export const NOW = new Date('2026-03-02T09:00:00Z')

export const EVERYONE = { everyone: true } as const

/** A Workspace's knowledge, in few words. */
export function library({ db, pool }: Database, workspaceId: string, scanText: ScanText = () => countFindings([])) {
  const deps = { db, ranker: createRanker({ db, pool }) }
  const transact = <T>(work: (tx: Tx, now: Date) => Promise<T>): Promise<T> => db.transaction().execute((tx) => work(tx, NOW))

  return {
    transact,

    async collection(create: Partial<CollectionCreate> = {}): Promise<Collection> {
      const name = create.name ?? newId('name')
      const made = await transact((tx) => createCollection(tx, workspaceId, { ...create, name }, NOW))
      if (!made) throw new Error('name taken')
      return made
    },

    /** Brings in a Markdown document, under its key unless it is given another name. */
    async put(
      { id }: Pick<Collection, 'id'>,
      key: string,
      text: string,
      more: Partial<IncomingDocument> = {},
    ): Promise<Ingested> {
      const incoming = { key, name: `${key}.md`, bytes: Buffer.from(text), ...more }
      const ingested = await ingestDocument({ db, scanText, transact }, workspaceId, id, incoming)
      if (!ingested) throw new Error('no such collection')
      return ingested
    },

    search: (viewer: Viewer, text: string, collections?: readonly string[]) =>
      searchKnowledge(deps, viewer, { text, collections } satisfies KnowledgeQuery),

    /** Everything that the viewer may see of it, the best first. */
    async found(viewer: Viewer, text: string, collections?: readonly string[]): Promise<Passage[]> {
      return (await Array.fromAsync(searchKnowledge(deps, viewer, { text, collections }))).flat()
    },

    viewer: (user: Partial<User> = {}, more: Partial<Viewer> = {}): Viewer => ({
      workspaceId,
      applicationId: newId('app'),
      user: { ...NOBODY, ...user },
      sessionId: '',
      ceiling: 'restricted',
      ...more,
    }),
  }
}

export type Library = ReturnType<typeof library>
