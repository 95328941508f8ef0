import { afterAll, describe, expect, test } from 'vitest'
import {
  completion,
  FAULTS,
  faultyProvider,
  respond,
  respondNormally,
  startFaultyProvider,
  UPSTREAM_SECRET,
} from '../../../test/support/faulty-provider.ts'
import { testPools, testProvider } from '../../../test/support/providers.ts'
import { elapsed } from '../../platform/lib/clock.ts'
import { chatOperation } from './chat-operation.ts'
import type { Endpoint } from './connection-pools.ts'
import type { OperationDeps, ProviderRequest } from './operation.ts'
import { NO_PRICES } from './prices.ts'
import type { Provider } from './provider.ts'
import type { AttemptLimits } from './send-to-provider.ts'

const REQUEST: ProviderRequest = {
  model: 'small',
  messages: [{ role: 'user', content: 'Good morning' }],
  parameters: { temperature: 0.4 },
}
const deps: OperationDeps = {
  clock: { now: () => new Date(1_800_000_000_000) },
  newId: (prefix) => `${prefix}_fresh`,
  maxResponseBytes: 1_048_576,
}

const pools = testPools()
afterAll(() => pools.close())

const MODEL = { ...NO_PRICES, id: 'small', upstreamName: 'small-2026', createdAt: new Date(0) }
async function attempt(endpoint: Endpoint, limits: AttemptLimits, request = REQUEST) {
  const prepared = chatOperation(request).prepare(endpoint, MODEL)
  if (!prepared.ok) throw new Error('the request cannot be expressed')
  return prepared.attempt(endpoint, limits, deps)
}
const send = (
  provider: Provider,
  { request, timeoutMs = 5_000, signal }: Partial<AttemptLimits> & { readonly request?: ProviderRequest } = {},
) => attempt(pools.endpoint(provider), { timeoutMs, signal }, request)

