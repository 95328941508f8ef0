import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { createKnowledgeStoreFixture, NOW } from '../../../test/support/knowledge-store-fixture.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { newId } from '../../platform/lib/id.ts'
import type { CollectionPatch } from './collection.ts'
import { createCollection, deleteCollection, findCollection, listCollections, updateCollection } from './collection-store.ts'

const LATER = new Date('2026-03-02T10:00:00Z')

describe.each(testDatabases())('collection store on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const workspaceId = (await seedWorkspace(database.db)).workspaceId
  const knowledge = createKnowledgeStoreFixture(database, workspaceId)

  const update = (id: string, patch: CollectionPatch) =>
    knowledge.transact((tx) => updateCollection(tx, workspaceId, id, patch, LATER))

  test('updateCollection: changes every field and normalizes lists', async () => {
    const { id } = await knowledge.collection()
    const patch = {
      name: 'renamed',
      description: 'New',
      classification: 'internal',
      regulations: ['hipaa', 'gdpr'],
      acl: { users: ['b', 'a', 'a'] },
      language: 'de',
      applications: [newId('app')],
    } as const
    const changed = { ...patch, regulations: ['gdpr', 'hipaa'], acl: { users: ['a', 'b'] }, updatedAt: LATER }
    expect(await update(id, patch)).toMatchObject({ ok: true, collection: changed })
    expect(await findCollection(database.db, workspaceId, id)).toMatchObject(changed)
    expect(await update(id, { acl: null, applications: null, classification: null })).toMatchObject({
      ok: true,
      collection: { name: 'renamed', acl: null, applications: null, classification: null },
    })
  })

  test('createCollection: keeps names unique under concurrency and frees the name of a deleted collection', async () => {
    const create = () => knowledge.transact((tx) => createCollection(tx, workspaceId, { name: 'once' }, NOW))
    const made = (await Promise.all(Array.from({ length: 10 }, create))).filter((one) => one !== undefined)
    expect(made).toHaveLength(1)
    const other = await knowledge.collection()
    expect(await update(other.id, { name: 'once' })).toEqual({ ok: false, reason: 'name_taken' })
    expect(await update(made[0]?.id ?? '', { name: 'once' })).toMatchObject({ ok: true })
    await knowledge.transact((tx) => deleteCollection(tx, workspaceId, made[0]?.id ?? '', LATER))
    expect(await update(other.id, { name: 'once' })).toMatchObject({ ok: true })
  })

  test('listCollections: leaves out deleted collections', async () => {
    const [kept, deleted] = [await knowledge.collection(), await knowledge.collection()]
    await knowledge.transact((tx) => deleteCollection(tx, workspaceId, deleted.id, LATER))
    const ids = (await listCollections(database.db, workspaceId, { limit: 100 }))?.data.map(({ id }) => id)
    expect(ids).toContain(kept.id)
    expect(ids).not.toContain(deleted.id)
  })
})
