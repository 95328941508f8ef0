import { describe, expect, test } from 'vitest'
import { completion, FAULTS, failWith, respond, respondNormally, UPSTREAM_SECRET } from '../../../test/support/faulty-provider.ts'
import { failWithCode, invokeFixture, outcomes } from '../../../test/support/invoke-fixture.ts'
import { testProvider } from '../../../test/support/providers.ts'
import { elapsed } from '../../platform/lib/clock.ts'
import { Health } from './health.ts'
import { NO_PRICES } from './prices.ts'

const MISSING = failWithCode(404, 'model_not_found')
const { startProvider, send, changeDeps, health, circuits } = invokeFixture()

describe('refusals', () => {
  test('invoke: a refusal is not retried, goes to no other provider and does not open the breaker', async () => {
    changeDeps({ health: new Health({ threshold: 1 }) })
    const refusing = await startProvider([failWithCode(400, 'context_length_exceeded')], { id: 'a', maxRetries: 5 })
    const spare = await startProvider([respondNormally], { id: 'b' })
    const result = await send([refusing, spare])
    expect(result).toMatchObject({
      ok: false,
      code: 'VALIDATION_ERROR',
      fields: {
        details: { reason: 'provider_refused', provider_code: 'context_length_exceeded' },
        headers: { 'x-should-retry': 'false' },
      },
      attempts: [{ provider: 'a', status: 400, outcome: 'refused', code: 'context_length_exceeded' }],
    })
    expect([refusing.requestCount(), spare.requestCount(), ...circuits(refusing)]).toEqual([1, 0, 'closed'])
    expect(JSON.stringify(result)).not.toContain(UPSTREAM_SECRET)
  })

  test('invoke: the next provider gets the request when the first does not have the model', async () => {
    const without = await startProvider([MISSING], { id: 'a' })
    const spare = await startProvider([respondNormally], { id: 'b' })
    expect(outcomes(await send([without, spare]))).toEqual(['a refused', 'b ok'])
  })

  test.each([
    ['missing model, then outage', [MISSING], [failWith(503)], 'PROVIDER_ERROR'],
    ['outage, then missing model', [failWith(503)], [MISSING], 'PROVIDER_ERROR'],
    ['rate limit, then wrong key', [failWith(429, { 'retry-after': '20' })], [failWith(401)], 'RATE_LIMITED'],
    ['wrong key, then missing model', [failWith(401)], [MISSING], 'PROVIDER_ERROR'],
    ['missing model at both providers', [MISSING], [MISSING], 'VALIDATION_ERROR'],
  ] as const)('invoke: two failures become one error: %s', async (_, first, second, code) => {
    const a = await startProvider([...first], { id: 'a', maxRetries: 0 })
    const b = await startProvider([...second], { id: 'b', maxRetries: 0 })
    expect(await send([a, b])).toMatchObject({ ok: false, code })
  })

  test('invoke: the param of a refusal counts the messages of the client only', async () => {
    const refusing = await startProvider([respond({ error: { message: '', param: 'messages[3].content' } }, { status: 400 })])
    expect(await send([refusing], { addedMessages: 2 })).toMatchObject({ fields: { param: 'messages[1].content' } })
  })
})

describe('rate limits of the provider', () => {
  test.each([
    ['the Retry-After of the provider', { 'retry-after': '20' }, '20'],
    ['a limited Retry-After', { 'retry-after': '86400' }, '3600'],
    ['a default when the provider sends none', {}, '10'],
    ['a date as Retry-After', { 'retry-after': new Date(Date.now() + 600_000).toUTCString() }, /^5\d\d$|^600$/],
  ])('invoke: a 429 of the provider becomes RATE_LIMITED with %s', async (_, headers, wait) => {
    const only = await startProvider([failWith(429, headers as Record<string, string>)], { maxRetries: 0 })
    const result = await send([only])
    expect(result).toMatchObject({ code: 'RATE_LIMITED', fields: { details: { reason: 'provider_rate_limited' } } })
    expect(!result.ok && result.fields.headers?.['retry-after']).toMatch(wait)
  })

  test('invoke: RATE_LIMITED has the shortest Retry-After of several providers', async () => {
    const a = await startProvider([failWith(429, { 'retry-after': '20' })], { id: 'a', maxRetries: 0 })
    const b = await startProvider([failWith(429, { 'retry-after': '50' })], { id: 'b', maxRetries: 0 })
    expect(await send([a, b])).toMatchObject({ fields: { headers: { 'retry-after': '20' } } })
  })
})

