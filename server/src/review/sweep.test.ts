import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { testDatabases } from '../../test/support/database.ts'
import { lease, REVIEW_BOX, seedApproved, seedHold, seedOwner, transact } from '../../test/support/reviews.ts'
import type { Database } from '../db/database.ts'
import { fromId, newId } from '../lib/id.ts'
import { claimRelease, completeRelease, type ReleaseClaim } from './release-store.ts'
import type { ReviewItem, ReviewOwner } from './review.ts'
import { listReviews } from './review-list.ts'
import { eraseExpired, getReview, reviewContent } from './review-store.ts'

/** A sweep is of the whole table: these tests have a time of their own, before that of the others. */
const START = new Date('2090-01-01T00:00:00Z').getTime()
const at = (ms: number): Date => new Date(START + ms)
const SECOND = 1_000
const DUE = { createdAt: at(0), lifetimeMs: SECOND }

describe.each(testDatabases())('the sweep on $name', ({ open }) => {
  let database: Database
  let owner: ReviewOwner
  beforeAll(async () => {
    database = await open()
    owner = await seedOwner(database.db)
  })
  beforeEach(() => eraseExpired(database.db, at(SECOND), 10_000))
  afterAll(() => database.close())

  const sweep = (limit = 10_000, now = at(SECOND)) => eraseExpired(database.db, now, limit)
  const stored = ({ id }: ReviewItem) =>
    database.db
      .selectFrom('review_item')
      .select(['content', 'result', 'state'])
      .where('id', '=', fromId('rev', id) ?? '')
      .executeTakeFirst()
  const claim = async (item: ReviewItem, now: Date): Promise<ReleaseClaim> => {
    const claimed = await claimRelease(database.db, owner, item, lease(now), REVIEW_BOX)
    if (claimed?.kind !== 'claimed') throw new Error(`not claimed but ${claimed?.kind}`)
    return claimed.claim
  }
  const complete = (held: ReleaseClaim, now: Date) =>
    transact(database.db, (tx) =>
      completeRelease(
        tx,
        owner,
        held,
        { result: { kind: 'refusal', code: 'POLICY_DENIED' }, releasedAuditId: newId('aud'), now },
        REVIEW_BOX,
      ),
    )

  test('what is past its time is erased, in portions, and nothing else', async () => {
    const due = [await seedHold(database.db, owner, DUE), await seedApproved(database.db, owner, DUE)]
    const live = await seedHold(database.db, owner, { createdAt: at(1) })
    expect([await sweep(1), await sweep(1), await sweep(1)]).toEqual([1, 1, 0])
    for (const item of due) expect(await stored(item)).toEqual({ content: null, result: null, state: 'expired' })
    expect(await reviewContent(database.db, owner.workspaceId, live.id, at(SECOND), REVIEW_BOX)).toBeDefined()
  })

  test('an item is due at its expiry, not a millisecond before', async () => {
    const item = await seedHold(database.db, owner, DUE)
    await sweep(10, at(SECOND - 1))
    expect((await stored(item))?.content).not.toBeNull()
    await sweep(10, at(SECOND))
    expect((await stored(item))?.content).toBeNull()
  })

  test('it changes nothing that can be seen from outside', async () => {
    const items = [await seedHold(database.db, owner, DUE), await seedApproved(database.db, owner, DUE)]
    const seen = async () => ({
      items: await Promise.all(items.map(({ id }) => getReview(database.db, owner.workspaceId, id, at(SECOND)))),
      expired: await listReviews(database.db, owner.workspaceId, { state: 'expired', limit: 2, now: at(SECOND) }),
      claim: await claimRelease(database.db, owner, items[1] as ReviewItem, lease(at(SECOND)), REVIEW_BOX),
    })
    const before = await seen()
    expect(await sweep()).toBe(2)
    expect(await seen()).toEqual(before)
  })

  test('a released result goes with its item, whose state stays', async () => {
    const item = await seedApproved(database.db, owner, DUE)
    await complete(await claim(item, at(10)), at(20))
    expect((await stored(item))?.result).not.toBeNull()
    await sweep()
    expect(await stored(item)).toEqual({ content: null, result: null, state: 'released' })
  })

  test('a release that is under way when it passes ends well', async () => {
    const item = await seedApproved(database.db, owner, DUE)
    const held = await claim(item, at(SECOND - 10))
    await sweep()
    expect(await complete(held, at(SECOND + 10))).toBe(true)
    expect(await stored(item)).toEqual({ content: null, result: null, state: 'released' })
  })

  test('sweepers on several nodes share the work', async () => {
    for (let i = 0; i < 12; i++) await seedHold(database.db, owner, DUE)
    const erased = await Promise.all([sweep(20), sweep(20), sweep(20)])
    expect(erased.reduce((sum, count) => sum + count, 0)).toBe(12)
  })
})
