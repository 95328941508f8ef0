import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { countWaitingFor } from '../../../test/support/lock-waits.ts'
import {
  afterOpening,
  newReview,
  OPENED_AT,
  openReviews,
  REVIEW_BOX,
  seedOwner,
  transact,
} from '../../../test/support/reviews.ts'
import { reviewView } from '../../api/admin/reviews/review-shapes.ts'
import { fromId, newId } from '../../platform/lib/id.ts'
import { secretBox } from '../../platform/lib/secret-box.ts'
import { acknowledgeEscalation, decideHold } from './decision-store.ts'
import { pendingReason, type ReleaseClaim } from './release-store.ts'
import type { ReviewOwner } from './review.ts'
import { listReviews } from './review-list.ts'
import type { ReviewItem } from './review-row.ts'
import { eraseExpiredReviews, findPendingHold, openHold } from './review-store.ts'

const DAY = 86_400_000

/** The job erases in the whole table, so these tests use a time before that of other tests. */
const ERASED_AT = new Date('2090-01-01T00:00:00Z').getTime()
const at = (ms: number): Date => new Date(ERASED_AT + ms)
const SECOND = 1_000
const DUE = { createdAt: at(0), lifetimeMs: SECOND }

describe.each(testDatabases())('on $name', async ({ open, name }) => {
  const reviews = await openReviews(open)
  const { database, db, owner } = reviews
  const openTwenty = (change: () => Parameters<typeof newReview>[0]) =>
    Promise.all(Array.from({ length: 20 }, () => transact(db, (tx) => openHold(tx, owner, newReview(change()), REVIEW_BOX))))

  // The embedded database runs one transaction at a time.
  test.runIf(name === 'postgresql')(
    'decision: an approval counts as the first when a request raises the number meanwhile',
    async () => {
      const hold = newReview()
      await reviews.hold(hold)
      const holder = await database.pool.connect()
      await holder.query('begin')
      await holder.query('update review_item set required_approvals = 2 where id = $1', [fromId('rev', hold.id)])
      const decided = reviews.decide(hold.id)
      await expect.poll(() => countWaitingFor(database.pool, holder)).toBe(1)
      await holder.query('commit')
      holder.release()
      expect(await decided).toMatchObject({ kind: 'decided', item: { state: 'pending', requiredApprovals: 2 } })
    },
  )

  test('review store: hold has all fields when a reviewer reads it [GW-REV-9]', async () => {
    const review = newReview({ sessionId: 's-1', lifetimeMs: 4 * 3_600_000 })
    const { id } = await reviews.hold(review)
    const item = await reviews.find(id, OPENED_AT)
    expect(item && reviewView(item)).toEqual({
      id: review.id,
      object: 'review_item',
      kind: 'hold',
      state: 'pending',
      workspace_id: owner.workspaceId,
      application_id: owner.applicationId,
      user_id: 'u-requester',
      session_id: 's-1',
      endpoint: 'chat',
      point: 'input',
      rules: [{ id: 'ask-first', point: 'input', verdict: 'require_approval' }],
      classification: 'confidential',
      risk_level: 'medium',
      findings: { 'pii.email': 1, pii: 1 },
      request_hash: review.requestHash.toString('hex'),
      policy: review.policy,
      model: 'mock-model',
      created_at: '2096-03-02T09:00:00.000Z',
      expires_at: '2096-03-02T13:00:00.000Z',
      decided_by: null,
      decided_at: null,
      comment: null,
      audit_id: review.auditId,
      released_at: null,
      released_audit_id: null,
      successor_id: null,
      message_id: null,
      key_id: review.keyId ?? null,
      key_issuers: review.keyIssuers ?? [],
      assigned_to: null,
      assigned_for: null,
      required_approvals: 1,
      approvals: [],
      question: null,
      asked_by: null,
      asked_at: null,
    })
    expect(await reviews.read(id, OPENED_AT)).toEqual(review.content)
  })

  test('review store: content is in no column, as text or as bytes, when it is sealed', async () => {
    const words = 'quietly crossing harbours'
    const { id } = await reviews.hold({
      content: { messages: [{ role: 'user', content: words }], vault: { a: words } },
    })
    const row = await reviews.rowText(id)
    for (const word of [...words.split(' '), 'messages', 'vault']) {
      expect(row).not.toContain(word)
      expect(row).not.toContain(Buffer.from(word).toString('hex'))
    }
    const otherBox = secretBox(Buffer.alloc(32, 9), 'review')
    await expect(reviews.read(id, OPENED_AT, owner, otherBox)).rejects.toThrow()
  })

  test('review store: sealed content cannot be read when it is copied to another item', async () => {
    const [item, other] = [await reviews.hold(), await reviews.hold()]
    await sql`update review_item set content = (select content from review_item where id = ${fromId('rev', other.id)})
      where id = ${fromId('rev', item.id)}`.execute(db)
    await expect(reviews.read(item.id, OPENED_AT)).rejects.toThrow()
  })

  test('review store: one hold is opened when 20 identical requests come at the same time', async () => {
    const { requestHash } = newReview()
    const opened = await openTwenty(() => ({ requestHash }))
    expect(opened.filter(({ created }) => created)).toHaveLength(1)
    expect(new Set(opened.map(({ item }) => item.id)).size).toBe(1)
  })

  test('review store: 20 holds are opened when 20 different requests come at the same time', async () => {
    const opened = await openTwenty(() => ({}))
    expect(opened.every(({ created }) => created)).toBe(true)
  })

  test('review store: identical request finds the hold of any point until it is decided or expired', async () => {
    const { requestHash } = newReview()
    const { id } = await reviews.hold({ requestHash, point: 'output', lifetimeMs: 1_000 })
    const find = (now: Date, point?: 'input' | 'output') =>
      findPendingHold(db, owner, requestHash, now, point).then((item) => item?.id)
    expect(
      await Promise.all([find(afterOpening(999)), find(afterOpening(999), 'output'), find(afterOpening(999), 'input')]),
    ).toEqual([id, id, undefined])
    expect(await find(afterOpening(1_000))).toBeUndefined()
    const next = await reviews.hold({ requestHash, createdAt: afterOpening(1_000) })
    expect(next.id).not.toBe(id)
    await reviews.decide(next.id, { verdict: 'denied', now: afterOpening(1_100) })
    expect(await find(afterOpening(1_200))).toBeUndefined()
  })

  test('review store: resubmission finds no hold when the id is foreign, unknown, malformed or of an escalation', async () => {
    const other = await seedOwner(db)
    const { id } = await reviews.hold()
    const escalation = await reviews.escalation()
    const find = (from: ReviewOwner, itemId: string) => pendingReason(db, from, itemId, { now: OPENED_AT, leaseMs: 60_000 })
    expect((await find(owner, id))?.kind).toBe('pending')
    expect(await find({ ...owner, applicationId: other.applicationId }, id)).toBeUndefined()
    expect(await find(other, id)).toBeUndefined()
    for (const unknown of [newId('rev'), 'rev_', '', "rev_'; --", `rev_${'0'.repeat(26)}`]) {
      expect(await find(owner, unknown)).toBeUndefined()
    }
    expect(await find(owner, escalation.id)).toBeUndefined()
    expect(await reviews.find(id, OPENED_AT, other)).toBeUndefined()
    expect(await reviews.read(id, OPENED_AT, other)).toBeUndefined()
  })

  test('review store: escalation is acknowledged once and cannot be approved', async () => {
    const review = newReview({ rules: [{ id: 'look', point: 'output', verdict: 'escalate' }], point: 'output' })
    const { id, state, kind } = await reviews.escalation(review)
    expect([kind, state]).toEqual(['escalation', 'pending'])
    expect(await findPendingHold(db, owner, review.requestHash, OPENED_AT)).toBeUndefined()
    const acknowledge = () =>
      transact(db, (tx) =>
        acknowledgeEscalation(tx, owner.workspaceId, id, { by: 'op-1', comment: 'read', now: afterOpening(5) }),
      )
    expect(await reviews.decide(id, { now: afterOpening(5) })).toMatchObject({ kind: 'conflict' })
    expect(await acknowledge()).toMatchObject({ kind: 'decided' })
    expect(await acknowledge()).toMatchObject({ kind: 'conflict' })
    const later = await reviews.find(id, afterOpening(9 * DAY))
    expect(later).toMatchObject({ state: 'acknowledged', decidedBy: 'op-1', comment: 'read' })
  })

  const decideLater: typeof reviews.decide = (id, change, from) => reviews.decide(id, { now: afterOpening(10), ...change }, from)

  test('decision: 19 get a conflict with the decided item when 20 reviewers decide at the same time', async () => {
    const { id } = await reviews.hold()
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => decideLater(id, { by: `op-${i}`, verdict: i % 2 ? 'approved' : 'denied' })),
    )
    const [decided, ...more] = results.filter(({ kind }) => kind === 'decided')
    expect(more).toEqual([])
    const decidedItem = decided && 'item' in decided ? decided.item : undefined
    const conflicts = results.filter((result) => result.kind === 'conflict')
    expect(conflicts).toHaveLength(19)
    for (const conflict of conflicts) expect(conflict).toEqual({ kind: 'conflict', item: decidedItem })
    expect(await reviews.find(id, afterOpening(20))).toEqual(decidedItem)
  })

  test('decision: own_request when the reviewer is the user of the request, decided or not', async () => {
    const { id } = await reviews.hold({ userId: 'op-1' })
    expect(await decideLater(id)).toEqual({ kind: 'own_request' })
    expect((await reviews.find(id, afterOpening(20)))?.state).toBe('pending')
    expect(await decideLater(id, { by: 'op-2' })).toMatchObject({ kind: 'decided' })
    expect(await decideLater(id, { verdict: 'denied' })).toEqual({ kind: 'own_request' })
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

  describe('erase expired reviews', () => {
    beforeEach(() => eraseExpiredReviews(db, at(SECOND), 10_000))

    const erase = (limit = 10_000, now = at(SECOND)) => eraseExpiredReviews(db, now, limit)
    const stored = ({ id }: ReviewItem) =>
      db
        .selectFrom('review_item')
        .select(['content', 'result', 'state'])
        .where('id', '=', fromId('rev', id) ?? '')
        .executeTakeFirst()
    const complete = (claim: ReleaseClaim, now: Date) => reviews.complete(claim, { kind: 'refusal', code: 'POLICY_DENIED' }, now)

    test('only expired items are erased, at most the limit at once', async () => {
      const due = [await reviews.hold(DUE), await reviews.approved(DUE)]
      const live = await reviews.hold({ createdAt: at(1) })
      expect([await erase(1), await erase(1), await erase(1)]).toEqual([1, 1, 0])
      for (const item of due) expect(await stored(item)).toEqual({ content: null, result: null, state: 'expired' })
      expect(await reviews.read(live.id, at(SECOND))).toBeDefined()
    })

    test('item is erased at expiresAt, not before', async () => {
      const item = await reviews.hold(DUE)
      await erase(10, at(SECOND - 1))
      expect((await stored(item))?.content).not.toBeNull()
      await erase(10, at(SECOND))
      expect((await stored(item))?.content).toBeNull()
    })

    test('reviewers and resubmissions see no difference', async () => {
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

    test('result is erased and the state stays when the item was released', async () => {
      const item = await reviews.approved(DUE)
      await complete(await reviews.mustClaim(item, at(10)), at(20))
      expect((await stored(item))?.result).not.toBeNull()
      await erase()
      expect(await stored(item)).toEqual({ content: null, result: null, state: 'released' })
    })

    test('a release in progress can be completed', async () => {
      const item = await reviews.approved(DUE)
      const claim = await reviews.mustClaim(item, at(SECOND - 10))
      await erase()
      expect(await complete(claim, at(SECOND + 10))).toBe(true)
      expect(await stored(item)).toEqual({ content: null, result: null, state: 'released' })
    })

    test('each item is erased once when several nodes run the job', async () => {
      for (let i = 0; i < 12; i++) await reviews.hold(DUE)
      const erased = await Promise.all([erase(20), erase(20), erase(20)])
      expect(erased.reduce((sum, count) => sum + count, 0)).toBe(12)
    })
  })
})
