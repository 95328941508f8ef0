import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import type { ErrorCode } from '../../src/errors.ts'
import {
  type Behaviour,
  completion,
  FAULTS,
  failWith,
  respond,
  respondNormally,
  startFaultyProvider,
  UPSTREAM_SECRET,
} from '../support/faulty-provider.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

/** Of providers that do not respond. */
const TIMEOUT_MS = 400
/** Of the others: no test reaches it, also on a slow machine. */
const LONG_MS = 60_000
/** Time for everything except the provider's timeout, on a busy machine. */
const GRACE_MS = 20_000

/** Behaviours by the first path segment. They apply one after another, the last one to all further requests. */
const plans = new Map<string, Behaviour[]>()

const governed = await sharedGoverned()
const faulty = await startFaultyProvider((socket, call) => {
  const plan = plans.get(call.path.split('/')[1] ?? '') ?? [respondNormally]
  const behaviour = (plan.length > 1 ? plan.shift() : plan[0]) ?? respondNormally
  behaviour(socket, call)
})
const token = (await governed.application()).token
afterAll(async () => {
  await governed.close()
  await faulty.close()
})

interface ProviderFields {
  readonly model?: string
  readonly max_retries?: number
  readonly timeout_ms?: number
  readonly weight?: number
}

/** Creates a provider with these behaviours and a model that only it offers. */
async function provider(behaviours: readonly Behaviour[], { model = word(), ...fields }: ProviderFields = {}) {
  const id = word()
  plans.set(id, [...behaviours])
  const base_url = `${new URL(faulty.baseUrl).origin}/${id}/v1`
  const json = { id, base_url, api_key: 'sk-faulty', timeout_ms: LONG_MS, max_retries: 0, ...fields }
  expectSuccess(await governed.admin('POST', '/providers', { json }), 201)
  expectSuccess(await governed.admin('PUT', `/providers/${id}/models/${model}`, { json: {} }))
  return { id, model, calls: () => faulty.calls.filter(({ path }) => path.startsWith(`/${id}/`)).length }
}
const sendRequest = (model: string, more: object = {}) => governed.chat('Good morning', { model, ...more }, { token })
const attemptsOf = async (auditId: string) =>
  expectSuccess(await governed.api('GET', `/v1/audit/${auditId}`, { token })).attempts as Readonly<Record<string, unknown>>[]

const CODES: Readonly<Record<string, ErrorCode>> = {
  'answers 400': 'VALIDATION_ERROR',
  'answers 404': 'VALIDATION_ERROR',
  'answers 429 with a long wait': 'RATE_LIMITED',
}
const TIMED_OUT = ['hangs before headers', 'hangs within headers', 'hangs within the body', 'drips a byte at a time']

describe('provider faults', () => {
  test.concurrent.each(Object.entries<Behaviour>(FAULTS))(
    "provider: request gets the documented error without the provider's text when the provider %s [GW-PROV-1, GW-PROV-2, GW-PROV-7, GW-PROV-6]",
    async (name, behaviour) => {
      const { id, model, calls } = await provider([behaviour], TIMED_OUT.includes(name) ? { timeout_ms: TIMEOUT_MS } : {})
      const startedAt = performance.now()
      const response = await sendRequest(model)
      expect(performance.now() - startedAt).toBeLessThan(TIMEOUT_MS + GRACE_MS)
      const code = TIMED_OUT.includes(name) ? 'PROVIDER_TIMEOUT' : (CODES[name] ?? 'PROVIDER_ERROR')
      const { audit_id } = expectError(response, code)
      expect(response.text).not.toContain(UPSTREAM_SECRET)
      const attempts = await attemptsOf(audit_id)
      expect(attempts).toEqual([
        {
          provider: id,
          model,
          status: expect.any(Number),
          outcome: expect.stringMatching(/^[a-z_]+$/),
          ...(code === 'VALIDATION_ERROR' && { code: expect.stringMatching(/^[a-z_]+$/) }),
          ms: expect.any(Number),
        },
      ])
      expect(attempts[0]?.outcome).not.toBe('ok')
      expect(calls()).toBe(1)
    },
  )
  test('provider: request gets PROVIDER_ERROR when the provider refuses the connection [GW-PROV-1]', async () => {
    const { model } = await governed.addProvider({ base_url: 'http://127.0.0.1:1/v1' })
    const { audit_id } = expectError(await sendRequest(model), 'PROVIDER_ERROR')
    expect(await attemptsOf(audit_id)).toEqual([expect.objectContaining({ outcome: 'connect', status: 0 })])
  })
  test('provider: streamed request gets the same error as JSON when the provider fails', async () => {
    for (const [name, code] of [
      ['sends half of its JSON', 'PROVIDER_ERROR'],
      ['hangs within the body', 'PROVIDER_TIMEOUT'],
    ] as const) {
      const { model } = await provider([FAULTS[name]], TIMED_OUT.includes(name) ? { timeout_ms: TIMEOUT_MS } : {})
      expectError(await sendRequest(model, { stream: true }), code)
    }
  })
  test('provider: memory stays bounded when the provider sends 100 MB to several requests at the same time', async () => {
    const { model } = await provider([FAULTS['sends 100 MB without a content-length']])
    const held = () => {
      const { arrayBuffers, external } = process.memoryUsage()
      return Math.max(arrayBuffers, external)
    }
    const before = held()
    let peak = before
    const timer = setInterval(() => {
      peak = Math.max(peak, held())
    }, 2)
    const responses = await Promise.all(Array.from({ length: 4 }, () => sendRequest(model)))
    clearInterval(timer)
    for (const one of responses) expectError(one, 'PROVIDER_ERROR')
    // Four responses of at most 8 MiB, and data in flight.
    expect((peak - before) / 1_048_576).toBeLessThan(80)
  })
  test('provider: request to another provider succeeds when one provider does not respond', async () => {
    const others = Promise.withResolvers<void>()
    const hanging = await provider([(socket, call) => void others.promise.then(() => respondNormally(socket, call))])
    const waiting = Promise.all(Array.from({ length: 20 }, () => sendRequest(hanging.model)))
    expectSuccess(await sendRequest((await provider([respondNormally])).model))
    others.resolve()
    for (const one of await waiting) expectSuccess(one)
  })
})

