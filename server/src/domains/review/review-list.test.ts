import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import {
  afterOpening,
  lease,
  newReview,
  OPENED_AT,
  REVIEW_BOX,
  seedApproved,
  seedHold,
  seedOwner,
  transact,
} from '../../../test/support/reviews.ts'
import { newId } from '../../platform/lib/id.ts'
import { acknowledgeEscalation, decideHold } from './decision-store.ts'
import { claimRelease, completeRelease } from './release-store.ts'
import { REVIEW_STATES, type ReviewOwner } from './review.ts'
import { listReviews, type ReviewQuery } from './review-list.ts'
import { openEscalation } from './review-store.ts'

const SHORT = { lifetimeMs: 1_000 }

describe.each(testDatabases())('on $name', async ({ open }) => {
  const list = async ({ workspaceId }: ReviewOwner, query: Partial<ReviewQuery> = {}) =>
    (await listReviews(database.db, workspaceId, { limit: 50, now: OPENED_AT, ...query }))?.data.map(({ id }) => id)

  const database = await closeAfterAll(open())

  async function seedItems(owner: ReviewOwner) {
    const { db } = database
    const ids = {
      pending: (await seedHold(db, owner)).id,
      short: (await seedHold(db, owner, SHORT)).id,
      approved: (await seedApproved(db, owner)).id,
      shortApproved: (await seedApproved(db, owner, SHORT)).id,
      denied: (await seedHold(db, owner)).id,
      released: (await seedApproved(db, owner)).id,
      acknowledged: (await transact(db, (tx) => openEscalation(tx, owner, newReview(), REVIEW_BOX))).id,
      escalation: (await transact(db, (tx) => openEscalation(tx, owner, newReview(), REVIEW_BOX))).id,
    }
    const decision = { by: 'op-1', comment: null, now: OPENED_AT }
    await transact(db, async (tx) => {
      await decideHold(tx, owner.workspaceId, ids.denied, { ...decision, verdict: 'denied' })
      await acknowledgeEscalation(tx, owner.workspaceId, ids.acknowledged, decision)
    })
    const { requestHash } = await findListed(owner, ids.released)
    const claimed = await claimRelease(db, owner, { id: ids.released, requestHash }, lease(OPENED_AT), REVIEW_BOX)
    if (claimed?.kind !== 'claimed') throw new Error('not claimed')
    const result = { kind: 'refusal', code: 'POLICY_DENIED' } as const
    await transact(db, (tx) =>
      completeRelease(tx, owner, claimed.claim, { result, releasedAuditId: newId('aud'), now: OPENED_AT }, REVIEW_BOX),
    )
    return ids
  }

  async function findListed(owner: ReviewOwner, id: string) {
    const page = await listReviews(database.db, owner.workspaceId, { limit: 50, now: OPENED_AT })
    const item = page?.data.find((found) => found.id === id)
    if (!item) throw new Error('item not listed')
    return item
  }

  test('review list: state filter follows the clock when items expire', async () => {
    const owner = await seedOwner(database.db)
    const ids = await seedItems(owner)
    const states = async (now: Date) =>
      Object.fromEntries(
        await Promise.all(REVIEW_STATES.map(async (state) => [state, new Set(await list(owner, { state, now }))])),
      )
    expect(await states(afterOpening(999))).toEqual({
      pending: new Set([ids.pending, ids.short, ids.escalation]),
      approved: new Set([ids.approved, ids.shortApproved]),
      released: new Set([ids.released]),
      denied: new Set([ids.denied]),
      acknowledged: new Set([ids.acknowledged]),
      expired: new Set(),
    })
    expect(await states(afterOpening(1_000))).toEqual({
      pending: new Set([ids.pending, ids.escalation]),
      approved: new Set([ids.approved]),
      released: new Set([ids.released]),
      denied: new Set([ids.denied]),
      acknowledged: new Set([ids.acknowledged]),
      expired: new Set([ids.short, ids.shortApproved]),
    })
  })

  test('review list: undefined when the cursor or Application is not an id', async () => {
    const owner = await seedOwner(database.db)
    expect(await list(owner, { after: 'page2' })).toBeUndefined()
    expect(await list(owner, { applicationId: 'everything' })).toBeUndefined()
  })
})