describe('failures that only an operator can resolve', () => {
  test.each([
    ['key_rejected', failWith(401)],
    ['key_rejected', failWith(403)],
    ['quota_exhausted', failWithCode(429, 'insufficient_quota')],
    ['quota_exhausted', failWith(402)],
  ] as const)(
    'invoke: %s becomes PROVIDER_ERROR without a retry, is reported once, and the provider ranks behind others',
    async (kind, behaviour) => {
      const faults: string[] = []
      const failing: string[] = []
      changeDeps({
        onFault: ({ kind }) => void faults.push(kind),
        onFailing: ({ id }, reason) => void failing.push(`${id} ${reason}`),
      })
      const only = await startProvider([behaviour])
      for (let i = 0; i < 2; i++) {
        expect(await send([only])).toMatchObject({
          code: 'PROVIDER_ERROR',
          fields: {
            message: expect.stringMatching(/^The gateway's .* An operator has to /),
            headers: { 'x-should-retry': 'false' },
          },
          attempts: [{ outcome: kind }],
        })
      }
      expect([only.requestCount(), faults, health().rank(only.provider)]).toEqual([2, [kind], 1])
      // The announcer of failures remembers them.
      expect(failing).toEqual(Array(2).fill(`${only.provider.id} ${kind}`))
      expect(health().status(only.provider)).toMatchObject({ circuit: 'closed', lastError: { kind, fault: true } })
    },
  )
})

test('invoke: a provider whose breaker stays open is reported as unavailable, and a success as its recovery', async () => {
  const reports: string[] = []
  changeDeps({
    health: new Health({ threshold: 1, openMs: 0, downMs: 0 }),
    onFailing: (_, reason) => void reports.push(reason),
    onRecovered: () => void reports.push('recovered'),
  })
  const only = await startProvider([FAULTS['answers 500'], respondNormally], { maxRetries: 0 })
  await send([only])
  await send([only])
  expect(reports).toEqual(['unavailable', 'recovered'])
})

describe('fallback', () => {
  test.each(['answers 404', 'answers 401', 'answers 500', 'sends HTML', 'sends 100 MB', 'resets at once'] as const)(
    'invoke: the next provider serves when the first %s',
    async (fault) => {
      const broken = await startProvider([FAULTS[fault]], { id: 'a', maxRetries: 1 })
      const spare = await startProvider([respondNormally], { id: 'b' })
      const result = await send([broken, spare])
      expect(result).toMatchObject({ ok: true, provider: { id: 'b' } })
      expect(outcomes(result).at(-1)).toBe('b ok')
      expect(spare.requestCount()).toBe(1)
    },
  )

  test('invoke: the next provider gets the request after a timeout, and its refusal becomes the error', async () => {
    const hanging = await startProvider([FAULTS['hangs before headers']], { id: 'a', timeoutMs: 600 })
    const broken = await startProvider([failWith(400)], { id: 'b', timeoutMs: 600 })
    const result = await send([hanging, broken])
    expect(result).toMatchObject({ ok: false, code: 'VALIDATION_ERROR' })
    expect(outcomes(result)).toEqual(['a timeout', 'b refused'])
  })
})

describe('at most once', () => {
  test.each([
    'answers 500',
    'resets at once',
    'ends before its content-length',
    'hangs within the body',
    'omits choices',
  ] as const)('invoke: makes no further attempt when a provider that %s may have had an effect', async (fault) => {
    const first = await startProvider([FAULTS[fault]], { id: 'a', timeoutMs: fault.startsWith('hangs') ? 150 : 20_000 })
    const spare = await startProvider([respondNormally], { id: 'b' })
    expect(await send([first, spare], { atMostOnce: true })).toMatchObject({ ok: false })
    expect([first.requestCount(), spare.requestCount()]).toEqual([1, 0])
  })

  test('invoke: the next provider gets the request after a refused connection and a 429', async () => {
    const limited = await startProvider([FAULTS['answers 429 with a long wait']], { id: 'a' })
    const down = { provider: testProvider({ id: 'down', baseUrl: 'http://127.0.0.1:1/v1', maxRetries: 0 }) }
    const spare = await startProvider([respondNormally], { id: 'b' })
    expect(outcomes(await send([limited, down, spare], { atMostOnce: true }))).toEqual(['a rate_limited', 'down connect', 'b ok'])
  })
})

/** A message with a name has no equivalent in the Messages API. */
const NAMED = { messages: [{ role: 'user', name: 'ann', content: 'Good morning' }] }
const anthropic = (id: string, change = {}) => startProvider([respondNormally], { id, kind: 'anthropic', ...change })

describe('fields without an equivalent', () => {
  test('invoke: request is not sent, and the next provider gets it, also when it may be sent once only', async () => {
    const a = await anthropic('a')
    const b = await startProvider([respondNormally], { id: 'b' })
    expect(outcomes(await send([a, b], { atMostOnce: true }, NAMED))).toEqual(['a unsupported', 'b ok'])
    expect([a.requestCount(), ...circuits(a)]).toEqual([0, 'closed'])
  })

  test.each([
    ['alone', [], 'VALIDATION_ERROR'],
    ['then an outage', [failWith(503)], 'PROVIDER_ERROR'],
    ['then a wrong key', [failWith(401)], 'VALIDATION_ERROR'],
    ['then a missing model', [MISSING], 'VALIDATION_ERROR'],
    ['then a rate limit', [failWith(429, { 'retry-after': '20' })], 'RATE_LIMITED'],
  ] as const)('invoke: error names the field only when no later attempt can help: %s', async (_, others, code) => {
    const a = await anthropic('a')
    const rest = await Promise.all(others.map((behaviour) => startProvider([behaviour], { id: 'b', maxRetries: 0 })))
    const result = await send([a, ...rest], {}, NAMED)
    expect(result).toMatchObject({ ok: false, code })
    if (code === 'VALIDATION_ERROR') expect(result).toMatchObject({ fields: { param: 'messages[0].name' } })
  })

  test('invoke: a provider whose breaker is open is probed when the other one cannot express the request', async () => {
    const a = await anthropic('a')
    const b = await startProvider([...Array(5).fill(failWith(500)), respondNormally], { id: 'b', maxRetries: 0 })
    for (let i = 0; i < 5; i++) await send([b])
    expect(circuits(b)).toEqual(['open'])
    expect(outcomes(await send([a, b], {}, NAMED))).toEqual(['a unsupported', 'b circuit_open', 'b ok'])
  })

  test('invoke: the error does not name the field when a busy provider may accept it', async () => {
    const a = await anthropic('a')
    const b = await startProvider([() => {}], { id: 'b', maxConcurrency: 1, timeoutMs: 400 })
    const first = send([b])
    expect(await send([a, b], {}, NAMED)).toMatchObject({ ok: false, code: 'PROVIDER_ERROR' })
    await first
  })
})

test('invoke: a disconnect of the client ends attempts and pauses', async () => {
  const hanging = await startProvider([FAULTS['hangs before headers']], { id: 'a' })
  const spare = await startProvider([respondNormally], { id: 'b' })
  const limited = await startProvider([failWith(429, { 'retry-after': '8' })], { id: 'c', timeoutMs: 20_000 })
  const startedAt = elapsed()
  const disconnectAfter = (ms: number) => ({ signal: AbortSignal.timeout(ms) })
  expect(outcomes(await send([hanging, spare], disconnectAfter(60)))).toEqual(['a aborted'])
  // The response arrives before, and the pause after it ends.
  expect(outcomes(await send([limited], disconnectAfter(1_000)))).toEqual(['c rate_limited'])
  expect(elapsed() - startedAt).toBeLessThan(8_000)
  expect(spare.requestCount()).toBe(0)
})

test('invoke: a dry run and a stub send no request', async () => {
  const real = await startProvider([respond(completion(UPSTREAM_SECRET))])
  expect(outcomes(await send([real], { dryRun: true }))).toEqual(['openai stubbed'])
  expect(real.requestCount()).toBe(0)
  const stub = { provider: testProvider({ id: 'demo', kind: 'stub', baseUrl: null }) }
  expect(await send([stub])).toMatchObject({
    ok: true,
    response: { model: 'small', object: 'chat.completion' },
    provider: { id: 'demo' },
  })
})

test('stub: a completion costs what the prices of the model say, and nothing in a dry run', async () => {
  const models = [{ id: 'small', upstreamName: null, ...NO_PRICES, inputPrice: 2, outputPrice: 10, createdAt: new Date(0) }]
  const stub = { provider: testProvider({ id: 'demo', kind: 'stub', baseUrl: null, models }) }
  const [attempt] = (await send([stub])).attempts
  const { prompt_tokens = 0, completion_tokens = 0 } = attempt ?? {}
  expect(prompt_tokens).toBeGreaterThan(0)
  expect(attempt?.cost).toBeCloseTo((prompt_tokens * 2 + completion_tokens * 10) / 1_000_000, 12)
  expect((await send([stub], { dryRun: true })).attempts[0]).not.toHaveProperty('cost')
})

test('invoke: returns PROVIDER_ERROR when there are no candidates', async () =>
  expect(await send([])).toEqual({ ok: false, code: 'PROVIDER_ERROR', fields: {}, attempts: [] }))
