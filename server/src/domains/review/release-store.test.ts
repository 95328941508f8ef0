import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import {
  afterOpening,
  lease,
  OPENED_AT,
  REVIEW_BOX,
  seedApproved,
  seedHold,
  seedOwner,
  transact,
} from '../../../test/support/reviews.ts'
import { fromId, newId } from '../../platform/lib/id.ts'
import { decideHold } from './decision-store.ts'
import {
  abandonRelease,
  type ClaimResult,
  claimRelease,
  completeRelease,
  interruptRelease,
  pendingReason,
  type ReleaseClaim,
} from './release-store.ts'
import type { Lease, ReleaseResult, ReviewItem } from './review.ts'
import { getReview } from './review-store.ts'

const MINUTE = 60_000
const COMPLETION: ReleaseResult = {
  kind: 'answer',
  completion: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'mock-model',
    choices: [{ index: 0, message: { role: 'assistant', content: 'the released words' }, finish_reason: 'stop' }],
  },
}

describe.each(testDatabases())('on $name', async ({ open }) => {
  const claim = (item: ReviewItem, when: Date | Lease = OPENED_AT, from = owner): Promise<ClaimResult | undefined> =>
    claimRelease(database.db, from, item, when instanceof Date ? lease(when) : when, REVIEW_BOX)
  const kindOf = async (...args: Parameters<typeof claim>) => (await claim(...args))?.kind
  const mustClaim = async (item: ReviewItem, when?: Date | Lease): Promise<ReleaseClaim> => {
    const claimed = await claim(item, when)
    if (claimed?.kind !== 'claimed') throw new Error(`Claim failed: ${claimed?.kind}`)
    return claimed.claim
  }
  const complete = (
    claim: ReleaseClaim,
    result: ReleaseResult = COMPLETION,
    now = afterOpening(100),
    releasedAuditId = newId('aud'),
  ) => transact(database.db, (tx) => completeRelease(tx, owner, claim, { result, releasedAuditId, now }, REVIEW_BOX))

  const database = await closeAfterAll(open())
  const owner = await seedOwner(database.db)

  test('release: one is claimed and 19 are busy when 20 resubmissions come at the same time', async () => {
    const item = await seedApproved(database.db, owner)
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim(item)))
    expect(claims.map((claimed) => claimed?.kind).sort()).toEqual([...Array(19).fill('busy'), 'claimed'])
    const winner = claims.find((claimed) => claimed?.kind === 'claimed')
    expect(winner).toMatchObject({ content: { messages: [{ role: 'user', content: 'the sealed words' }] } })
  })

  test('release: every resubmission gets the sealed result until expiry', async () => {
    const item = await seedApproved(database.db, owner, { lifetimeMs: MINUTE })
    const releasedAuditId = newId('aud')
    expect(await complete(await mustClaim(item), COMPLETION, afterOpening(100), releasedAuditId)).toBe(true)
    for (const ms of [200, 300, MINUTE - 1])
      expect(await claim(item, afterOpening(ms))).toMatchObject({ kind: 'released', result: COMPLETION })
    expect(await kindOf(item, afterOpening(MINUTE))).toBe('expired')
    expect(await getReview(database.db, owner.workspaceId, item.id, afterOpening(MINUTE))).toMatchObject({
      state: 'released',
      releasedAt: afterOpening(100),
      releasedAuditId,
    })
    const { rows } = await database.pool.query('select t::text as text from review_item t where id = $1', [
      fromId('rev', item.id),
    ])
    expect(rows[0].text).not.toContain(Buffer.from('released words').toString('hex'))
  })

  test('release: resubmissions get the same result when it is a refusal or another hold', async () => {
    const [refused, held] = [await seedApproved(database.db, owner), await seedApproved(database.db, owner)]
    const successor = await seedHold(database.db, owner, { point: 'output' })
    const refusal: ReleaseResult = { kind: 'refusal', code: 'POLICY_DENIED' }
    await complete(await mustClaim(refused), refusal)
    await complete(await mustClaim(held), { kind: 'held', successorId: successor.id })
    expect(await claim(refused, afterOpening(200))).toMatchObject({ kind: 'released', result: refusal })
    expect(await claim(held, afterOpening(200))).toMatchObject({
      kind: 'released',
      result: { kind: 'held', successorId: successor.id },
      item: { successorId: successor.id },
    })
  })

  test('release: not claimed when the hold is pending, denied or expired', async () => {
    const pending = await seedHold(database.db, owner, { lifetimeMs: MINUTE })
    expect(await kindOf(pending)).toBe('pending')
    expect(await pendingReason(database.db, owner, pending.id, lease(OPENED_AT))).toEqual({
      kind: 'pending',
      wakeAt: pending.expiresAt,
    })
    const denied = await seedHold(database.db, owner)
    await transact(database.db, (tx) =>
      decideHold(tx, owner.workspaceId, denied.id, { verdict: 'denied', by: 'op-1', comment: null, now: OPENED_AT }),
    )
    expect(await kindOf(denied)).toBe('denied')
    const late = await seedApproved(database.db, owner, { lifetimeMs: MINUTE })
    expect(await kindOf(late, afterOpening(MINUTE))).toBe('expired')
  })

  test('release: not claimed when the request, Application or Workspace differs', async () => {
    const item = await seedApproved(database.db, owner)
    const other = await seedOwner(database.db)
    expect(await claim({ ...item, requestHash: Buffer.alloc(32) })).toEqual({ kind: 'mismatch' })
    expect(await claim(item, OPENED_AT, other)).toBeUndefined()
    expect(await claim(item, OPENED_AT, { ...owner, applicationId: other.applicationId })).toBeUndefined()
    expect(await claim({ ...item, id: newId('rev') })).toBeUndefined()
    expect(await claim({ ...item, id: 'rev_%' })).toBeUndefined()
    expect(await kindOf(item)).toBe('claimed')
  })

  test('release: stays interrupted after the lease when a request was held', async () => {
    const item = await seedApproved(database.db, owner)
    const firstClaim = await mustClaim(item)
    expect(await kindOf(item, afterOpening(MINUTE - 1))).toBe('busy')
    expect(await pendingReason(database.db, owner, item.id, lease(afterOpening(MINUTE - 1)))).toEqual({
      kind: 'busy',
      wakeAt: afterOpening(MINUTE),
    })
    expect(await pendingReason(database.db, owner, item.id, lease(afterOpening(MINUTE)))).toBeUndefined()
    const later = await Promise.all([MINUTE, 2 * MINUTE, 60 * MINUTE].map((ms) => kindOf(item, afterOpening(ms))))
    expect(later).toEqual(['interrupted', 'interrupted', 'interrupted'])
    expect(firstClaim.startedAt).toEqual(OPENED_AT)
  })

  test('release: interrupted immediately when the claim is older than the only process', async () => {
    const item = await seedApproved(database.db, owner)
    await mustClaim(item)
    expect(await kindOf(item, { ...lease(afterOpening(20)), exclusiveSince: afterOpening(10) })).toBe('interrupted')
  })

  test('release: one caller claims again after the lease, and the first claim is invalid, when a completion was held', async () => {
    const item = await seedApproved(database.db, owner, { point: 'output' })
    const firstClaim = await mustClaim(item)
    const again = await Promise.all(Array.from({ length: 20 }, () => claim(item, afterOpening(MINUTE))))
    expect(again.map((claimed) => claimed?.kind).sort()).toEqual([...Array(19).fill('busy'), 'claimed'])
    const winner = again.find((claimed) => claimed?.kind === 'claimed')
    expect(await complete(firstClaim)).toBe(false)
    expect(await abandonRelease(database.db, owner, firstClaim)).toBe(false)
    expect(winner && (await complete(winner.claim, COMPLETION, afterOpening(MINUTE + 1)))).toBe(true)
  })

  test('release: can be claimed again when it was abandoned', async () => {
    const item = await seedApproved(database.db, owner)
    const first = await mustClaim(item)
    expect(await abandonRelease(database.db, owner, first)).toBe(true)
    expect(await complete(first)).toBe(false)
    const second = await mustClaim(item, afterOpening(5))
    expect(await kindOf(item, afterOpening(6))).toBe('busy')
    expect(await complete(second)).toBe(true)
    expect(await abandonRelease(database.db, owner, second)).toBe(false)
  })

  test('release: interruptRelease interrupts a held request and makes a held completion ready', async () => {
    const request = await seedApproved(database.db, owner)
    expect(await interruptRelease(database.db, owner, await mustClaim(request))).toBe(true)
    expect(await kindOf(request, afterOpening(1))).toBe('interrupted')
    const completion = await seedApproved(database.db, owner, { point: 'output' })
    const lost = await mustClaim(completion)
    expect(await interruptRelease(database.db, owner, lost)).toBe(true)
    expect(await kindOf(completion, afterOpening(1))).toBe('claimed')
    expect(await interruptRelease(database.db, owner, lost)).toBe(false)
  })

  test('release: completed without a stored result when the item expired meanwhile', async () => {
    const item = await seedApproved(database.db, owner, { lifetimeMs: MINUTE })
    const held = await mustClaim(item, afterOpening(MINUTE - 10))
    expect(await complete(held, COMPLETION, afterOpening(MINUTE + 10))).toBe(true)
    expect((await getReview(database.db, owner.workspaceId, item.id, afterOpening(MINUTE + 20)))?.state).toBe('released')
    expect(await kindOf(item, afterOpening(MINUTE + 20))).toBe('expired')
    const { rows } = await database.pool.query('select result from review_item where id = $1', [fromId('rev', item.id)])
    expect(rows).toEqual([{ result: null }])
  })

  test('release: claim throws inside a transaction', async () => {
    const item = await seedApproved(database.db, owner)
    await expect(transact(database.db, (tx) => claimRelease(tx, owner, item, lease(OPENED_AT), REVIEW_BOX))).rejects.toThrow(
      'outside a transaction',
    )
    expect(await kindOf(item)).toBe('claimed')
  })
})
