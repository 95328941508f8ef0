import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { countWaitingFor } from '../../../test/support/lock-waits.ts'
import {
  afterOpening,
  newReview,
  OPENED_AT,
  openReviews,
  REVIEW_BOX,
  seedHold,
  seedOwner,
  transact,
} from '../../../test/support/reviews.ts'
import { reviewView } from '../../api/admin/reviews/review-shapes.ts'
import { fromId, newId } from '../../platform/lib/id.ts'
import { secretBox } from '../../platform/lib/secret-box.ts'
import { acknowledgeEscalation } from './decision-store.ts'
import { pendingReason } from './release-store.ts'
import type { ReviewOwner } from './review.ts'
import { findPendingHold, openHold } from './review-store.ts'

const DAY = 86_400_000

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
    })
    expect(await reviews.read(id, OPENED_AT)).toEqual(review.content)
  })

  test('review store: hold lasts 24 h when no lifetime is given', async () => {
    const { expiresAt } = await reviews.hold()
    expect(expiresAt.getTime() - OPENED_AT.getTime()).toBe(DAY)
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

  test('review store: another hold is opened when another Application sends the same request', async () => {
    const { requestHash } = newReview()
    const other = await seedOwner(db)
    const hold = await reviews.hold({ requestHash })
    const otherHold = await seedHold(db, other, { requestHash })
    expect(otherHold.id).not.toBe(hold.id)
    expect(await findPendingHold(db, { ...owner, applicationId: other.applicationId }, requestHash, OPENED_AT)).toBeUndefined()
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

  test('review store: item is expired after its lifetime when no job has marked it', async () => {
    const pending = await reviews.hold({ lifetimeMs: 2_000 })
    const approved = await reviews.approved({ lifetimeMs: 2_000 })
    const states = async (now: Date) =>
      Promise.all([pending.id, approved.id].map(async (id) => (await reviews.find(id, now))?.state))
    expect(await states(afterOpening(1_999))).toEqual(['pending', 'approved'])
    expect(await states(afterOpening(2_000))).toEqual(['expired', 'expired'])
    expect(await reviews.read(pending.id, afterOpening(2_000))).toBeUndefined()
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
    expect(await reviews.find(id, afterOpening(9 * DAY))).toMatchObject({
      state: 'acknowledged',
      decidedBy: 'op-1',
      comment: 'read',
    })
  })
})
