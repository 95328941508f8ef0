import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../test/support/database.ts'
import {
  afterOpening,
  lease,
  OPENED_AT,
  REVIEW_BOX,
  seedApproved,
  seedHold,
  seedOwner,
  transact,
} from '../../test/support/reviews.ts'
import type { Database } from '../db/database.ts'
import { fromId, newId } from '../lib/id.ts'
import { decide } from './decision-store.ts'
import {
  abandonRelease,
  type Claimed,
  claimRelease,
  completeRelease,
  loseRelease,
  pendingReason,
  type ReleaseClaim,
} from './release-store.ts'
import type { Lease, ReleaseResult, ReviewItem, ReviewOwner } from './review.ts'
import { getReview } from './review-store.ts'

const MINUTE = 60_000
const ANSWER: ReleaseResult = {
  kind: 'answer',
  completion: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'mock-model',
    choices: [{ index: 0, message: { role: 'assistant', content: 'the released words' }, finish_reason: 'stop' }],
  },
}

describe.each(testDatabases())('releases on $name', ({ open }) => {
  let database: Database
  let owner: ReviewOwner
  const claim = (item: ReviewItem, when: Date | Lease = OPENED_AT, who = owner): Promise<Claimed | undefined> =>
    claimRelease(database.db, who, item, when instanceof Date ? lease(when) : when, REVIEW_BOX)
  const kindOf = async (...args: Parameters<typeof claim>) => (await claim(...args))?.kind
  const mustClaim = async (item: ReviewItem, when?: Date | Lease): Promise<ReleaseClaim> => {
    const claimed = await claim(item, when)
    if (claimed?.kind !== 'claimed') throw new Error(`not claimed but ${claimed?.kind}`)
    return claimed.claim
  }
  const complete = (
    held: ReleaseClaim,
    result: ReleaseResult = ANSWER,
    now = afterOpening(100),
    releasedAuditId = newId('aud'),
  ) => transact(database.db, (tx) => completeRelease(tx, owner, held, { result, releasedAuditId, now }, REVIEW_BOX))

  beforeAll(async () => {
    database = await open()
    owner = await seedOwner(database.db)
  })
  afterAll(() => database.close())

  test('of 20 resubmissions at once one is claimed, the others wait for it', async () => {
    const item = await seedApproved(database.db, owner)
    const claims = await Promise.all(Array.from({ length: 20 }, () => claim(item)))
    expect(claims.map((claimed) => claimed?.kind).sort()).toEqual([...Array(19).fill('busy'), 'claimed'])
    const winner = claims.find((claimed) => claimed?.kind === 'claimed')
    expect(winner).toMatchObject({ content: { messages: [{ role: 'user', content: 'the sealed words' }] } })
  })

  test('a result is kept sealed, and every resubmission gets it until the item expires', async () => {
    const item = await seedApproved(database.db, owner, { lifetimeMs: MINUTE })
    const releasedAuditId = newId('aud')
    expect(await complete(await mustClaim(item), ANSWER, afterOpening(100), releasedAuditId)).toBe(true)
    for (const ms of [200, 300, MINUTE - 1])
      expect(await claim(item, afterOpening(ms))).toMatchObject({ kind: 'released', result: ANSWER })
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

  test('a release may end in a refusal, or in the hold of its answer, and both are repeated', async () => {
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

  test('what is not approved is not claimed', async () => {
    const pending = await seedHold(database.db, owner, { lifetimeMs: MINUTE })
    expect(await kindOf(pending)).toBe('pending')
    expect(await pendingReason(database.db, owner, pending.id, lease(OPENED_AT))).toEqual({
      kind: 'pending',
      wakeAt: pending.expiresAt,
    })
    const denied = await seedHold(database.db, owner)
    await transact(database.db, (tx) =>
      decide(tx, owner.workspaceId, denied.id, { verdict: 'denied', by: 'op-1', comment: null, now: OPENED_AT }),
    )
    expect(await kindOf(denied)).toBe('denied')
    const late = await seedApproved(database.db, owner, { lifetimeMs: MINUTE })
    expect(await kindOf(late, afterOpening(MINUTE))).toBe('expired')
  })

  test('another request, Application or Workspace does not get it', async () => {
    const item = await seedApproved(database.db, owner)
    const other = await seedOwner(database.db)
    expect(await claim({ ...item, requestHash: Buffer.alloc(32) })).toEqual({ kind: 'mismatch' })
    expect(await claim(item, OPENED_AT, other)).toBeUndefined()
    expect(await claim(item, OPENED_AT, { ...owner, applicationId: other.applicationId })).toBeUndefined()
    expect(await claim({ ...item, id: newId('rev') })).toBeUndefined()
    expect(await claim({ ...item, id: 'rev_%' })).toBeUndefined()
    expect(await kindOf(item)).toBe('claimed')
  })

  test('a held request whose release was interrupted never reaches a provider again', async () => {
    const item = await seedApproved(database.db, owner)
    const dead = await mustClaim(item)
    expect(await kindOf(item, afterOpening(MINUTE - 1))).toBe('busy')
    expect(await pendingReason(database.db, owner, item.id, lease(afterOpening(MINUTE - 1)))).toEqual({
      kind: 'busy',
      wakeAt: afterOpening(MINUTE),
    })
    expect(await pendingReason(database.db, owner, item.id, lease(afterOpening(MINUTE)))).toBeUndefined()
    const later = await Promise.all([MINUTE, 2 * MINUTE, 60 * MINUTE].map((ms) => kindOf(item, afterOpening(ms))))
    expect(later).toEqual(['interrupted', 'interrupted', 'interrupted'])
    expect(dead.startedAt).toEqual(OPENED_AT)
  })

  test('the only process of a database knows at its start that claims from before are dead', async () => {
    const item = await seedApproved(database.db, owner)
    await mustClaim(item)
    expect(await kindOf(item, { ...lease(afterOpening(20)), exclusiveSince: afterOpening(10) })).toBe('interrupted')
  })

  test('an interrupted release of a held answer is repeated, by one caller, and its first claim no longer counts', async () => {
    const item = await seedApproved(database.db, owner, { point: 'output' })
    const dead = await mustClaim(item)
    const again = await Promise.all(Array.from({ length: 20 }, () => claim(item, afterOpening(MINUTE))))
    expect(again.map((claimed) => claimed?.kind).sort()).toEqual([...Array(19).fill('busy'), 'claimed'])
    const winner = again.find((claimed) => claimed?.kind === 'claimed')
    expect(await complete(dead)).toBe(false)
    expect(await abandonRelease(database.db, owner, dead)).toBe(false)
    expect(winner && (await complete(winner.claim, ANSWER, afterOpening(MINUTE + 1)))).toBe(true)
  })

  test('a release that its caller gave back can be tried again, by one at a time', async () => {
    const item = await seedApproved(database.db, owner)
    const first = await mustClaim(item)
    expect(await abandonRelease(database.db, owner, first)).toBe(true)
    expect(await complete(first)).toBe(false)
    const second = await mustClaim(item, afterOpening(5))
    expect(await kindOf(item, afterOpening(6))).toBe('busy')
    expect(await complete(second)).toBe(true)
    expect(await abandonRelease(database.db, owner, second)).toBe(false)
  })

  test('a release whose result was lost is interrupted at once, its answer free at once where it was there before', async () => {
    const asked = await seedApproved(database.db, owner)
    expect(await loseRelease(database.db, owner, await mustClaim(asked))).toBe(true)
    expect(await kindOf(asked, afterOpening(1))).toBe('interrupted')
    const answered = await seedApproved(database.db, owner, { point: 'output' })
    const lost = await mustClaim(answered)
    expect(await loseRelease(database.db, owner, lost)).toBe(true)
    expect(await kindOf(answered, afterOpening(1))).toBe('claimed')
    expect(await loseRelease(database.db, owner, lost)).toBe(false)
  })

  test('a release that outlives its item is recorded and leaves nothing behind', async () => {
    const item = await seedApproved(database.db, owner, { lifetimeMs: MINUTE })
    const held = await mustClaim(item, afterOpening(MINUTE - 10))
    expect(await complete(held, ANSWER, afterOpening(MINUTE + 10))).toBe(true)
    expect((await getReview(database.db, owner.workspaceId, item.id, afterOpening(MINUTE + 20)))?.state).toBe('released')
    expect(await kindOf(item, afterOpening(MINUTE + 20))).toBe('expired')
    const { rows } = await database.pool.query('select result from review_item where id = $1', [fromId('rev', item.id)])
    expect(rows).toEqual([{ result: null }])
  })

  test('a claim inside a transaction is refused: it could be rolled back after the provider was called', async () => {
    const item = await seedApproved(database.db, owner)
    await expect(transact(database.db, (tx) => claimRelease(tx, owner, item, lease(OPENED_AT), REVIEW_BOX))).rejects.toThrow(
      'outside',
    )
    expect(await kindOf(item)).toBe('claimed')
  })
})
