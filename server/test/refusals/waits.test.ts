import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { accepted, contentOf, refused } from '../support/gateway-client.ts'
import { type Governed, type HeldPrompt, startGoverned } from '../support/governed.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { word } from '../support/scripted-provider.ts'

const clock = adjustableClock()
let governed: Governed
beforeAll(async () => {
  governed = await startGoverned({}, { clock })
})
afterAll(() => governed.close())

const WAIT = { wait_for_approval_seconds: 30 }
const pending = async (): Promise<string[]> => {
  const { body } = await governed.admin('GET', '/reviews?state=pending&kind=hold&limit=100')
  return body.data.map(({ id }) => String(id))
}
const waitingNow = (count: number) =>
  vi.waitFor(() => expect(governed.server.context.waiters.size).toBe(count), { timeout: 5_000, interval: 20 })

/** An Application of its own, a hold of it, and the resubmission that waits for it. */
async function waiting(point: 'input' | 'output', governance: object = {}) {
  const application = await governed.application()
  const { token } = application
  const held = await (point === 'input'
    ? governed.holdPrompt('juniper-hold', { options: { token } })
    : governed.holdCompletion({ options: { token } }))
  const answer = governed.resubmit(held, { ...WAIT, ...governance }, {}, { token })
  await waitingNow(1)
  return { application, held, answer }
}
const stateOf = async ({ id }: Pick<HeldPrompt, 'id'>) => (await governed.admin('GET', `/reviews/${id}`)).body.state
/** Revocations and changes reach every node within a second. */
const reached = () => sleep(1_000)

describe.each(['input', 'output'] as const)('a resubmission that waits (%s) is not released', (point) => {
  const calls = point === 'input' ? 0 : 1

  test('by a policy of before the wait: a deny published meanwhile denies', async () => {
    const { held, answer } = await waiting(point)
    const when = `content.text.contains("${point === 'input' ? held.word : held.answer}")`
    await governed.publish([...MARKER_RULES, { id: 'now-forbidden', at: [point], when, verdict: 'deny' }])
    await governed.decide(held.id, 'approve')
    const error = refused(await answer, 'POLICY_DENIED')
    expect(error.details).toMatchObject({ rules: ['now-forbidden'] })
    expect(governed.countProviderCalls(held)).toBe(calls)
    await governed.publish(MARKER_RULES)
  })
  test('to a key that was revoked meanwhile: 401, and the hold stays approved', async () => {
    const { application, held, answer } = await waiting(point)
    const { data } = accepted(await governed.admin('GET', `/applications/${application.id}/keys`))
    accepted(await governed.admin('POST', `/keys/${data[0]?.id}/revoke`))
    await reached()
    await governed.decide(held.id, 'approve')
    const response = await answer
    const { audit_id } = refused(response, 'AUTH_KEY_REVOKED')
    expect(response.text).not.toContain(held.answer)
    expect(governed.countProviderCalls(held)).toBe(calls)
    expect(await stateOf(held)).toBe('approved')
    const record = accepted(await governed.admin('GET', `/audit/${audit_id}`))
    expect(record).toMatchObject({ status: 401, error_code: 'AUTH_KEY_REVOKED', application_id: application.id })
  })
})

describe('a resubmission that waits', () => {
  test('does not use a model that was withdrawn meanwhile: it is refused as a fresh request is', async () => {
    const { application, held, answer } = await waiting('input')
    await governed.change(application.id, { models: ['demo-mini'] })
    await reached()
    await governed.decide(held.id, 'approve')
    refused(await answer, 'NO_ELIGIBLE_PROVIDER')
    refused((await governed.sendPrompt('', { options: { token: application.token } })).response, 'NO_ELIGIBLE_PROVIDER')
    expect(governed.countProviderCalls(held)).toBe(0)
  })
  test('is answered once it is approved: one provider call, one record, counted once against the limits [GW-REV-5]', async () => {
    const { application, held, answer } = await waiting('input')
    await governed.change(application.id, { limits: { requests_per_minute: 1, burst: 1 } })
    await reached()
    const others = [1, 2].map(() => governed.chat('Good morning', {}, { token: application.token }))
    expect((await Promise.all(others)).map(({ status }) => status).sort()).toEqual([200, 429])
    await governed.decide(held.id, 'approve')
    const response = await answer
    expect(contentOf(response)).toBe(held.answer)
    expect(response.headers.get('ratelimit')).not.toBeNull()
    expect(governed.countProviderCalls(held)).toBe(1)
    const { data } = accepted(await governed.admin('GET', `/audit?application_id=${application.id}&limit=100`))
    expect(data.map(({ status }) => status).sort()).toEqual([200, 200, 409])
  })
  test('is told when the hold expires meanwhile: 410 [GW-REV-7]', async () => {
    const held = await governed.holdPrompt('juniper-brief')
    clock.advance(29_500)
    refused(await governed.resubmit(held, WAIT), 'REVIEW_HOLD_EXPIRED')
  })
  test('ends with its caller: nothing waits any more, nothing is claimed', async () => {
    const held = await governed.holdPrompt()
    const caller = new AbortController()
    const answer = governed.resubmit(held, WAIT, {}, { signal: caller.signal })
    await waitingNow(1)
    caller.abort()
    await expect(answer).rejects.toThrow()
    await waitingNow(0)
    await governed.decide(held.id, 'approve')
    expect(await stateOf(held)).toBe('approved')
    expect(governed.countProviderCalls(held)).toBe(0)
  })
})

describe('an approved request whose answer is held in turn', () => {
  const answer = () => `sorrel-hold ${word()} ${word()}`

  test('goes on waiting for that with the time that is left', async () => {
    const held = await governed.holdPrompt('juniper-hold', { answer: answer() })
    const before = new Set(await pending())
    const response = governed.resubmit(held, WAIT)
    await waitingNow(1)
    await governed.decide(held.id, 'approve')
    const successor = await vi.waitFor(async () => {
      const [id] = (await pending()).filter((one) => !before.has(one))
      return id ?? expect.fail('no successor yet')
    }, 5_000)
    await governed.decide(successor, 'approve')
    expect(contentOf(await response)).toBe(held.answer)
    expect(governed.countProviderCalls(held)).toBe(1)
  })
  test('waits no longer than it asked for in all: 409 names the hold that is left', async () => {
    const held = await governed.holdPrompt('juniper-hold', { answer: answer() })
    const startedAt = performance.now()
    const response = governed.resubmit(held, { wait_for_approval_seconds: 6 })
    await sleep(5_000)
    await governed.decide(held.id, 'approve')
    const decidedAt = performance.now()
    expect(refused(await response, 'POLICY_REVIEW_PENDING').review_item_id).not.toBe(held.id)
    expect(performance.now() - startedAt).toBeGreaterThan(5_950)
    // A second wait of its own would take six seconds from here.
    expect(performance.now() - decidedAt).toBeLessThan(5_000)
  })
})
