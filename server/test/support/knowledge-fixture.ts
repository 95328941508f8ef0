import { DETECTORS } from '../../src/domains/classification/detectors.ts'
import { scan } from '../../src/domains/classification/scan.ts'
import type { CollectionCreate, CollectionPatch } from '../../src/domains/knowledge/collection.ts'
import { createCollection, updateCollection } from '../../src/domains/knowledge/collection-store.ts'
import { deleteDocument } from '../../src/domains/knowledge/document-store.ts'
import { type IncomingDocument, ingestDocument } from '../../src/domains/knowledge/ingest.ts'
import { type LabelPatch, relabelDocument } from '../../src/domains/knowledge/relabel.ts'
import type { Tx } from '../../src/platform/db/database.ts'
import { type ChatOptions, expectSuccess } from './gateway-client.ts'
import type { Governed } from './governed.ts'
import { word } from './scripted-provider.ts'

export const EVERYONE = { everyone: true } as const

/** A hit of `POST /v1/knowledge/search`. */
export interface KnowledgeHit {
  readonly chunk_id: string
  readonly document_title: string
  readonly document_id: string
  readonly content: string
  readonly classification: string
  readonly regulations: readonly string[]
  readonly similarity: number
}

export type KnowledgeFixture = Awaited<ReturnType<typeof createKnowledgeFixture>>

interface KnowledgeFixtureOptions {
  readonly collection?: Partial<CollectionCreate>
  /** Fields of the Application. */
  readonly application?: Readonly<Record<string, unknown>>
  readonly settings?: Readonly<Record<string, unknown>>
  readonly knowledge?: Readonly<Record<string, unknown>>
}

/** Creates a collection (default: internal, for everyone) and returns functions that change it. */
export async function createTestCollection(
  { server: { context } }: Pick<Governed, 'server'>,
  workspaceId: string,
  collection: Partial<CollectionCreate> = {},
) {
  const { clock, database } = context
  const { db } = database
  const transact = <T>(work: (tx: Tx, now: Date) => Promise<T>): Promise<T> =>
    db.transaction().execute((tx) => work(tx, clock.now()))
  const name = `collection ${word()}`
  const create = { classification: 'internal', acl: EVERYONE, name, ...collection } as const
  const created = await transact((tx, now) => createCollection(tx, workspaceId, create, now))
  if (!created) throw new Error('the name of the collection is taken')
  return {
    name: created.name,
    collection: created,
    /** Ingests a Markdown document; it replaces the document with the same key. Returns its id. */
    put: async (text: string, more: Partial<IncomingDocument> = {}): Promise<string> => {
      const key = more.key ?? word()
      const incoming = { key, name: `${key}.md`, bytes: Buffer.from(text), title: 'A page', ...more }
      const ingested = await ingestDocument({ db, clock, scanText, transact }, workspaceId, created.id, incoming)
      if (!ingested) throw new Error('the collection was deleted')
      return ingested.documentId
    },
    relabel: (document: string, patch: LabelPatch) => transact((tx) => relabelDocument(tx, workspaceId, document, patch)),
    remove: (document: string) => transact((tx) => deleteDocument(tx, workspaceId, document)),
    change: (patch: CollectionPatch) => transact((tx, now) => updateCollection(tx, workspaceId, created.id, patch, now)),
  }
}

/** Creates a collection in the demo's Workspace and an Application that searches only this collection. */
export async function createKnowledgeFixture(
  governed: Governed,
  { collection, application, settings, knowledge }: KnowledgeFixtureOptions = {},
) {
  const opened = await createTestCollection(governed, governed.demo.workspace.id, collection)
  const caller = await governed.application({
    ...application,
    settings: { knowledge: { enabled: true, collections: [opened.name], ...knowledge }, ...settings },
  })
  const search = (query: string, more: object = {}, options: ChatOptions = {}) =>
    governed.post('/v1/knowledge/search', { query, ...more }, { token: caller.token, ...options })
  const hits = async (query: string, more?: object, options?: ChatOptions) =>
    expectSuccess(await search(query, more, options)).data as unknown as readonly KnowledgeHit[]
  return {
    ...opened,
    ...caller,
    search,
    hits,
    texts: async (...query: Parameters<typeof hits>): Promise<string[]> =>
      (await hits(...query)).map(({ content }) => content.trim()),
  }
}

const scanText = (text: string) => scan([text], { detectors: DETECTORS, budgetMs: 10_000 }).counts
