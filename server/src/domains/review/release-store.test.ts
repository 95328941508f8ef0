import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { afterOpening, lease, OPENED_AT, openReviews, REVIEW_BOX, seedOwner, transact } from '../../../test/support/reviews.ts'
import { fromId, newId } from '../../platform/lib/id.ts'
import { abandonRelease, claimRelease, interruptRelease, pendingReason, type ReleaseClaim } from './release-store.ts'
import type { ReleaseResult } from './review.ts'

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
  const reviews = await openReviews(open)
  const { db, owner, claim, mustClaim } = reviews
  const kindOf = async (...args: Parameters<typeof claim>) => (await claim(...args))?.kind
  const complete = (claim: ReleaseClaim, result: ReleaseResult = COMPLETION, now = afterOpening(100), auditId?: string) =>
    reviews.complete(claim, result, now, auditId)

  test('release: one is claimed and 19 are busy when 20 resubmissions come at the same time', async () => {
    const item = await reviews.approved()
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim(item)))
    expect(claims.map((claimed) => claimed?.kind).sort()).toEqual([...Array(19).fill('busy'), 'claimed'])
    const winner = claims.find((claimed) => claimed?.kind === 'claimed')
    expect(winner).toMatchObject({ content: { messages: [{ role: 'user', content: 'the sealed words' }] } })
  })

  test('release: every resubmission gets the sealed result until expiry', async () => {
    const item = await reviews.approved({ lifetimeMs: MINUTE })
    const releasedAuditId = newId('aud')
    expect(await complete(await mustClaim(item), COMPLETION, afterOpening(100), releasedAuditId)).toBe(true)
    for (const ms of [200, 300, MINUTE - 1])
      expect(await claim(item, afterOpening(ms))).toMatchObject({ kind: 'released', result: COMPLETION })
    expect(await kindOf(item, afterOpening(MINUTE))).toBe('expired')
    expect(await reviews.find(item.id, afterOpening(MINUTE))).toMatchObject({
      state: 'released',
      releasedAt: afterOpening(100),
      releasedAuditId,
    })
    expect(await reviews.rowText(item.id)).not.toContain(Buffer.from('released words').toString('hex'))
  })

  test('release: resubmissions get the same result when it is a refusal or another hold', async () => {
    const [refused, held] = [await reviews.approved(), await reviews.approved()]
    const successor = await reviews.hold({ point: 'output' })
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
    const pending = await reviews.hold({ lifetimeMs: MINUTE })
    expect(await kindOf(pending)).toBe('pending')
    const reason = await pendingReason(db, owner, pending.id, lease(OPENED_AT))
    expect(reason).toEqual({ kind: 'pending', wakeAt: pending.expiresAt })
    const denied = await reviews.hold()
    await reviews.decide(denied.id, { verdict: 'denied' })
    expect(await kindOf(denied)).toBe('denied')
    const late = await reviews.approved({ lifetimeMs: MINUTE })
    expect(await kindOf(late, afterOpening(MINUTE))).toBe('expired')
  })

  test('release: not claimed when the request, Application or Workspace differs', async () => {
    const item = await reviews.approved()
    const other = await seedOwner(db)
    expect(await claim({ ...item, requestHash: Buffer.alloc(32) })).toEqual({ kind: 'mismatch' })
    expect(await claim(item, OPENED_AT, other)).toBeUndefined()
    expect(await claim(item, OPENED_AT, { ...owner, applicationId: other.applicationId })).toBeUndefined()
    expect(await claim({ ...item, id: newId('rev') })).toBeUndefined()
    expect(await claim({ ...item, id: 'rev_%' })).toBeUndefined()
    expect(await kindOf(item)).toBe('claimed')
  })

  test('release: stays interrupted after the lease when a request was held', async () => {
    const item = await reviews.approved()
    const firstClaim = await mustClaim(item)
    expect(await kindOf(item, afterOpening(MINUTE - 1))).toBe('busy')
    const reason = await pendingReason(db, owner, item.id, lease(afterOpening(MINUTE - 1)))
    expect(reason).toEqual({ kind: 'busy', wakeAt: afterOpening(MINUTE) })
    expect(await pendingReason(db, owner, item.id, lease(afterOpening(MINUTE)))).toBeUndefined()
    const later = await Promise.all([MINUTE, 2 * MINUTE, 60 * MINUTE].map((ms) => kindOf(item, afterOpening(ms))))
    expect(later).toEqual(['interrupted', 'interrupted', 'interrupted'])
    expect(firstClaim.startedAt).toEqual(OPENED_AT)
  })

  test('release: interrupted immediately when the claim is older than the only process', async () => {
    const item = await reviews.approved()
    await mustClaim(item)
    expect(await kindOf(item, { ...lease(afterOpening(20)), exclusiveSince: afterOpening(10) })).toBe('interrupted')
  })

  test('release: one caller claims again after the lease, and the first claim is invalid, when a completion was held', async () => {
    const item = await reviews.approved({ point: 'output' })
    const firstClaim = await mustClaim(item)
    const again = await Promise.all(Array.from({ length: 20 }, () => claim(item, afterOpening(MINUTE))))
    expect(again.map((claimed) => claimed?.kind).sort()).toEqual([...Array(19).fill('busy'), 'claimed'])
    const winner = again.find((claimed) => claimed?.kind === 'claimed')
    expect(await complete(firstClaim)).toBe(false)
    expect(await abandonRelease(db, owner, firstClaim)).toBe(false)
    expect(winner && (await complete(winner.claim, COMPLETION, afterOpening(MINUTE + 1)))).toBe(true)
  })

  test('release: can be claimed again when it was abandoned', async () => {
    const item = await reviews.approved()
    const first = await mustClaim(item)
    expect(await abandonRelease(db, owner, first)).toBe(true)
    expect(await complete(first)).toBe(false)
    const second = await mustClaim(item, afterOpening(5))
    expect(await kindOf(item, afterOpening(6))).toBe('busy')
    expect(await complete(second)).toBe(true)
    expect(await abandonRelease(db, owner, second)).toBe(false)
  })

  test('release: interruptRelease interrupts a held request and makes a held completion ready', async () => {
    const request = await reviews.approved()
    expect(await interruptRelease(db, owner, await mustClaim(request))).toBe(true)
    expect(await kindOf(request, afterOpening(1))).toBe('interrupted')
    const completion = await reviews.approved({ point: 'output' })
    const lost = await mustClaim(completion)
    expect(await interruptRelease(db, owner, lost)).toBe(true)
    expect(await kindOf(completion, afterOpening(1))).toBe('claimed')
    expect(await interruptRelease(db, owner, lost)).toBe(false)
  })

  test('release: completed without a stored result when the item expired meanwhile', async () => {
    const item = await reviews.approved({ lifetimeMs: MINUTE })
    const held = await mustClaim(item, afterOpening(MINUTE - 10))
    expect(await complete(held, COMPLETION, afterOpening(MINUTE + 10))).toBe(true)
    expect((await reviews.find(item.id, afterOpening(MINUTE + 20)))?.state).toBe('released')
    expect(await kindOf(item, afterOpening(MINUTE + 20))).toBe('expired')
    const { rows } = await reviews.database.pool.query('select result from review_item where id = $1', [fromId('rev', item.id)])
    expect(rows).toEqual([{ result: null }])
  })

  test('release: claim throws inside a transaction', async () => {
    const item = await reviews.approved()
    await expect(transact(db, (tx) => claimRelease(tx, owner, item, lease(OPENED_AT), REVIEW_BOX))).rejects.toThrow(
      'outside a transaction',
    )
    expect(await kindOf(item)).toBe('claimed')
  })
})
