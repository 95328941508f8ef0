import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import {
  createKnowledgeStoreFixture,
  EVERYONE,
  type KnowledgeStoreFixture,
  NOW,
} from '../../../test/support/knowledge-store-fixture.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { fromId, newId } from '../../platform/lib/id.ts'
import type { Classification } from '../../shared/classification.ts'
import { createRanker, type Ranker } from '../retrieval/rank.ts'
import { addChunks } from './chunk-store.ts'
import type { Collection } from './collection.ts'
import { updateCollection } from './collection-store.ts'
import { deleteDocument } from './document-store.ts'
import { placeFor } from './partitions.ts'
import { type Passage, searchKnowledge } from './search.ts'

const PUBLIC = { acl: EVERYONE, classification: 'public' } as const
const HIDDEN = { acl: { users: ['unknown user'] } }

describe.each(testDatabases())('searchKnowledge on $name', async ({ open }) => {
  let workspaceId: string
  let knowledge: KnowledgeStoreFixture

  const database = await closeAfterAll(open())
  beforeEach(async () => {
    workspaceId = (await seedWorkspace(database.db)).workspaceId
    knowledge = createKnowledgeStoreFixture(database, workspaceId)
  })

  /** Stores a document and adds many chunks to it directly. */
  async function putWithChunks(
    collection: Collection,
    key: string,
    acl: object | null,
    texts: readonly string[],
  ): Promise<string> {
    const { documentId } = await knowledge.put(collection, key, 'Cover.', { acl })
    await knowledge.transact(async (tx) => {
      const limits = { classification: null, acl: null }
      const partition = await placeFor(tx, collection, { classification: null, acl, limits })
      const holder = { workspace: fromId('ws', workspaceId) ?? '', document: fromId('doc', documentId) ?? '', title: key }
      const chunks = texts.map((content, at) => ({ position: at + 1, headings: [], content, tokens: 1, flagged: false }))
      await addChunks(tx, holder, partition, chunks)
    })
    return documentId
  }
  const numbered = (count: number, text: string) => Array.from({ length: count }, (_, at) => `${text} ${at}`)

  /** Fills a page like the gateway: takes accepted passages until the page is full. */
  async function page(limit: number, keep: (passage: Passage) => boolean = () => true): Promise<Passage[]> {
    const kept: Passage[] = []
    for await (const batch of knowledge.search(knowledge.viewer(), 'lantern')) {
      for (const passage of batch) {
        if (keep(passage) && kept.push(passage) === limit) return kept
      }
    }
    return kept
  }

  test('fills a page of ten when a policy drops a thousand better matches', async () => {
    const collection = await knowledge.collection(PUBLIC)
    await putWithChunks(collection, 'dropped', null, numbered(1_000, 'lantern lantern lantern'))
    await putWithChunks(collection, 'kept', null, numbered(10, 'a lantern among a good many other words'))
    expect(await page(10, ({ title }) => title !== 'dropped' && title !== 'Cover')).toHaveLength(10)
    const all = await page(2_000)
    expect(new Set(all.map(({ id }) => id)).size).toBe(1_010)
    expect(all).toHaveLength(1_010)
  })

  test('returns identical results when hidden documents are added, changed or deleted', async () => {
    const [collection, secret] = [await knowledge.collection(PUBLIC), await knowledge.collection({ classification: 'public' })]
    for (let at = 0; at < 8; at++)
      await knowledge.put(collection, `k${at}`, `A lantern ${'by the sea '.repeat(at)}on pier ${at}.`)
    const bytes = async () => JSON.stringify(await knowledge.found(knowledge.viewer(), 'the lantern on a pier by the sea'))
    const before = await bytes()
    expect(JSON.parse(before)).toHaveLength(8)
    const books = [
      await putWithChunks(collection, 'hidden by its own ACL', HIDDEN.acl, numbered(400, 'lantern pier')),
      await putWithChunks(secret, 'hidden by its collection', null, numbered(400, 'sea lantern')),
    ]
    await knowledge.put(collection, 'too sensitive', 'A lantern on a pier.', { classification: 'restricted' })
    const ranked = async (ceiling: Classification) =>
      JSON.stringify(await knowledge.found(knowledge.viewer({}, { ceiling }), 'the lantern on a pier by the sea'))
    expect(await ranked('confidential')).toBe(before)
    expect(await ranked('restricted')).not.toBe(before)
    await knowledge.put(collection, 'hidden by its own ACL', 'Sea, sea, sea.', HIDDEN)
    expect(await ranked('confidential')).toBe(before)
    for (const id of books) await knowledge.transact((tx) => deleteDocument(tx, workspaceId, id))
    expect(await ranked('confidential')).toBe(before)
  })

  test('applies changes of the collection to the next search without moving documents', async () => {
    const collection = await knowledge.collection(PUBLIC)
    await knowledge.put(collection, 'k', 'A lantern.')
    const viewer = knowledge.viewer({ id: 'ann' }, { ceiling: 'internal' })
    const update = (patch: object) => knowledge.transact((tx) => updateCollection(tx, workspaceId, collection.id, patch, NOW))
    const places = () =>
      database.db
        .selectFrom('retrieval_entry')
        .innerJoin('knowledge_chunk', 'knowledge_chunk.id', 'retrieval_entry.id')
        .where('workspace_id', '=', fromId('ws', workspaceId) ?? '')
        .select(['retrieval_entry.id', 'retrieval_entry.partition_id'])
        .execute()
    const before = await places()
    const count = async () => (await knowledge.found(viewer, 'lantern')).length
    const steps: [patch: object, seen: number][] = [
      [{ acl: { users: ['bob'] } }, 0],
      [{ acl: { users: ['ann'] } }, 1],
      [{ classification: 'confidential' }, 0],
      [{ classification: 'internal' }, 1],
      [{ applications: [newId('app')] }, 0],
      [{ applications: [viewer.applicationId] }, 1],
      [{ classification: null }, 0],
      [{ classification: 'public', acl: null }, 0],
    ]
    for (const [patch, seen] of steps) {
      await update(patch)
      expect([patch, await count()]).toEqual([patch, seen])
    }
    expect(before).toHaveLength(1)
    expect(await places()).toEqual(before)
  })

  test('shows duplicate texts once for each document', async () => {
    const collection = await knowledge.collection(PUBLIC)
    await putWithChunks(collection, 'a', null, ['The lantern.', 'The lantern.', 'Another lantern.'])
    await putWithChunks(collection, 'b', null, ['The lantern.'])
    const found = await knowledge.found(knowledge.viewer(), 'lantern')
    expect(found.map(({ content }) => content).sort()).toEqual(['Another lantern.', 'The lantern.', 'The lantern.'])
    expect(new Set(found.filter(({ content }) => content === 'The lantern.').map(({ documentId }) => documentId)).size).toBe(2)
  })

  test.each(['', ' ', '\n\t'])('finds nothing when the query is blank (%j)', async (text) => {
    await knowledge.put(await knowledge.collection(PUBLIC), 'k', 'A lantern.')
    expect(await knowledge.found(knowledge.viewer(), text)).toEqual([])
  })

  test('a passage of a document with a better passage comes before an equal one of another document', async () => {
    const collection = await knowledge.collection(PUBLIC)
    const filler = 'Rain and wind for a week.'
    await putWithChunks(collection, 'one', null, [`A lantern. ${filler}`])
    await putWithChunks(collection, 'two', null, ['A lantern lantern.', `The lantern. ${filler}`])
    const contents = (await page(10)).map(({ content }) => content)
    expect(contents).toEqual(['A lantern lantern.', `The lantern. ${filler}`, `A lantern. ${filler}`])
  })

  test('hidden passages of a document add nothing to the score of another document', async () => {
    const collection = await knowledge.collection(PUBLIC)
    await putWithChunks(collection, 'one', null, ['A lantern. Rain and wind for a week.'])
    await putWithChunks(collection, 'two', null, ['The lantern. Rain and wind for a week.'])
    const before = await page(10)
    await putWithChunks(collection, 'three', HIDDEN.acl, ['A lantern lantern.', 'One lantern.'])
    expect(await page(10)).toEqual(before)
  })

  test('the reranker orders the best visible passages, and without its response they keep their order', async () => {
    const collection = await knowledge.collection(PUBLIC)
    await putWithChunks(collection, 'k', null, numbered(40, 'A lantern.'))
    await knowledge.put(collection, 'hidden', 'A hidden lantern.', HIDDEN)
    const queries: unknown[] = []
    const contents = async (order: (texts: readonly string[]) => readonly number[] | undefined) => {
      const reranker = {
        service: { service: 'reranker', host: 'localhost', model: 'r-1' } as const,
        order: async (query: string, texts: readonly string[]) => {
          queries.push([query, texts])
          return order(texts)
        },
      }
      const ranker = createRanker({ reranker })
      const search = searchKnowledge({ db: database.db, ranker }, knowledge.viewer(), { text: 'lantern', collections: undefined })
      return (await Array.fromAsync(search)).flat().map(({ content }) => content)
    }
    const own = await contents(() => undefined)
    expect(own).toHaveLength(40)
    const reversed = await contents((texts) => texts.map((_, at) => texts.length - 1 - at))
    expect(reversed).toEqual([...own.slice(0, 32).reverse(), ...own.slice(32)])
    expect(queries[1]).toEqual(['lantern', own.slice(0, 32).map((content) => `k\n${content}`)])
  })

  test('the name that code declares counts as its title', async () => {
    const collection = await knowledge.collection(PUBLIC)
    await putWithChunks(collection, 'code', null, ['use(lantern)\nfor x in y', 'def lantern():\n  for x in y'])
    expect((await page(10)).map(({ content }) => content[0])).toEqual(['d', 'u'])
  })

  test('does not show a hidden chunk that a faulty ranker returns', async () => {
    const collection = await knowledge.collection(PUBLIC)
    await knowledge.put(collection, 'shown', 'A lantern.')
    await knowledge.put(collection, 'hidden', 'A hidden lantern.', HIDDEN)
    const rows = await database.db
      .selectFrom('knowledge_chunk')
      .select('id')
      .where('workspace_id', '=', fromId('ws', workspaceId) ?? '')
      .execute()
    const ranker: Ranker = { ...createRanker(), rank: async () => rows.map(({ id }) => ({ id, similarity: 1 })) }
    const search = searchKnowledge({ db: database.db, ranker }, knowledge.viewer(), { text: 'lantern', collections: undefined })
    expect((await Array.fromAsync(search)).flat().map(({ content }) => content)).toEqual(['A lantern.'])
  })

  test.each([PUBLIC, HIDDEN])(
    'finds the old version when a document is replaced and labelled %j during a search',
    async (labels) => {
      const collection = await knowledge.collection(PUBLIC)
      await knowledge.put(collection, 'k', 'An old lantern.')
      const real = createRanker()
      let replacement: Promise<unknown> | undefined
      const ranker: Ranker = {
        ...real,
        rank: async (...query) => {
          const ranked = await real.rank(...query)
          replacement ??= knowledge.put(collection, 'k', 'A new lantern.', labels)
          // The embedded database runs one transaction at a time: there the replacement waits for the search.
          if (database.kind === 'postgresql') await replacement
          return ranked
        },
      }
      const search = searchKnowledge({ db: database.db, ranker }, knowledge.viewer(), { text: 'lantern', collections: undefined })
      expect((await Array.fromAsync(search)).flat().map(({ content }) => content)).toEqual(['An old lantern.'])
      await replacement
    },
  )
})