describe('request', () => {
  test('adapter: sends the provider’s model name and returns the client’s model name', async () => {
    const { baseUrl, calls } = await faultyProvider(respondNormally)
    const provider = testProvider({ baseUrl: `${baseUrl}/`, headers: { 'X-Team': 'blue' } })
    const parameters = { temperature: 0.4, stream: true, stream_options: { include_usage: true }, governance: {}, seed: 7 }
    const result = await send(provider, { request: { ...REQUEST, parameters } })
    expect(result).toEqual({
      ok: true,
      status: 200,
      response: {
        id: 'chatcmpl_fresh',
        object: 'chat.completion',
        created: 1_700_000_000,
        model: 'small',
        choices: [{ index: 0, message: { role: 'assistant', content: 'Good morning.' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
      },
    })
    expect(calls).toHaveLength(1)
    expect(calls[0]).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: {
        ...{ authorization: 'Bearer sk-test', 'x-team': 'blue' },
        ...{ 'accept-encoding': 'identity', 'content-type': 'application/json' },
      },
    })
    expect(JSON.parse(calls[0]?.body ?? '')).toEqual({
      ...{ model: 'small-2026', messages: REQUEST.messages, temperature: 0.4, seed: 7 },
      ...{ stream: true, stream_options: { include_usage: true } },
    })
  })

  test('adapter: sends the key in the configured header to the configured path', async () => {
    const { baseUrl, calls } = await faultyProvider(respondNormally)
    const path = '/openai/deployments/gpt/chat/completions?api-version=2024-10-21'
    await send(testProvider({ baseUrl: baseUrl.replace('/v1', ''), path, headers: { 'api-key': '{api_key}' }, apiKey: "k$&'1" }))
    expect(calls[0]).toMatchObject({ path, headers: { 'api-key': "k$&'1" } })
    expect(calls[0]?.headers).not.toHaveProperty('authorization')
  })

  test('adapter: reuses connections after errors', async () => {
    const { baseUrl, connections } = await faultyProvider(FAULTS['answers 500'])
    const provider = testProvider({ baseUrl })
    for (let i = 0; i < 6; i++) await send(provider)
    // undici frees a connection one tick after the end of its response, so two may be open.
    expect(connections()).toBeLessThanOrEqual(2)
  })

  test.each([
    ['120', 120_000],
    ['1.5', 1_500],
    ['0', 0],
    [new Date(1_800_000_007_000).toUTCString(), 7_000],
    [new Date(1_700_000_000_000).toUTCString(), 0],
    ['soon', undefined],
    ['-3', undefined],
  ])('adapter: reads Retry-After %s', async (value, ms) => {
    const { baseUrl } = await faultyProvider(respond({}, { status: 429, headers: { 'retry-after': value } }))
    const result = await send(testProvider({ baseUrl }))
    const wait = ms === undefined ? {} : { retryAfterMs: ms }
    expect(result).toEqual({ ok: false, failure: 'status', status: 429, rejection: { kind: 'rate_limited' }, ...wait })
  })
})

describe('faulty providers', () => {
  type Fault = keyof typeof FAULTS
  const as = (failure: string, status: number, ...faults: Fault[]) => faults.map((fault) => [fault, { failure, status }] as const)
  test.each<readonly [Fault, object]>([
    ...as('timeout', 0, 'hangs before headers', 'hangs within headers'),
    ...as('timeout', 200, 'hangs within the body', 'drips a byte at a time'),
    ...as('reset', 0, 'resets at once'),
    ...as('truncated', 200, 'resets within the body', 'ends before its content-length', 'ends within a chunked body'),
    ...as('malformed', 200, 'sends half of its JSON', 'sends HTML', 'sends HTML as JSON', 'sends an event stream'),
    ...as('malformed', 200, 'sends invalid UTF-8', 'sends a gzip bomb', 'sends an empty body', 'sends null', 'sends a string'),
    ...as('malformed', 200, 'omits choices', 'sends empty choices', 'omits finish_reason'),
    ...as('malformed', 204, 'sends 204'),
    ...as('malformed', 0, 'does not use HTTP', 'sends endless headers'),
    ...as('too_large', 200, 'sends 100 MB', 'sends 100 MB without a content-length'),
    ...as('error_event', 200, 'reports an error with 200'),
    ...as('status', 302, 'redirects to metadata'),
    ...as('status', 500, 'answers 500', 'answers 500 with an endless body', 'answers 500 and hangs within the body'),
    ['answers 400', { failure: 'status', status: 400, rejection: { kind: 'refused', code: 'invalid_request' } }],
    [
      'answers 429 with a long wait',
      { failure: 'status', status: 429, retryAfterMs: 120_000, rejection: { kind: 'rate_limited' } },
    ],
  ])('adapter: a provider that %s is a failure in bounded time, without text of the provider', async (name, expected) => {
    const { baseUrl, calls } = await faultyProvider(FAULTS[name])
    // Only a provider that never ends reaches its timeout, also on a slow machine.
    const timeoutMs = /hangs|drips|endless/.test(name) ? 1_000 : 20_000
    const startedAt = elapsed()
    const result = await send(testProvider({ baseUrl }), { timeoutMs })
    // The system's error code depends on the machine.
    expect(result).toEqual({ ok: false, ...expected, ...('code' in result && { code: expect.stringMatching(/^[A-Z_]+$/) }) })
    expect(JSON.stringify(result)).not.toContain(UPSTREAM_SECRET)
    expect(elapsed() - startedAt).toBeLessThan(15_000)
    expect(calls).toHaveLength(1)
  })

  test('adapter: sends nothing when the connection is refused or the address is not allowed', async () => {
    const closed = await startFaultyProvider()
    await closed.close()
    const refused = await send(testProvider({ baseUrl: closed.baseUrl }))
    expect(refused).toEqual({ ok: false, failure: 'connect', status: 0, code: 'ECONNREFUSED' })
    const { baseUrl: listening, connections } = await faultyProvider(respondNormally)
    const blocked = await send(testProvider({ baseUrl: listening, source: 'api' }))
    expect(blocked).toMatchObject({ ok: false, failure: 'blocked', status: 0 })
    expect(connections()).toBe(0)
  })
})

describe('disconnect of the client', () => {
  test('adapter: aborts the upstream request and closes its connection', async () => {
    const closed = Promise.withResolvers<void>()
    const caller = new AbortController()
    const { baseUrl } = await faultyProvider((socket) => {
      socket.once('close', () => closed.resolve())
      caller.abort()
    })
    expect(await send(testProvider({ baseUrl }), { signal: caller.signal })).toEqual({ ok: false, failure: 'aborted', status: 0 })
    await closed.promise
  })

  test('adapter: sends nothing when the client has disconnected before', async () => {
    const { baseUrl, calls } = await faultyProvider(respondNormally)
    const result = await send(testProvider({ baseUrl }), { signal: AbortSignal.abort() })
    expect(result).toMatchObject({ failure: 'aborted', unsent: true })
    expect(calls).toHaveLength(0)
  })
})

test('adapter: a request that waits for a connection until its timeout is never sent', async () => {
  const narrow = testPools({ connections: 1 })
  const { baseUrl, calls } = await faultyProvider(FAULTS['hangs before headers'])
  const endpoint = narrow.endpoint(testProvider({ baseUrl }))
  const sendWith = (timeoutMs: number) => attempt(endpoint, { timeoutMs })
  expect(await Promise.all([sendWith(1_000), sendWith(500)])).toMatchObject([{ failure: 'timeout' }, { failure: 'timeout' }])
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(calls).toHaveLength(1)
  await narrow.close()
})

test('adapter: joins a response that arrives in several chunks', async () => {
  const text = 'ä€😀'.repeat(50_000)
  const { baseUrl } = await faultyProvider(respond(completion(text)))
  const result = await send(testProvider({ baseUrl }))
  expect(result.ok && result.response.choices[0]?.message.content === text).toBe(true)
})
