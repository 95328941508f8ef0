import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { openReviews } from '../../../test/support/reviews.ts'
import { fromId } from '../../platform/lib/id.ts'
import type { ReleaseClaim } from './release-store.ts'
import { listReviews } from './review-list.ts'
import type { ReviewItem } from './review-row.ts'
import { eraseExpiredReviews } from './review-store.ts'

/** The job erases in the whole table, so these tests use a time before that of other tests. */
const START = new Date('2090-01-01T00:00:00Z').getTime()
const at = (ms: number): Date => new Date(START + ms)
const SECOND = 1_000
const DUE = { createdAt: at(0), lifetimeMs: SECOND }

describe.each(testDatabases())('on $name', async ({ open }) => {
  const reviews = await openReviews(open)
  const { db, owner } = reviews
  beforeEach(() => eraseExpiredReviews(db, at(SECOND), 10_000))

  const erase = (limit = 10_000, now = at(SECOND)) => eraseExpiredReviews(db, now, limit)
  const stored = ({ id }: ReviewItem) =>
    db
      .selectFrom('review_item')
      .select(['content', 'result', 'state'])
      .where('id', '=', fromId('rev', id) ?? '')
      .executeTakeFirst()
  const complete = (claim: ReleaseClaim, now: Date) => reviews.complete(claim, { kind: 'refusal', code: 'POLICY_DENIED' }, now)

  test('erase expired reviews: only expired items are erased, at most the limit at once', async () => {
    const due = [await reviews.hold(DUE), await reviews.approved(DUE)]
    const live = await reviews.hold({ createdAt: at(1) })
    expect([await erase(1), await erase(1), await erase(1)]).toEqual([1, 1, 0])
    for (const item of due) expect(await stored(item)).toEqual({ content: null, result: null, state: 'expired' })
    expect(await reviews.read(live.id, at(SECOND))).toBeDefined()
  })

  test('erase expired reviews: item is erased at expiresAt, not before', async () => {
    const item = await reviews.hold(DUE)
    await erase(10, at(SECOND - 1))
    expect((await stored(item))?.content).not.toBeNull()
    await erase(10, at(SECOND))
    expect((await stored(item))?.content).toBeNull()
  })

  test('erase expired reviews: reviewers and resubmissions see no difference', async () => {
    const items = [await reviews.hold(DUE), await reviews.approved(DUE)]
    const readAll = async () => ({
      items: await Promise.all(items.map(({ id }) => reviews.find(id, at(SECOND)))),
      expired: await listReviews(db, owner.workspaceId, { state: 'expired', limit: 2, now: at(SECOND) }),
      claim: await reviews.claim(items[1] as ReviewItem, at(SECOND)),
    })
    const before = await readAll()
    expect(await erase()).toBe(2)
    expect(await readAll()).toEqual(before)
  })

  test('erase expired reviews: result is erased and the state stays when the item was released', async () => {
    const item = await reviews.approved(DUE)
    await complete(await reviews.mustClaim(item, at(10)), at(20))
    expect((await stored(item))?.result).not.toBeNull()
    await erase()
    expect(await stored(item)).toEqual({ content: null, result: null, state: 'released' })
  })

  test('erase expired reviews: a release in progress can be completed', async () => {
    const item = await reviews.approved(DUE)
    const claim = await reviews.mustClaim(item, at(SECOND - 10))
    await erase()
    expect(await complete(claim, at(SECOND + 10))).toBe(true)
    expect(await stored(item)).toEqual({ content: null, result: null, state: 'released' })
  })

  test('erase expired reviews: each item is erased once when several nodes run the job', async () => {
    for (let i = 0; i < 12; i++) await reviews.hold(DUE)
    const erased = await Promise.all([erase(20), erase(20), erase(20)])
    expect(erased.reduce((sum, count) => sum + count, 0)).toBe(12)
  })
})
