import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { contentOf, expectError } from '../../support/gateway-client.ts'
import type { HeldPrompt } from '../../support/governed.ts'
import { word } from '../../support/scripted-provider.ts'
import { clock, governed } from '../shared-server.ts'
import { listPendingReviews } from './pending-reviews.ts'

const AUDIT_ID = /^aud_[0-9a-z]{26}$/
const REVIEW_ID = /^rev_[0-9a-z]{26}$/

describe('verdicts on a chat', () => {
  test('verdict deny at input → 403 POLICY_DENIED with audit_id and rules, no provider called [GW-VERD-2, API-ERR-6]', async () => {
    const sentPrompt = await governed.sendPrompt('juniper-deny')
    expect(expectError(sentPrompt.response, 'POLICY_DENIED')).toMatchObject({
      audit_id: expect.stringMatching(AUDIT_ID),
      type: 'permission_error',
      details: { rules: ['juniper-deny'], point: 'input' },
    })
    expect(governed.countProviderCalls(sentPrompt)).toBe(0)
  })
  test('verdict deny at input → for every message of the request [GW-PIPE-9]', async () => {
    const at = (index: number) =>
      Array.from({ length: 4 }, (_, i) => ({
        role: i % 2 ? 'assistant' : 'user',
        content: i === index ? 'juniper-deny' : 'go on',
      }))
    for (const index of [0, 1, 2, 3]) expectError(await governed.chat(at(index)), 'POLICY_DENIED')
  })
  test('verdict deny at output → 403 POLICY_DENIED with audit_id and without the completion [GW-VERD-2]', async () => {
    const secret = word()
    const sentPrompt = await governed.sendPrompt('', { answer: `sorrel-deny ${secret}` })
    expect(expectError(sentPrompt.response, 'POLICY_DENIED').audit_id).toMatch(AUDIT_ID)
    expect(sentPrompt.response.text).not.toContain(secret)
    expect(governed.countProviderCalls(sentPrompt)).toBe(1)
  })

  test.each([
    ['input', 'juniper-escalate', undefined],
    ['output', '', 'sorrel-escalate, and more'],
  ])(
    'verdict escalate at %s → 200 completion returned inline, and an escalation for reviewers [GW-VERD-3]',
    async (point, mark, answer) => {
      const sentPrompt = await governed.sendPrompt(mark, answer === undefined ? {} : { answer })
      expect(contentOf(sentPrompt.response)).toBe(sentPrompt.answer)
      const { governance } = sentPrompt.response.body
      expect(governance.decision.verdict).toBe('escalate')
      expect(await listPendingReviews()).toContainEqual(
        expect.objectContaining({ kind: 'escalation', point, audit_id: governance.audit_id, state: 'pending' }),
      )
    },
  )

  test('verdict require_approval at input → 409 POLICY_REVIEW_PENDING with review_item_id; a review item and hold are created [GW-VERD-4, API-ERR-8]', async () => {
    const held = await governed.holdPrompt()
    expect(held.id).toMatch(REVIEW_ID)
    const { audit_id, type } = held.response.body.error
    expect({ audit_id, type }).toEqual({ audit_id: expect.stringMatching(AUDIT_ID), type: 'conflict_error' })
    expect(governed.countProviderCalls(held)).toBe(0)
    expect(await listPendingReviews()).toContainEqual(
      expect.objectContaining({ id: held.id, kind: 'hold', point: 'input', state: 'pending' }),
    )
  })
  test('verdict require_approval at output → 409 POLICY_REVIEW_PENDING with review_item_id and without the completion [GW-VERD-4]', async () => {
    const held = await governed.holdCompletion()
    expect(held.response.text).not.toContain(held.answer)
    expect(await listPendingReviews()).toContainEqual(expect.objectContaining({ id: held.id, kind: 'hold', point: 'output' }))
  })

  describe.each([
    ['input', (mark?: string) => governed.holdPrompt(mark)],
    ['output', (mark?: string) => governed.holdCompletion(mark === undefined ? {} : { answer: `sorrel-brief ${word()}` })],
  ] as const)('held at %s, chat completion with governance.review_item_id', (point, hold) => {
    test('review approved → 200 with the released result, the provider called once [GW-REV-1, GW-REV-4, GW-REV-13]', async () => {
      const held = await hold()
      await governed.decide(held.id, 'approve')
      const response = await governed.resubmit(held)
      expect(contentOf(response)).toBe(held.answer)
      expect(response.body.governance.audit_id).toMatch(AUDIT_ID)
      expect(governed.countProviderCalls(held)).toBe(1)
    })
    test('undecided → 409 POLICY_REVIEW_PENDING again, the same item [GW-RETRY-2]', async () => {
      const held = await hold()
      expect(expectError(await governed.resubmit(held), 'POLICY_REVIEW_PENDING').review_item_id).toBe(held.id)
    })
    test('review denied → 403 POLICY_REVIEW_DENIED with audit_id [GW-REV-6, API-ERR-6]', async () => {
      const held = await hold()
      await governed.decide(held.id, 'deny')
      expect(expectError(await governed.resubmit(held), 'POLICY_REVIEW_DENIED').audit_id).toMatch(AUDIT_ID)
      expect(governed.countProviderCalls(held)).toBe(point === 'input' ? 0 : 1)
    })
    test('hold expired → 410 REVIEW_HOLD_EXPIRED [GW-REV-7, API-ERR-9]', async () => {
      const held = await hold('juniper-brief')
      clock.advance(31_000)
      expectError(await governed.resubmit(held), 'REVIEW_HOLD_EXPIRED')
    })
    test('and wait_for_approval_seconds: approval arrives within the wait → 200 with the released result [GW-REV-5]', async () => {
      const held = await hold()
      const [response, ms] = await decideDuringWait(held, 'approve')
      expect(contentOf(response)).toBe(held.answer)
      // Without the signal, the wait would end after 30 s.
      expect(ms).toBeLessThan(20_000)
      expect(governed.countProviderCalls(held)).toBe(1)
    })
    test('and wait_for_approval_seconds: denial arrives within the wait → 403 POLICY_REVIEW_DENIED', async () => {
      const held = await hold()
      const [response] = await decideDuringWait(held, 'deny')
      expectError(response, 'POLICY_REVIEW_DENIED')
    })
    test('and wait_for_approval_seconds: no approval within the wait → 409 POLICY_REVIEW_PENDING again [GW-REV-5, GW-RETRY-2]', async () => {
      const held = await hold()
      const startedAt = performance.now()
      const response = await governed.resubmit(held, { wait_for_approval_seconds: 1 })
      expect(expectError(response, 'POLICY_REVIEW_PENDING').review_item_id).toBe(held.id)
      expect(performance.now() - startedAt).toBeGreaterThan(950)
    })
  })
})

/** Resubmits with a wait and decides meanwhile; returns the response and its duration in milliseconds. */
async function decideDuringWait(held: HeldPrompt, verb: 'approve' | 'deny') {
  const startedAt = performance.now()
  const waiting = governed.resubmit(held, { wait_for_approval_seconds: 30 })
  await sleep(100)
  await governed.decide(held.id, verb)
  return [await waiting, performance.now() - startedAt] as const
}
