import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { afterOpening, OPENED_AT, openReviews, transact } from '../../../test/support/reviews.ts'
import { acknowledgeEscalation } from './decision-store.ts'
import { REVIEW_STATES } from './review.ts'
import { listReviews, type ReviewQuery } from './review-list.ts'
import type { ReviewItem } from './review-row.ts'

const SHORT = { lifetimeMs: 1_000 }
const setOf = (...items: readonly ReviewItem[]) => new Set(items.map(({ id }) => id))

describe.each(testDatabases())('on $name', async ({ open }) => {
  const reviews = await openReviews(open)
  const { db, owner } = reviews
  const list = async (query: Partial<ReviewQuery> = {}) =>
    (await listReviews(db, owner.workspaceId, { limit: 50, now: OPENED_AT, ...query }))?.data.map(({ id }) => id)

  test('review list: state filter follows the clock when items expire', async () => {
    const [pending, short, escalation] = [await reviews.hold(), await reviews.hold(SHORT), await reviews.escalation()]
    const [approved, shortApproved] = [await reviews.approved(), await reviews.approved(SHORT)]
    const denied = await reviews.hold()
    await reviews.decide(denied.id, { verdict: 'denied' })
    const acknowledged = await reviews.escalation()
    const decision = { by: 'op-1', comment: null, now: OPENED_AT }
    await transact(db, (tx) => acknowledgeEscalation(tx, owner.workspaceId, acknowledged.id, decision))
    const released = await reviews.approved()
    await reviews.complete(await reviews.mustClaim(released), { kind: 'refusal', code: 'POLICY_DENIED' }, OPENED_AT)
    const states = async (now: Date) =>
      Object.fromEntries(await Promise.all(REVIEW_STATES.map(async (state) => [state, new Set(await list({ state, now }))])))
    const final = { released: setOf(released), denied: setOf(denied), acknowledged: setOf(acknowledged) }
    expect(await states(afterOpening(999))).toEqual({
      ...final,
      pending: setOf(pending, short, escalation),
      approved: setOf(approved, shortApproved),
      expired: new Set(),
    })
    expect(await states(afterOpening(1_000))).toEqual({
      ...final,
      pending: setOf(pending, escalation),
      approved: setOf(approved),
      expired: setOf(short, shortApproved),
    })
  })

  test('review list: undefined when the cursor or Application is not an id', async () => {
    expect(await list({ after: 'page2' })).toBeUndefined()
    expect(await list({ applicationId: 'everything' })).toBeUndefined()
  })
})
