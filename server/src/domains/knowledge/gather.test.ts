import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { createKnowledgeStoreFixture } from '../../../test/support/knowledge-store-fixture.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { ANONYMOUS_USER } from '../../shared/principal.ts'
import { lockCollection } from './collection-store.ts'
import { gatherIfLarge } from './gather.ts'
import { placeFor } from './partitions.ts'

describe.each(testDatabases())('shared partitions on $name', async ({ open }) => {
  const database = await closeAfterAll(open())

  async function fixture() {
    const { workspaceId } = await seedWorkspace(database.db)
    const knowledge = createKnowledgeStoreFixture(database, workspaceId)
    const collection = await knowledge.collection({ classification: 'public' })
    const found = async (id: string) => {
      const viewer = { ...knowledge.viewer(), user: { ...ANONYMOUS_USER, id } }
      return (await knowledge.found(viewer, 'lantern')).map(({ title, similarity }) => [title, similarity.toFixed(6)])
    }
    const partitions = async () =>
      (await database.db.selectFrom('knowledge_partition').select(['id', 'access']).execute()).filter(
        ({ access }) => access !== null,
      ).length
    return { workspaceId, knowledge, collection, found, partitions }
  }

  test('documents with different ACLs share a partition', async () => {
    const { knowledge, collection, found, partitions } = await fixture()
    const before = await partitions()
    for (const user of ['ann', 'bob', 'cleo'])
      await knowledge.put(collection, user, `# ${user}\n\nThe lantern of ${user}.`, { acl: { users: [user] } })
    expect((await partitions()) - before).toBe(1)
    expect((await found('bob')).map(([title]) => title)).toEqual(['bob'])
    expect(await found('dora')).toEqual([])
  })

  test('documents of an ACL that is no longer rare move to a partition of their own, and rank as before', async () => {
    const { workspaceId, knowledge, collection, found, partitions } = await fixture()
    const acl = { users: ['ann'] }
    for (let at = 0; at < 4; at++) await knowledge.put(collection, `a${at}`, `A lantern ${'by the sea '.repeat(at)}.`, { acl })
    await knowledge.put(collection, 'other', 'A lantern of bob.', { acl: { users: ['bob'] } })
    const before = { found: await found('ann'), partitions: await partitions() }
    const access = { classification: null, acl, limits: { classification: null, acl: null } }
    await knowledge.transact(async (tx) => {
      const locked = await lockCollection(tx, workspaceId, collection.id)
      if (!locked) throw new Error('no collection')
      const place = await placeFor(tx, locked, access)
      await gatherIfLarge(tx, locked, place, access, 5)
      expect(await placeFor(tx, locked, access)).toEqual(place)
      await gatherIfLarge(tx, locked, place, access, 4)
      expect((await placeFor(tx, locked, access)).labels).toEqual([])
    })
    expect({ found: await found('ann'), partitions: await partitions() }).toEqual({
      found: before.found,
      partitions: before.partitions + 1,
    })
    expect((await found('bob')).map(([title]) => title)).toEqual(['other'])
  })
})
