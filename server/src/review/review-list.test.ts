import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../test/support/database.ts'
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
} from '../../test/support/reviews.ts'
import { seedApplication } from '../../test/support/seed.ts'
import type { Database } from '../db/database.ts'
import { newId } from '../lib/id.ts'
import { acknowledgeEscalation, decide } from './decision-store.ts'
import { claimRelease, completeRelease } from './release-store.ts'
import { REVIEW_STATES, type ReviewOwner } from './review.ts'
import { listReviews, type ReviewQuery } from './review-list.ts'
import { openEscalation } from './review-store.ts'

const BRIEF = { lifetimeMs: 1_000 }

describe.each(testDatabases())('review list on $name', ({ open }) => {
  let database: Database
  const list = async ({ workspaceId }: ReviewOwner, query: Partial<ReviewQuery> = {}) =>
    (await listReviews(database.db, workspaceId, { limit: 50, now: OPENED_AT, ...query }))?.data.map(({ id }) => id)

  beforeAll(async () => {
    database = await open()
  })
  afterAll(() => database.close())

  async function oneOfEach(owner: ReviewOwner) {
    const { db } = database
    const ids = {
      pending: (await seedHold(db, owner)).id,
      brief: (await seedHold(db, owner, BRIEF)).id,
      approved: (await seedApproved(db, owner)).id,
      briefApproved: (await seedApproved(db, owner, BRIEF)).id,
      denied: (await seedHold(db, owner)).id,
      released: (await seedApproved(db, owner)).id,
      seen: (await transact(db, (tx) => openEscalation(tx, owner, newReview(), REVIEW_BOX))).id,
      escalation: (await transact(db, (tx) => openEscalation(tx, owner, newReview(), REVIEW_BOX))).id,
    }
    const judgement = { by: 'op-1', comment: null, now: OPENED_AT }
    await transact(db, async (tx) => {
      await decide(tx, owner.workspaceId, ids.denied, { ...judgement, verdict: 'denied' })
      await acknowledgeEscalation(tx, owner.workspaceId, ids.seen, judgement)
    })
    const { requestHash } = await seedReleasable(owner, ids.released)
    const claimed = await claimRelease(db, owner, { id: ids.released, requestHash }, lease(OPENED_AT), REVIEW_BOX)
    if (claimed?.kind !== 'claimed') throw new Error('not claimed')
    const result = { kind: 'refusal', code: 'POLICY_DENIED' } as const
    await transact(db, (tx) =>
      completeRelease(tx, owner, claimed.claim, { result, releasedAuditId: newId('aud'), now: OPENED_AT }, REVIEW_BOX),
    )
    return ids
  }

  async function seedReleasable(owner: ReviewOwner, id: string) {
    const page = await listReviews(database.db, owner.workspaceId, { limit: 50, now: OPENED_AT })
    const item = page?.data.find((found) => found.id === id)
    if (!item) throw new Error('not there')
    return item
  }

  test('each state is what the clock says', async () => {
    const owner = await seedOwner(database.db)
    const ids = await oneOfEach(owner)
    const states = async (now: Date) =>
      Object.fromEntries(
        await Promise.all(REVIEW_STATES.map(async (state) => [state, new Set(await list(owner, { state, now }))])),
      )
    expect(await states(afterOpening(999))).toEqual({
      pending: new Set([ids.pending, ids.brief, ids.escalation]),
      approved: new Set([ids.approved, ids.briefApproved]),
      released: new Set([ids.released]),
      denied: new Set([ids.denied]),
      acknowledged: new Set([ids.seen]),
      expired: new Set(),
    })
    expect(await states(afterOpening(1_000))).toEqual({
      pending: new Set([ids.pending, ids.escalation]),
      approved: new Set([ids.approved]),
      released: new Set([ids.released]),
      denied: new Set([ids.denied]),
      acknowledged: new Set([ids.seen]),
      expired: new Set([ids.brief, ids.briefApproved]),
    })
  })

  test('by kind and Application; an Application elsewhere shows nothing', async () => {
    const owner = await seedOwner(database.db)
    const second = { ...owner, ...(await seedApplication(database.db, owner.workspaceId)) }
    const [mine, theirs] = [await seedHold(database.db, owner), await seedHold(database.db, second)]
    const escalation = await transact(database.db, (tx) => openEscalation(tx, second, newReview(), REVIEW_BOX))
    expect(await list(owner, { kind: 'escalation' })).toEqual([escalation.id])
    expect(await list(owner, { applicationId: second.applicationId, kind: 'hold' })).toEqual([theirs.id])
    expect(await list(owner, { applicationId: owner.applicationId })).toEqual([mine.id])
    const elsewhere = await seedOwner(database.db)
    expect(await list(elsewhere)).toEqual([])
    expect(await list(owner, { applicationId: elsewhere.applicationId })).toEqual([])
  })

  test('the queue is oldest first, history newest first, and pages hold each item once while others come and go', async () => {
    const owner = await seedOwner(database.db)
    const ids: string[] = []
    for (let i = 0; i < 7; i++) ids.push((await seedHold(database.db, owner)).id)
    const walk = async (query: Partial<ReviewQuery>, between: () => Promise<unknown>) => {
      const seen: string[] = []
      for (let after: string | undefined; ; ) {
        const page = await listReviews(database.db, owner.workspaceId, { limit: 3, now: OPENED_AT, ...query, after })
        seen.push(...(page?.data ?? []).map(({ id }) => id))
        if (!page?.hasMore || seen.length > 20) return seen
        after = page.data.at(-1)?.id
        await between()
      }
    }
    expect(await walk({}, async () => {})).toEqual(ids.toReversed())
    const decideFirst = () =>
      transact(database.db, (tx) =>
        decide(tx, owner.workspaceId, ids[0] ?? '', { verdict: 'approved', by: 'op-1', comment: null, now: OPENED_AT }),
      )
    expect(await walk({ state: 'pending' }, decideFirst)).toEqual(ids)
  })

  test('a page that is exactly full is the last one', async () => {
    const owner = await seedOwner(database.db)
    for (let i = 0; i < 2; i++) await seedHold(database.db, owner)
    expect(await listReviews(database.db, owner.workspaceId, { limit: 2, now: OPENED_AT })).toMatchObject({ hasMore: false })
  })

  test('a cursor or Application that is no id is refused, not ignored', async () => {
    const owner = await seedOwner(database.db)
    expect(await list(owner, { after: 'page2' })).toBeUndefined()
    expect(await list(owner, { applicationId: 'everything' })).toBeUndefined()
  })
})
