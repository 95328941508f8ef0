import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { contentOf, expectError, expectSuccess, type ResponseBody } from '../../support/gateway-client.ts'
import { word } from '../../support/scripted-provider.ts'
import { clock, governed } from '../shared-server.ts'
import { listPendingReviews } from './pending-reviews.ts'

const item = async (id: string): Promise<ResponseBody> => expectSuccess(await governed.admin('GET', `/reviews/${id}`))

describe('reviews', () => {
  test('input hold: the release calls the provider and the output policies once [GW-REV-1, GW-REV-2]', async () => {
    const held = await governed.holdPrompt('juniper-hold', { answer: 'sorrel-deny' })
    await governed.decide(held.id, 'approve')
    expect(governed.countProviderCalls(held)).toBe(0)
    expectError(await governed.resubmit(held), 'POLICY_DENIED')
    expectError(await governed.resubmit(held), 'POLICY_DENIED')
    expect(governed.countProviderCalls(held)).toBe(1)
  })
  test('input hold: continues with an output hold when the completion is held', async () => {
    const held = await governed.holdPrompt('juniper-hold', { answer: `sorrel-hold ${word()}` })
    await governed.decide(held.id, 'approve')
    const second = expectError(await governed.resubmit(held), 'POLICY_REVIEW_PENDING').review_item_id
    expect(second).not.toBe(held.id)
    expect((await item(held.id)).successor_id).toBe(second)
    await governed.decide(second, 'approve')
    for (const id of [held.id, second]) expect(contentOf(await governed.resubmit({ ...held, id }))).toBe(held.answer)
    expect(governed.countProviderCalls(held)).toBe(1)
  })
  test.each([false, true])('states: pending or approved → expired (approved: %j) [GW-REV-3, GW-REV-7]', async (approved) => {
    const held = await governed.holdPrompt('juniper-brief')
    if (approved) await governed.decide(held.id, 'approve')
    clock.advance(31_000)
    expect((await item(held.id)).state).toBe('expired')
  })
  test('review item: has every field [GW-REV-9]', async () => {
    const more = { governance: { user: { id: 'mara' }, session_id: 'afternoon' } }
    const held = await governed.holdPrompt('juniper-hold mara.lind@example.org', { more })
    await governed.decide(held.id, 'approve', 'looks fine')
    expect(await item(held.id)).toMatchObject({
      id: held.id,
      state: 'approved',
      application_id: governed.demo.applications[0]?.id,
      user_id: 'mara',
      session_id: 'afternoon',
      point: 'input',
      rules: [{ id: 'juniper-hold', point: 'input', verdict: 'require_approval' }],
      risk_level: 'medium',
      findings: expect.objectContaining({ 'pii.email': 1 }),
      request_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      policy: { id: expect.stringMatching(/^pol_/), version: expect.any(Number), sha256: expect.any(String) },
      created_at: expect.any(String),
      expires_at: expect.any(String),
      decided_by: expect.any(String),
      decided_at: expect.any(String),
      comment: 'looks fine',
    })
  })
  test('lifetime: 24 h by default, per rule hold_expires_in [GW-REV-15, GW-POL-13]', async () => {
    const lifetime = async (mark: string) => {
      const { created_at, expires_at } = await item((await governed.holdPrompt(mark)).id)
      return Date.parse(String(expires_at)) - Date.parse(String(created_at))
    }
    expect(await lifetime('juniper-hold')).toBe(24 * 3_600_000)
    expect(await lifetime('juniper-brief')).toBe(30_000)
  })
  test('binding: stream and the wait may differ in the resubmission [GW-REV-11]', async () => {
    const held = await governed.holdPrompt('juniper-hold', { more: { stream: true, stream_options: { include_usage: true } } })
    await governed.decide(held.id, 'approve')
    expect(contentOf(await governed.resubmit(held, { wait_for_approval_seconds: 3 }))).toBe(held.answer)
  })
  test('wait_for_approval_seconds without an item: the first request waits and then gets 409 [GW-REV-8]', async () => {
    const startedAt = performance.now()
    await governed.holdPrompt('juniper-hold', { more: { governance: { wait_for_approval_seconds: 1 } } })
    expect(performance.now() - startedAt).toBeGreaterThan(950)
  })
  test.each([
    ['approve', 'input'],
    ['approve', 'output'],
    ['deny', 'input'],
  ] as const)('wait_for_approval_seconds without an item: ends with the decision %s (%s)', async (verb, point) => {
    const completion = `${point === 'output' ? 'sorrel-hold' : 'fine'} ${word()}`
    const more = { governance: { wait_for_approval_seconds: 30 } }
    const before = new Set(await pending())
    const waiting = governed.sendPrompt(point === 'input' ? 'juniper-hold' : '', { answer: completion, more })
    // Earlier holds may expire meanwhile, so their number says nothing.
    const id = await vi.waitFor(
      async () => (await pending()).find((candidate) => !before.has(candidate)) ?? expect.fail('no hold yet'),
      20_000,
    )
    await governed.decide(id, verb)
    const sentPrompt = await waiting
    if (verb === 'approve') expect(contentOf(sentPrompt.response)).toBe(completion)
    else expectError(sentPrompt.response, 'POLICY_REVIEW_DENIED')
    expect(governed.countProviderCalls(sentPrompt)).toBe(verb === 'approve' ? 1 : 0)
  })
  test('wait: all requests that wait for one item cost one query a second, and get the same response from one provider call [GW-REV-13, GW-REV-16]', async () => {
    const held = await governed.holdPrompt()
    const waiting = Array.from({ length: 12 }, () => governed.resubmit(held, { wait_for_approval_seconds: 60 }))
    const { pool } = governed.server.context.database
    let queries = 0
    const count = () => void queries++
    pool.on('acquire', count)
    // Work that earlier requests left behind ends soon, polling of each request would not.
    await vi.waitFor(async () => {
      queries = 0
      await sleep(1_200)
      expect(queries).toBeLessThanOrEqual(2)
    }, 30_000)
    pool.off('acquire', count)
    await governed.decide(held.id, 'approve')
    for (const response of await Promise.all(waiting)) expect(contentOf(response)).toBe(held.answer)
    expect(governed.countProviderCalls(held)).toBe(1)
  })
})

const pending = async () => (await listPendingReviews()).map(({ id }) => String(id))
