import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../test/support/database.ts'
import { afterOpening, REVIEW_BOX, seedHold, seedOwner, transact } from '../../test/support/reviews.ts'
import type { Database } from '../db/database.ts'
import { newId } from '../lib/id.ts'
import { decide } from './decision-store.ts'
import type { ReviewOwner } from './review.ts'
import { getReview, reviewContent } from './review-store.ts'

describe.each(testDatabases())('decisions on $name', ({ open }) => {
  let database: Database
  let owner: ReviewOwner
  const approve = { verdict: 'approved', by: 'op-1', comment: null, now: afterOpening(10) } as const
  const judge = (id: string, change: Partial<Parameters<typeof decide>[3]> = {}, workspaceId = owner.workspaceId) =>
    transact(database.db, (tx) => decide(tx, workspaceId, id, { ...approve, ...change }))

  beforeAll(async () => {
    database = await open()
    owner = await seedOwner(database.db)
  })
  afterAll(() => database.close())

  test('an approval keeps who, when and why, and the content for the release', async () => {
    const { id } = await seedHold(database.db, owner)
    expect(await judge(id, { comment: 'fine by me' })).toMatchObject({
      kind: 'decided',
      item: { id, state: 'approved', decidedBy: 'op-1', decidedAt: afterOpening(10), comment: 'fine by me' },
    })
    expect(await reviewContent(database.db, owner.workspaceId, id, afterOpening(20), REVIEW_BOX)).toBeDefined()
  })

  test('a denial erases the content in the same breath', async () => {
    const { id } = await seedHold(database.db, owner)
    expect(await judge(id, { verdict: 'denied', comment: 'no' })).toMatchObject({ kind: 'decided', item: { state: 'denied' } })
    const { rows } = await database.pool.query(
      "select content from review_item where comment = 'no' and workspace_id is not null",
    )
    expect(rows.every(({ content }) => content === null)).toBe(true)
    expect(await reviewContent(database.db, owner.workspaceId, id, afterOpening(20), REVIEW_BOX)).toBeUndefined()
  })

  test('of 20 reviewers at once one decides, the others get a conflict that shows what stands', async () => {
    const { id } = await seedHold(database.db, owner)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => judge(id, { by: `op-${i}`, verdict: i % 2 ? 'approved' : 'denied' })),
    )
    const [decided, ...more] = answers.filter(({ kind }) => kind === 'decided')
    expect(more).toEqual([])
    const stands = decided && 'item' in decided ? decided.item : undefined
    const losers = answers.filter((answer) => answer.kind === 'conflict')
    expect(losers).toHaveLength(19)
    for (const { item } of losers) expect(item).toEqual(stands)
    expect(await getReview(database.db, owner.workspaceId, id, afterOpening(20))).toEqual(stands)
  })

  test('an expired hold cannot be decided, swept or not', async () => {
    const { id } = await seedHold(database.db, owner, { lifetimeMs: 10 })
    expect(await judge(id)).toMatchObject({ kind: 'conflict', item: { state: 'expired', decidedBy: null } })
  })

  test('nobody decides on a request of their own, decided already or not', async () => {
    const { id } = await seedHold(database.db, owner, { userId: 'op-1' })
    expect(await judge(id)).toEqual({ kind: 'own_request' })
    expect((await getReview(database.db, owner.workspaceId, id, afterOpening(20)))?.state).toBe('pending')
    expect(await judge(id, { by: 'op-2' })).toMatchObject({ kind: 'decided' })
    expect(await judge(id, { verdict: 'denied' })).toEqual({ kind: 'own_request' })
  })

  test("another Workspace's item cannot be told from one that does not exist", async () => {
    const other = await seedOwner(database.db)
    const { id } = await seedHold(database.db, owner)
    for (const unknown of [id, newId('rev'), 'rev_?']) {
      expect(await judge(unknown, {}, other.workspaceId)).toEqual({ kind: 'not_found' })
    }
  })

  test('a decision that is rolled back was never made', async () => {
    const { id } = await seedHold(database.db, owner)
    const failing = transact(database.db, async (tx) => {
      await decide(tx, owner.workspaceId, id, { ...approve, verdict: 'denied' })
      throw new Error('the record could not be written')
    })
    await expect(failing).rejects.toThrow('record')
    expect((await getReview(database.db, owner.workspaceId, id, afterOpening(20)))?.state).toBe('pending')
    expect(await reviewContent(database.db, owner.workspaceId, id, afterOpening(20), REVIEW_BOX)).toBeDefined()
  })
})
