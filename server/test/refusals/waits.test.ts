import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { contentOf, expectError, expectSuccess } from '../support/gateway-client.ts'
import { type HeldPrompt, startGoverned } from '../support/governed.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { word } from '../support/scripted-provider.ts'

const clock = adjustableClock()
const governed = await closeAfterAll(startGoverned({}, { clock }))

const WAIT = { wait_for_approval_seconds: 30 }
const pending = async (): Promise<string[]> => {
  const { body } = await governed.admin('GET', '/reviews?state=pending&kind=hold&limit=100')
  return body.data.map(({ id }) => String(id))
}
const awaitWaiters = (count: number) =>
  vi.waitFor(() => expect(governed.server.context.waiters.size).toBe(count), { timeout: 20_000, interval: 20 })

/** A new Application, a hold of it, and a resubmission that waits for the decision. */
async function startWaiting(point: 'input' | 'output', governance: object = {}) {
  const application = await governed.application()
  const { token } = application
  const held = await (point === 'input'
    ? governed.holdPrompt('juniper-hold', { options: { token } })
    : governed.holdCompletion({ options: { token } }))
  const pendingResponse = governed.resubmit(held, { ...WAIT, ...governance }, {}, { token })
  await awaitWaiters(1)
  return { application, held, answer: pendingResponse }
}
const stateOf = async ({ id }: Pick<HeldPrompt, 'id'>) => (await governed.admin('GET', `/reviews/${id}`)).body.state
/** Revocations and changes reach every node within a second. */
const awaitPropagation = () => sleep(1_000)

describe.each(['input', 'output'] as const)('waiting resubmission (%s): refused', (point) => {
  const calls = point === 'input' ? 0 : 1

  test('403 when a policy published during the wait denies', async () => {
    const { held, answer } = await startWaiting(point)
    const when = `content.text.contains("${point === 'input' ? held.word : held.answer}")`
    await governed.publish([...MARKER_RULES, { id: 'now-forbidden', at: [point], when, verdict: 'deny' }])
    await governed.decide(held.id, 'approve')
    const error = expectError(await answer, 'POLICY_DENIED')
    expect(error.details).toMatchObject({ rules: ['now-forbidden'] })
    expect(governed.countProviderCalls(held)).toBe(calls)
    await governed.publish(MARKER_RULES)
  })
  test('401 when the key is revoked during the wait, and the hold stays approved', async () => {
    const { application, held, answer } = await startWaiting(point)
    const { data } = expectSuccess(await governed.admin('GET', `/applications/${application.id}/keys`))
    expectSuccess(await governed.admin('POST', `/keys/${data[0]?.id}/revoke`))
    await awaitPropagation()
    await governed.decide(held.id, 'approve')
    const response = await answer
    const { audit_id } = expectError(response, 'AUTH_KEY_REVOKED')
    expect(response.text).not.toContain(held.answer)
    expect(governed.countProviderCalls(held)).toBe(calls)
    expect(await stateOf(held)).toBe('approved')
    const record = expectSuccess(await governed.admin('GET', `/audit/${audit_id}`))
    expect(record).toMatchObject({ status: 401, error_code: 'AUTH_KEY_REVOKED', application_id: application.id })
  })
})

describe('waiting resubmission', () => {
  test('422 when the model is withdrawn during the wait', async () => {
    const { application, held, answer } = await startWaiting('input')
    await governed.change(application.id, { models: ['demo-mini'] })
    await awaitPropagation()
    await governed.decide(held.id, 'approve')
    expectError(await answer, 'NO_ELIGIBLE_PROVIDER')
    expectError((await governed.sendPrompt('', { options: { token: application.token } })).response, 'NO_ELIGIBLE_PROVIDER')
    expect(governed.countProviderCalls(held)).toBe(0)
  })
  test('released on approval with one provider call and one audit record, and counted once against the limits [GW-REV-5]', async () => {
    const { application, held, answer } = await startWaiting('input')
    await governed.change(application.id, { limits: { requests_per_minute: 1, burst: 1 } })
    await awaitPropagation()
    const others = [1, 2].map(() => governed.chat('Good morning', {}, { token: application.token }))
    expect((await Promise.all(others)).map(({ status }) => status).sort()).toEqual([200, 429])
    await governed.decide(held.id, 'approve')
    const response = await answer
    expect(contentOf(response)).toBe(held.answer)
    expect(response.headers.get('ratelimit')).not.toBeNull()
    expect(governed.countProviderCalls(held)).toBe(1)
    const { data } = expectSuccess(await governed.admin('GET', `/audit?application_id=${application.id}&limit=100`))
    expect(data.map(({ status }) => status).sort()).toEqual([200, 200, 409])
  })
  test('410 when the hold expires during the wait [GW-REV-7]', async () => {
    const held = await governed.holdPrompt('juniper-brief')
    clock.advance(29_500)
    expectError(await governed.resubmit(held, WAIT), 'REVIEW_HOLD_EXPIRED')
  })
  test('ends when the client disconnects, and the hold stays approved', async () => {
    const held = await governed.holdPrompt()
    const caller = new AbortController()
    const pendingResponse = governed.resubmit(held, WAIT, {}, { signal: caller.signal })
    await awaitWaiters(1)
    caller.abort()
    await expect(pendingResponse).rejects.toThrow()
    await awaitWaiters(0)
    await governed.decide(held.id, 'approve')
    expect(await stateOf(held)).toBe('approved')
    expect(governed.countProviderCalls(held)).toBe(0)
  })
})

describe('approved request whose completion is held', () => {
  const heldCompletion = () => `sorrel-hold ${word()} ${word()}`

  test('waits for the second decision in the remaining time', async () => {
    const held = await governed.holdPrompt('juniper-hold', { answer: heldCompletion() })
    const before = new Set(await pending())
    const response = governed.resubmit(held, WAIT)
    await awaitWaiters(1)
    await governed.decide(held.id, 'approve')
    const successor = await vi.waitFor(async () => {
      const [id] = (await pending()).filter((candidate) => !before.has(candidate))
      return id ?? expect.fail('no successor yet')
    }, 20_000)
    await governed.decide(successor, 'approve')
    expect(contentOf(await response)).toBe(held.answer)
    expect(governed.countProviderCalls(held)).toBe(1)
  })
  test('409 with the second hold when the total wait is over', async () => {
    const held = await governed.holdPrompt('juniper-hold', { answer: heldCompletion() })
    const startedAt = performance.now()
    const response = governed.resubmit(held, { wait_for_approval_seconds: 20 })
    await sleep(8_000)
    await governed.decide(held.id, 'approve')
    const decidedAt = performance.now()
    expect(expectError(await response, 'POLICY_REVIEW_PENDING').review_item_id).not.toBe(held.id)
    expect(performance.now() - startedAt).toBeGreaterThan(19_950)
    // A new wait would take 20 seconds from here.
    expect(performance.now() - decidedAt).toBeLessThan(19_000)
  })
})
