import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { afterOpening, openReviews, seedOwner, transact } from '../../../test/support/reviews.ts'
import { newId } from '../../platform/lib/id.ts'
import { decideHold } from './decision-store.ts'

describe.each(testDatabases())('on $name', async ({ open }) => {
  const reviews = await openReviews(open)
  const { database, db, owner } = reviews
  const decide: typeof reviews.decide = (id, change, from) => reviews.decide(id, { now: afterOpening(10), ...change }, from)

  test('decision: reviewer, time, comment and content are stored when a hold is approved', async () => {
    const { id } = await reviews.hold()
    expect(await decide(id, { comment: 'fine by me' })).toMatchObject({
      kind: 'decided',
      item: { id, state: 'approved', decidedBy: 'op-1', decidedAt: afterOpening(10), comment: 'fine by me' },
    })
    expect(await reviews.read(id, afterOpening(20))).toBeDefined()
  })

  test('decision: content is erased when a hold is denied', async () => {
    const { id } = await reviews.hold()
    expect(await decide(id, { verdict: 'denied', comment: 'no' })).toMatchObject({ kind: 'decided', item: { state: 'denied' } })
    const { rows } = await database.pool.query(
      "select content from review_item where comment = 'no' and workspace_id is not null",
    )
    expect(rows.every(({ content }) => content === null)).toBe(true)
    expect(await reviews.read(id, afterOpening(20))).toBeUndefined()
  })

  test('decision: 19 get a conflict with the decided item when 20 reviewers decide at the same time', async () => {
    const { id } = await reviews.hold()
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => decide(id, { by: `op-${i}`, verdict: i % 2 ? 'approved' : 'denied' })),
    )
    const [decided, ...more] = results.filter(({ kind }) => kind === 'decided')
    expect(more).toEqual([])
    const decidedItem = decided && 'item' in decided ? decided.item : undefined
    const conflicts = results.filter((result) => result.kind === 'conflict')
    expect(conflicts).toHaveLength(19)
    for (const { item } of conflicts) expect(item).toEqual(decidedItem)
    expect(await reviews.find(id, afterOpening(20))).toEqual(decidedItem)
  })

  test('decision: conflict when the hold is expired', async () => {
    const { id } = await reviews.hold({ lifetimeMs: 10 })
    expect(await decide(id)).toMatchObject({ kind: 'conflict', item: { state: 'expired', decidedBy: null } })
  })

  test('decision: own_request when the reviewer is the user of the request, decided or not', async () => {
    const { id } = await reviews.hold({ userId: 'op-1' })
    expect(await decide(id)).toEqual({ kind: 'own_request' })
    expect((await reviews.find(id, afterOpening(20)))?.state).toBe('pending')
    expect(await decide(id, { by: 'op-2' })).toMatchObject({ kind: 'decided' })
    expect(await decide(id, { verdict: 'denied' })).toEqual({ kind: 'own_request' })
  })

  test('decision: not_found when the item is of another Workspace or does not exist', async () => {
    const other = await seedOwner(db)
    const { id } = await reviews.hold()
    for (const unknown of [id, newId('rev'), 'rev_?']) {
      expect(await decide(unknown, {}, other)).toEqual({ kind: 'not_found' })
    }
  })

  test('decision: item is unchanged when the transaction is rolled back', async () => {
    const { id } = await reviews.hold()
    const failing = transact(db, async (tx) => {
      await decideHold(tx, owner.workspaceId, id, { verdict: 'denied', by: 'op-1', comment: null, now: afterOpening(10) })
      throw new Error('the record could not be written')
    })
    await expect(failing).rejects.toThrow('record')
    expect((await reviews.find(id, afterOpening(20)))?.state).toBe('pending')
    expect(await reviews.read(id, afterOpening(20))).toBeDefined()
  })
})