describe('retries and fallback', () => {
  test('retries: temporary failure is retried up to max_retries, and the record has every attempt', async () => {
    const { model, calls } = await provider([failWith(500), FAULTS['resets at once'], respondNormally], { max_retries: 2 })
    const { governance } = expectSuccess(await sendRequest(model))
    expect(calls()).toBe(3)
    expect((await attemptsOf(governance.audit_id)).map(({ status, outcome }) => [status, outcome])).toEqual([
      [500, 'status'],
      [0, 'reset'],
      [200, 'ok'],
    ])
  })
  test('retries: retry waits for Retry-After when it is short', async () => {
    const { model, calls } = await provider([failWith(429, { 'retry-after': '1' }), respondNormally], { max_retries: 2 })
    const startedAt = performance.now()
    expectSuccess(await sendRequest(model))
    expect(performance.now() - startedAt).toBeGreaterThan(950)
    expect(calls()).toBe(2)
  })
  test.each([
    ['the response is 400', failWith(400), 'VALIDATION_ERROR', null],
    ['Retry-After is 120', failWith(429, { 'retry-after': '120' }), 'RATE_LIMITED', '120'],
    ['Retry-After is 3600', failWith(503, { 'retry-after': '3600' }), 'PROVIDER_ERROR', '3600'],
  ] as const)('retries: request is not retried when %s [GW-PROV-18]', async (_, behaviour, code, retryAfter) => {
    const { model, calls } = await provider([behaviour], { max_retries: 2 })
    const startedAt = performance.now()
    const response = await sendRequest(model)
    expectError(response, code)
    expect(performance.now() - startedAt).toBeLessThan(GRACE_MS)
    expect(response.headers.get('retry-after')).toBe(retryAfter)
    expect(calls()).toBe(1)
  })
  test('failover: the next provider serves the request when the first one fails, and the record has both attempts', async () => {
    const first = await provider([FAULTS['sends HTML']])
    const second = await provider([respond(completion('From the second.'))], { model: first.model, weight: 0 })
    const { governance, choices } = expectSuccess(await sendRequest(first.model))
    expect(choices[0]?.message.content).toBe('From the second.')
    expect((await attemptsOf(governance.audit_id)).map(({ provider: id, outcome }) => [id, outcome])).toEqual([
      [first.id, 'malformed'],
      [second.id, 'ok'],
    ])
  })
  test('circuit breaker: provider is used again soon when it has recovered', async () => {
    const failures = Array.from({ length: 6 }, () => failWith(500))
    const { model } = await provider([...failures, respondNormally])
    for (let i = 0; i < 6; i++) expectError(await sendRequest(model), 'PROVIDER_ERROR')
    let status = 0
    for (let tries = 0; tries < 40 && status !== 200; tries++) {
      status = (await sendRequest(model)).status
      await sleep(100)
    }
    expect(status).toBe(200)
  })
})

test('provider: no log and no record contains the text of a provider', async () => {
  expect(governed.server.logs()).not.toContain(UPSTREAM_SECRET)
  const { rows } = await governed.server.context.database.pool.query('select body from audit_record')
  expect(JSON.stringify(rows)).not.toContain(UPSTREAM_SECRET)
})
