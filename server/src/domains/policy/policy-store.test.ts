import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { newId } from '../../platform/lib/id.ts'
import { policySha256 } from './policy.ts'
import {
  activatePolicySet,
  findActivePolicyId,
  findActivePolicySet,
  findPolicySet,
  listPolicySets,
  publishPolicySet,
} from './policy-store.ts'

const NOW = new Date('2026-03-02T09:00:00Z')

describe.each(testDatabases())('Policy sets on $name', async ({ open }) => {
  let workspaceId: string
  let otherWorkspaceId: string

  const database = await closeAfterAll(open())

  const seedWorkspaces = async () => {
    workspaceId = (await seedWorkspace(database.db)).workspaceId
    otherWorkspaceId = (await seedWorkspace(database.db)).workspaceId
  }
  const publish = (source: string, name = 'acme', owner = workspaceId) => {
    const set = { name, source, sha256: policySha256(source), publishedBy: 'admin', now: NOW }
    return database.db.transaction().execute((tx) => publishPolicySet(tx, owner, set))
  }
  const activate = (id: string, owner = workspaceId) =>
    database.db.transaction().execute((tx) => activatePolicySet(tx, owner, id, 'opr_1'))

  test('publishPolicySet: stores the next version of the name and activates it', async () => {
    await seedWorkspaces()
    const first = await publish('one')
    const second = await publish('two')
    const other = await publish('three', 'other')
    expect([first.version, second.version, other.version]).toEqual([1, 2, 1])
    expect(first).toEqual({
      id: expect.stringMatching(/^pol_/),
      name: 'acme',
      version: 1,
      sha256: policySha256('one'),
      publishedBy: 'admin',
      note: '',
      createdAt: NOW,
      active: true,
      declared: null,
    })
    expect(await findActivePolicySet(database.db, workspaceId)).toEqual({ ...other, source: 'three' })
    expect(await findActivePolicyId(database.db, workspaceId)).toBe(other.id)
    expect(await findPolicySet(database.db, workspaceId, first.id)).toEqual({ ...first, active: false, source: 'one' })
  })

  test('publishPolicySet: versions have no gaps and the last is active when documents are published at the same time', async () => {
    await seedWorkspaces()
    const published = await Promise.all(Array.from({ length: 12 }, (_, i) => publish(`source ${i}`)))
    expect(published.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1))
    expect((await findActivePolicySet(database.db, workspaceId))?.version).toBe(12)
  })

  test('publishPolicySet: no version and no gap remain when the transaction is rolled back', async () => {
    await seedWorkspaces()
    const failed = database.db.transaction().execute(async (tx) => {
      await publishPolicySet(tx, workspaceId, { name: 'acme', source: 'x', sha256: 'x', publishedBy: 'admin', now: NOW })
      throw new Error('roll back')
    })
    await expect(failed).rejects.toThrow('roll back')
    expect(await findActivePolicySet(database.db, workspaceId)).toBeUndefined()
    expect((await publish('y')).version).toBe(1)
  })

  test('policy sets: another Workspace cannot tell absent from forbidden', async () => {
    await seedWorkspaces()
    const { id } = await publish('source')
    for (const unknown of [newId('pol'), 'pol_x', '']) {
      expect(await findPolicySet(database.db, workspaceId, unknown)).toBeUndefined()
      expect(await activate(unknown)).toBe(false)
    }
    expect(await findPolicySet(database.db, otherWorkspaceId, id)).toBeUndefined()
    expect(await activate(id, otherWorkspaceId)).toBe(false)
    expect(await findActivePolicySet(database.db, otherWorkspaceId)).toBeUndefined()
    expect((await listPolicySets(database.db, otherWorkspaceId, { limit: 10 }))?.data).toEqual([])
  })

  test('listPolicySets: lists the versions, newest first', async () => {
    await seedWorkspaces()
    const ids = []
    for (let i = 0; i < 5; i++) ids.push((await publish(`source ${i}`)).id)
    const all = await listPolicySets(database.db, workspaceId, { limit: 9 })
    expect(all?.data.map(({ id }) => id)).toEqual(ids.toReversed())
    expect(all?.data.map(({ active }) => active)).toEqual([true, false, false, false, false])
    expect(await listPolicySets(database.db, workspaceId, { limit: 2, after: 'pol_x' })).toBeUndefined()
  })
})
