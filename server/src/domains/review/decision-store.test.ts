import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { afterOpening, REVIEW_BOX, seedHold, seedOwner, transact } from '../../../test/support/reviews.ts'
import { newId } from '../../platform/lib/id.ts'
import { decideHold } from './decision-store.ts'
import { getReview, readReviewContent } from './review-store.ts'

describe.each(testDatabases())('on $name', async ({ open }) => {
  const approve = { verdict: 'approved', by: 'op-1', comment: null, now: afterOpening(10) } as const
  const decide = (id: string, change: Partial<Parameters<typeof decideHold>[3]> = {}, workspaceId = owner.workspaceId) =>
    transact(database.db, (tx) => decideHold(tx, workspaceId, id, { ...approve, ...change }))

  const database = await closeAfterAll(open())
  const owner = await seedOwner(database.db)

  test('decision: reviewer, time, comment and content are stored when a hold is approved', async () => {
    const { id } = await seedHold(database.db, owner)
    expect(await decide(id, { comment: 'fine by me' })).toMatchObject({
      kind: 'decided',
      item: { id, state: 'approved', decidedBy: 'op-1', decidedAt: afterOpening(10), comment: 'fine by me' },
    })
    expect(await readReviewContent(database.db, owner.workspaceId, id, afterOpening(20), REVIEW_BOX)).toBeDefined()
  })

  test('decision: content is erased when a hold is denied', async () => {
    const { id } = await seedHold(database.db, owner)
    expect(await decide(id, { verdict: 'denied', comment: 'no' })).toMatchObject({ kind: 'decided', item: { state: 'denied' } })
    const { rows } = await database.pool.query(
      "select content from review_item where comment = 'no' and workspace_id is not null",
    )
    expect(rows.every(({ content }) => content === null)).toBe(true)
    expect(await readReviewContent(database.db, owner.workspaceId, id, afterOpening(20), REVIEW_BOX)).toBeUndefined()
  })

  test('decision: 19 get a conflict with the decided item when 20 reviewers decide at the same time', async () => {
    const { id } = await seedHold(database.db, owner)
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => decide(id, { by: `op-${i}`, verdict: i % 2 ? 'approved' : 'denied' })),
    )
    const [decided, ...more] = results.filter(({ kind }) => kind === 'decided')
    expect(more).toEqual([])
    const decidedItem = decided && 'item' in decided ? decided.item : undefined
    const conflicts = results.filter((result) => result.kind === 'conflict')
    expect(conflicts).toHaveLength(19)
    for (const { item } of conflicts) expect(item).toEqual(decidedItem)
    expect(await getReview(database.db, owner.workspaceId, id, afterOpening(20))).toEqual(decidedItem)
  })

  test('decision: conflict when the hold is expired', async () => {
    const { id } = await seedHold(database.db, owner, { lifetimeMs: 10 })
    expect(await decide(id)).toMatchObject({ kind: 'conflict', item: { state: 'expired', decidedBy: null } })
  })

  test('decision: own_request when the reviewer is the user of the request, decided or not', async () => {
    const { id } = await seedHold(database.db, owner, { userId: 'op-1' })
    expect(await decide(id)).toEqual({ kind: 'own_request' })
    expect((await getReview(database.db, owner.workspaceId, id, afterOpening(20)))?.state).toBe('pending')
    expect(await decide(id, { by: 'op-2' })).toMatchObject({ kind: 'decided' })
    expect(await decide(id, { verdict: 'denied' })).toEqual({ kind: 'own_request' })
  })

  test('decision: not_found when the item is of another Workspace or does not exist', async () => {
    const other = await seedOwner(database.db)
    const { id } = await seedHold(database.db, owner)
    for (const unknown of [id, newId('rev'), 'rev_?']) {
      expect(await decide(unknown, {}, other.workspaceId)).toEqual({ kind: 'not_found' })
    }
  })

  test('decision: item is unchanged when the transaction is rolled back', async () => {
    const { id } = await seedHold(database.db, owner)
    const failing = transact(database.db, async (tx) => {
      await decideHold(tx, owner.workspaceId, id, { ...approve, verdict: 'denied' })
      throw new Error('the record could not be written')
    })
    await expect(failing).rejects.toThrow('record')
    expect((await getReview(database.db, owner.workspaceId, id, afterOpening(20)))?.state).toBe('pending')
    expect(await readReviewContent(database.db, owner.workspaceId, id, afterOpening(20), REVIEW_BOX)).toBeDefined()
  })
})
