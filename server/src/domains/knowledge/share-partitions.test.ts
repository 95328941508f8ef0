import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { createKnowledgeStoreFixture } from '../../../test/support/knowledge-store-fixture.ts'
import { mergeIndex } from '../../../test/support/merge-index.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import type { Acl } from './acl.ts'
import { lockCollection } from './collection-store.ts'
import { gatherIfLarge } from './gather.ts'
import { placeFor, sharedPlace } from './partitions.ts'
import { relabelDocument } from './relabel.ts'
import { shareSmallPartitions } from './share-partitions.ts'

const WORDS = ['lantern', 'harbour', 'oil', 'wick', 'keeper', 'storm', 'tide']
const USERS = ['ann', 'bob', 'cleo', 'dora', 'a user whom no list names']
const QUERIES = ['lantern', 'harbour oil', 'keepr', 'storm tide wick', 'gull']
const access = (acl: Acl) => ({ classification: null, acl, limits: { classification: null, acl: null } })

describe.each(testDatabases())('small partitions on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const { db } = database

  async function fixture() {
    const { workspaceId } = await seedWorkspace(db)
    const knowledge = createKnowledgeStoreFixture(database, workspaceId)
    const collection = await knowledge.collection({ classification: 'public' })
    const put = (at: number, acl: Acl, more = '') => {
      const words = Array.from({ length: 4 + (at % 9) }, (_, place) => WORDS[(at * (place + 2) + place * place) % WORDS.length])
      return knowledge.put(collection, `d${at}`, `${words.join(' ')} ${at % 4 === 0 ? 'gull' : ''} ${more}`, { acl })
    }
    /** Gives documents with these labels a partition of their own, as a former release did. */
    const separate = (acl: Acl) =>
      knowledge.transact(async (tx) => {
        const locked = await lockCollection(tx, workspaceId, collection.id)
        if (!locked) throw new Error('no collection')
        await gatherIfLarge(tx, locked, await placeFor(tx, locked, access(acl)), access(acl), 1)
      })
    const hitsOf = async (id: string, query: string) =>
      (await knowledge.found(knowledge.viewer({ id }), query)).map(({ documentId, similarity }) => [documentId, similarity])
    const answers = async () => {
      const all = []
      for (const id of USERS) for (const query of QUERIES) all.push([id, query, await hitsOf(id, query)])
      return JSON.stringify(all)
    }
    const partitions = async () =>
      (
        await db
          .selectFrom('knowledge_partition as own')
          .innerJoin('retrieval_partition as partition', 'partition.id', 'own.id')
          .select(['access', 'entries'])
          .where('own.collection_id', '=', db.selectFrom('knowledge_collection').select('id').where('name', '=', collection.name))
          .orderBy('own.id')
          .execute()
      ).map((row) => `${row.access.shared ? 'shared' : 'own'} ${row.entries}`)
    return { workspaceId, knowledge, collection, put, separate, hitsOf, answers, partitions }
  }

  const lists: readonly Acl[] = [
    { users: ['ann'] },
    { users: ['ann', 'bob'] },
    { users: ['cleo'] },
    { everyone: true, deny: { users: ['dora'] } },
    { users: ['dora'] },
  ]
  const shareAll = (small?: number): Promise<void> => shareSmallPartitions(db, small)

  test('their documents move to the shared partition, and no byte of a search changes', async () => {
    const { knowledge, put, separate, answers, partitions, workspaceId } = await fixture()
    const ids: string[] = []
    for (let at = 0; at < 30; at++) ids.push((await put(at, lists[at % lists.length] as Acl)).documentId)
    await knowledge.transact((tx) => relabelDocument(tx, workspaceId, ids[0] ?? '', { acl: { everyone: true } }))
    for (const acl of lists) await separate(acl)
    // Some postings are in the lists, some pending, some removed.
    await mergeIndex(db)
    for (let at = 30; at < 40; at++) await put(at, lists[at % lists.length] as Acl)
    for (let at = 5; at < 10; at++) await put(at, lists[at % lists.length] as Acl, 'replaced')
    const before = await answers()
    expect((await partitions()).filter((one) => one.startsWith('own'))).toHaveLength(lists.length + 1)
    await shareAll()
    expect(await partitions()).toEqual(expect.arrayContaining(['own 1', 'shared 39']))
    expect(await partitions()).toHaveLength(2)
    expect(await answers()).toBe(before)
    await mergeIndex(db)
    expect(await answers()).toBe(before)
    expect(await db.selectFrom('retrieval_removed').select('number').execute()).toEqual([])
  })

  test('a partition that is not small stays, and new documents of a moved list are found beside the moved ones', async () => {
    const { put, separate, hitsOf, partitions } = await fixture()
    const [ann, , cleo] = lists as [Acl, Acl, Acl]
    for (let at = 0; at < 8; at++) await put(at, at < 5 ? ann : cleo)
    await separate(ann)
    await separate(cleo)
    await shareAll(5)
    expect((await partitions()).toSorted()).toEqual(['own 5', 'shared 3'])
    await put(20, cleo)
    await put(21, ann)
    expect((await partitions()).toSorted()).toEqual(['own 6', 'shared 4'])
    expect(await hitsOf('ann', 'lantern harbour oil wick keeper storm tide')).toHaveLength(6)
    expect(await hitsOf('cleo', 'lantern harbour oil wick keeper storm tide')).toHaveLength(4)
  })

  test('a list whose partition was deleted can be used again', async () => {
    const { knowledge, workspaceId, put, separate, hitsOf } = await fixture()
    const [ann] = lists as [Acl]
    const { documentId } = await put(0, ann)
    await separate(ann)
    await knowledge.transact((tx) => relabelDocument(tx, workspaceId, documentId, { acl: { everyone: true } }))
    await put(1, ann)
    expect(await hitsOf('ann', 'lantern harbour oil wick keeper storm tide')).toHaveLength(2)
    expect(await hitsOf('bob', 'lantern harbour oil wick keeper storm tide')).toHaveLength(1)
  })

  test('each search finds each document exactly once while partitions are moved', async () => {
    const { put, separate, hitsOf } = await fixture()
    const own = Array.from({ length: 12 }, (_, at): Acl => ({ users: ['ann', `reader ${at}`] }))
    for (const [at, acl] of own.entries()) await put(at, acl)
    for (const acl of own) await separate(acl)
    const query = 'lantern harbour oil wick keeper storm tide'
    const expected = JSON.stringify(await hitsOf('ann', query))
    let isMoving = true
    const found = new Set<string>()
    const searches = (async () => {
      while (isMoving) found.add(JSON.stringify(await hitsOf('ann', query)))
    })()
    await shareAll()
    isMoving = false
    await searches
    expect([...found.add(JSON.stringify(await hitsOf('ann', query)))]).toEqual([expected])
  })

  test('the shared partition of another classification, language or collection is not used', async () => {
    const { knowledge, collection, workspaceId, put, separate, partitions } = await fixture()
    const [ann, bob] = lists as [Acl, Acl]
    await put(0, ann)
    await separate(ann)
    await knowledge.put(collection, 'secret', 'A lantern.', { acl: bob, classification: 'confidential' })
    await shareAll()
    expect((await partitions()).toSorted()).toEqual(['shared 1', 'shared 1'])
    await knowledge.transact(async (tx) => {
      const locked = await lockCollection(tx, workspaceId, collection.id)
      if (!locked) throw new Error('no collection')
      expect((await sharedPlace(tx, locked, access(ann))).partition.id).not.toBe(
        (await sharedPlace(tx, { ...locked, language: 'de' }, access(ann))).partition.id,
      )
    })
  })
})
