import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { policySha256 } from './policy.ts'
import { findActivePolicyId, findActivePolicySet, findPolicySet, publishPolicySet } from './policy-store.ts'

const NOW = new Date('2026-03-02T09:00:00Z')

describe.each(testDatabases())('Policy sets on $name', async ({ open }) => {
  let workspaceId: string

  const database = await closeAfterAll(open())
  beforeEach(async () => {
    workspaceId = (await seedWorkspace(database.db)).workspaceId
  })

  const publish = (source: string, name = 'acme') => {
    const set = { name, source, sha256: policySha256(source), publishedBy: 'admin', now: NOW }
    return database.db.transaction().execute((tx) => publishPolicySet(tx, workspaceId, set))
  }

  test('publishPolicySet: stores the next version of the Workspace and activates it', async () => {
    const first = await publish('one')
    const second = await publish('two')
    const other = await publish('three', 'other')
    expect([first.version, second.version, other.version]).toEqual([1, 2, 3])
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

  test('publishPolicySet: continues after all versions when an earlier release numbered those of each name', async () => {
    for (const name of ['a', 'b', 'c']) await publish(name, name)
    await database.db
      .updateTable('policy_set')
      .set({ version: 1 })
      .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
      .execute()
    expect((await publish('four', 'a')).version).toBe(4)
  })

  test('publishPolicySet: versions have no gaps and the last is active when documents are published at the same time', async () => {
    const published = await Promise.all(Array.from({ length: 12 }, (_, i) => publish(`source ${i}`)))
    expect(published.map(({ version }) => version).toSorted((a, b) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1))
    expect((await findActivePolicySet(database.db, workspaceId))?.version).toBe(12)
  })

  test('publishPolicySet: no version and no gap remain when the transaction is rolled back', async () => {
    const failed = database.db.transaction().execute(async (tx) => {
      await publishPolicySet(tx, workspaceId, { name: 'acme', source: 'x', sha256: 'x', publishedBy: 'admin', now: NOW })
      throw new Error('roll back')
    })
    await expect(failed).rejects.toThrow('roll back')
    expect(await findActivePolicySet(database.db, workspaceId)).toBeUndefined()
    expect((await publish('y')).version).toBe(1)
  })
})
