import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type Behaviour,
  completion,
  FAULTS,
  type FaultyProvider,
  failWith,
  respond,
  respondNormally,
  startFaultyProvider,
  UPSTREAM_SECRET,
} from '../../test/support/faulty-provider.ts'
import { testPools, testProvider } from '../../test/support/providers.ts'
import { elapsed } from '../lib/clock.ts'
import { Health } from './health.ts'
import { type InvokeDeps, type InvokeOptions, invoke } from './invoke.ts'
import type { Provider } from './provider.ts'

const REQUEST = { model: 'small', messages: [{ role: 'user', content: 'Good morning' }], parameters: {} }
const pools = testPools()
const upstreams: FaultyProvider[] = []
let deps: InvokeDeps
beforeEach(() => {
  const health = new Health({ openMs: 150 })
  deps = { pools, health, clock: { now: () => new Date() }, newId: (prefix) => `${prefix}_1`, random: () => 1, backoffMs: 10 }
})
afterEach(() => Promise.all(upstreams.splice(0).map((upstream) => upstream.close())))
afterAll(() => pools.close())

/** A provider behind a server that behaves like this; `calls()` counts what reached it. */
async function behaving(behaviours: Parameters<typeof startFaultyProvider>, change: Partial<Provider> = {}) {
  const upstream = await startFaultyProvider(...behaviours)
  upstreams.push(upstream)
  const provider = testProvider({ baseUrl: upstream.baseUrl, timeoutMs: 2_000, ...change })
  return { provider, upstream, calls: () => upstream.calls.length }
}
const ask = (providers: { provider: Provider }[], options?: InvokeOptions) =>
  invoke(
    providers.flatMap(({ provider }) => provider.models.slice(0, 1).map((model) => ({ provider, model }))),
    REQUEST,
    deps,
    options,
  )
const delayed =
  (ms: number, behaviour: Behaviour): Behaviour =>
  (socket, call) =>
    void setTimeout(behaviour, ms, socket, call)
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const useHealth = (options: ConstructorParameters<typeof Health>[0]) => {
  deps = { ...deps, health: new Health(options) }
}
const circuits = (...providers: { provider: Provider }[]) => providers.map(({ provider }) => deps.health.status(provider).circuit)
const outcomes = ({ attempts }: { attempts: readonly { provider: string; outcome: string }[] }) =>
  attempts.map(({ provider, outcome }) => `${provider} ${outcome}`)

describe('retries', () => {
  test('500, then 200: answered, both attempts in the record, priced', async () => {
    const models = [{ id: 'small', upstreamName: 'x', inputPrice: 2, outputPrice: 10, createdAt: new Date(0) }]
    const only = await behaving([failWith(500), respondNormally], { models })
    const result = await ask([only])
    expect(result).toMatchObject({
      ok: true,
      completion: { model: 'small', choices: [{ message: { content: 'Good morning.' } }] },
      attempts: [
        { provider: 'openai', model: 'small', status: 500, outcome: 'status' },
        {
          provider: 'openai',
          model: 'small',
          status: 200,
          outcome: 'ok',
          prompt_tokens: 11,
          completion_tokens: 7,
          cost: 0.000092,
        },
      ],
    })
    expect(result.attempts.every(({ ms }) => ms >= 0)).toBe(true)
  })

  test.each([
    ['answers 500', 3],
    ['resets at once', 3],
    ['ends before its content-length', 3],
    ['omits choices', 3],
    ['sends HTML', 3],
    ['answers 400', 1, 'VALIDATION_ERROR'],
    ['answers 401', 1],
    ['answers 404', 1, 'VALIDATION_ERROR'],
    ['redirects to metadata', 1],
    ['sends 100 MB', 1],
    ['answers 429 with a long wait', 1, 'RATE_LIMITED'],
    ['answers 503 with a long wait', 1],
  ] as const)('a provider that %s is asked %i times', async (fault, times, code: string = 'PROVIDER_ERROR') => {
    const only = await behaving([FAULTS[fault]])
    const startedAt = elapsed()
    const result = await ask([only])
    expect(result).toMatchObject({ ok: false, code })
    expect([only.calls(), result.attempts.length]).toEqual([times, times])
    expect(elapsed() - startedAt).toBeLessThan(1_500)
    expect(JSON.stringify(result)).not.toContain(UPSTREAM_SECRET)
  })

  test('a short Retry-After is waited for', async () => {
    const only = await behaving([failWith(429, { 'retry-after-ms': '300' }), respondNormally])
    const startedAt = elapsed()
    expect(await ask([only])).toMatchObject({ ok: true })
    expect(elapsed() - startedAt).toBeGreaterThanOrEqual(299)
  })

  test('with another provider ready nobody waits long', async () => {
    const limited = await behaving([failWith(429, { 'retry-after': '5' })], { id: 'a' })
    const spare = await behaving([respondNormally], { id: 'b' })
    const startedAt = elapsed()
    const result = await ask([limited, spare])
    expect(outcomes(result)).toEqual(['a rate_limited', 'b ok'])
    expect(elapsed() - startedAt).toBeLessThan(500)
  })
})

describe('time', () => {
  test('a hang ends in one timeout, without a retry', async () => {
    const only = await behaving([FAULTS['hangs before headers']], { timeoutMs: 200 })
    const startedAt = elapsed()
    const result = await ask([only])
    expect(result).toMatchObject({ ok: false, code: 'PROVIDER_TIMEOUT' })
    expect(only.calls()).toBe(1)
    expect(elapsed() - startedAt).toBeLessThan(400)
  })

  test('hangs of many providers together take no longer than two', async () => {
    const all = await Promise.all(
      ['a', 'b', 'c', 'd'].map((id) => behaving([FAULTS['drips a byte at a time']], { id, timeoutMs: 150 })),
    )
    const startedAt = elapsed()
    expect(await ask(all)).toMatchObject({ ok: false, code: 'PROVIDER_TIMEOUT' })
    expect(elapsed() - startedAt).toBeLessThan(450)
  })

  test('retries end with the budget', async () => {
    const only = await behaving([failWith(500)], { timeoutMs: 100, maxRetries: 5 })
    const startedAt = elapsed()
    deps = { ...deps, backoffMs: 80 }
    expect(await ask([only])).toMatchObject({ ok: false, code: 'PROVIDER_ERROR' })
    expect(elapsed() - startedAt).toBeLessThan(300)
  })

  test('a slow failure is not repeated at the expense of the fallback', async () => {
    const slow = await behaving([delayed(320, failWith(503))], { id: 'a', timeoutMs: 400 })
    const spare = await behaving([delayed(50, respondNormally)], { id: 'b', timeoutMs: 400 })
    expect(outcomes(await ask([slow, spare]))).toEqual(['a status', 'b ok'])
  })

  test('a fast failure is repeated before the fallback is asked', async () => {
    const broken = await behaving([failWith(503)], { id: 'a', timeoutMs: 400 })
    const spare = await behaving([respondNormally], { id: 'b', timeoutMs: 400 })
    expect(outcomes(await ask([broken, spare]))).toEqual(['a status', 'a status', 'a status', 'b ok'])
  })

  test('no time is kept for a fallback whose breaker is open', async () => {
    useHealth({ threshold: 2, openMs: 10_000 })
    const slow = await behaving([delayed(200, failWith(503)), respondNormally], { id: 'a', timeoutMs: 300 })
    const down = await behaving([failWith(500)], { id: 'b', timeoutMs: 300, maxRetries: 1 })
    await ask([down])
    expect(outcomes(await ask([slow, down]))).toEqual(['a status', 'a ok'])
  })

  test('hangs that use up the time do not reach the fallback; once their breakers are open, it serves', async () => {
    useHealth({ threshold: 2, openMs: 10_000 })
    const hangs = [FAULTS['hangs before headers']]
    const a = await behaving(hangs, { id: 'a', timeoutMs: 300 })
    const b = await behaving(hangs, { id: 'b', timeoutMs: 300 })
    const spare = await behaving([respondNormally], { id: 'c', timeoutMs: 300 })
    for (let i = 0; i < 2; i++) {
      const result = await ask([a, b, spare])
      expect(result).toMatchObject({ ok: false, code: 'PROVIDER_TIMEOUT' })
      expect(outcomes(result)).toEqual(['a timeout', 'b timeout'])
    }
    expect(spare.calls()).toBe(0)
    for (let i = 0; i < 3; i++) expect(outcomes(await ask([a, b, spare]))).toEqual(['a circuit_open', 'b circuit_open', 'c ok'])
    expect(circuits(a, b, spare)).toEqual(['open', 'open', 'closed'])
  })

  test('a timeout that others brought about says nothing of the provider', async () => {
    useHealth({ threshold: 1 })
    const hanging = await behaving([FAULTS['hangs before headers']], { id: 'a', timeoutMs: 200 })
    const slow = await behaving([delayed(100, failWith(500))], { id: 'b', timeoutMs: 200 })
    const healthy = await behaving([delayed(150, respondNormally)], { id: 'c', timeoutMs: 200 })
    expect(outcomes(await ask([hanging, slow, healthy]))).toEqual(['a timeout', 'b status', 'c timeout'])
    expect(circuits(hanging, slow, healthy)).toEqual(['open', 'open', 'closed'])
  })
})

/** An answer with that status and a code of OpenAI's. */
const says = (status: number, code: string, headers: Record<string, string> = {}) =>
  respond({ error: { message: UPSTREAM_SECRET, type: 'invalid_request_error', param: null, code } }, { status, headers })

describe('a refusal', () => {
  test('ends the run: no retry, no fallback, the breaker stays closed', async () => {
    useHealth({ threshold: 1 })
    const refuses = await behaving([says(400, 'context_length_exceeded')], { id: 'a', maxRetries: 5 })
    const spare = await behaving([respondNormally], { id: 'b' })
    const result = await ask([refuses, spare])
    expect(result).toMatchObject({
      ok: false,
      code: 'VALIDATION_ERROR',
      fields: {
        details: { reason: 'provider_refused', provider_code: 'context_length_exceeded' },
        headers: { 'x-should-retry': 'false' },
      },
      attempts: [{ provider: 'a', status: 400, outcome: 'refused', code: 'context_length_exceeded' }],
    })
    expect([refuses.calls(), spare.calls(), ...circuits(refuses)]).toEqual([1, 0, 'closed'])
    expect(JSON.stringify(result)).not.toContain(UPSTREAM_SECRET)
  })

  test('of a model that one provider does not have goes to the next provider of it', async () => {
    const without = await behaving([says(404, 'model_not_found')], { id: 'a' })
    const spare = await behaving([respondNormally], { id: 'b' })
    expect(outcomes(await ask([without, spare]))).toEqual(['a refused', 'b ok'])
  })

  test.each([
    ['an outage', [says(404, 'model_not_found')], [failWith(503)], 'PROVIDER_ERROR'],
    ['an outage before it', [failWith(503)], [says(404, 'model_not_found')], 'PROVIDER_ERROR'],
    ['a limit before it', [failWith(429, { 'retry-after': '20' })], [failWith(401)], 'RATE_LIMITED'],
    ['a wrong key before it', [failWith(401)], [says(404, 'model_not_found')], 'PROVIDER_ERROR'],
    ['itself alone', [says(404, 'model_not_found')], [says(404, 'model_not_found')], 'VALIDATION_ERROR'],
  ] as const)('that may be another provider’s matter yields to %s', async (_, first, second, code) => {
    const a = await behaving([...first], { id: 'a', maxRetries: 0 })
    const b = await behaving([...second], { id: 'b', maxRetries: 0 })
    expect(await ask([a, b])).toMatchObject({ ok: false, code })
  })

  test('counts the caller’s messages without those of the gateway', async () => {
    const refuses = await behaving([respond({ error: { message: '', param: 'messages[3].content' } }, { status: 400 })])
    expect(await ask([refuses], { ownMessages: 2 })).toMatchObject({ fields: { param: 'messages[1].content' } })
  })
})

describe('a limit of the provider', () => {
  test.each([
    ['its wait', { 'retry-after': '20' }, '20'],
    ['its wait, within bounds', { 'retry-after': '86400' }, '3600'],
    ['a default where it names none', {}, '10'],
    ['a date', { 'retry-after': new Date(Date.now() + 600_000).toUTCString() }, /^5\d\d$|^600$/],
  ])('is RATE_LIMITED with %s', async (_, headers, wait) => {
    const only = await behaving([failWith(429, headers as Record<string, string>)], { maxRetries: 0 })
    const result = await ask([only])
    expect(result).toMatchObject({ code: 'RATE_LIMITED', fields: { details: { reason: 'provider_rate_limited' } } })
    expect(!result.ok && result.fields.headers?.['retry-after']).toMatch(wait)
  })

  test('of several is the shortest', async () => {
    const a = await behaving([failWith(429, { 'retry-after': '20' })], { id: 'a', maxRetries: 0 })
    const b = await behaving([failWith(429, { 'retry-after': '50' })], { id: 'b', maxRetries: 0 })
    expect(await ask([a, b])).toMatchObject({ fields: { headers: { 'retry-after': '20' } } })
  })
})

describe('what only an operator can end', () => {
  test.each([
    ['key_rejected', failWith(401)],
    ['key_rejected', failWith(403)],
    ['quota_exhausted', says(429, 'insufficient_quota')],
    ['quota_exhausted', failWith(402)],
  ] as const)('%s: PROVIDER_ERROR after one call, told once, and it ranks behind others', async (kind, behaviour) => {
    const faults: string[] = []
    deps = { ...deps, onFault: ({ kind }) => void faults.push(kind) }
    const only = await behaving([behaviour])
    for (let i = 0; i < 2; i++) {
      expect(await ask([only])).toMatchObject({
        code: 'PROVIDER_ERROR',
        fields: { headers: { 'x-should-retry': 'false' } },
        attempts: [{ outcome: kind }],
      })
    }
    expect([only.calls(), faults, deps.health.rank(only.provider)]).toEqual([2, [kind], 1])
    expect(deps.health.status(only.provider)).toMatchObject({ circuit: 'closed', lastError: { kind, fault: true } })
  })
})

describe('the idle limit', () => {
  test('ends a provider that keeps silent, long before the total', async () => {
    deps = { ...deps, limits: { totalMs: 20_000, idleMs: 150 } }
    for (const fault of ['hangs before headers', 'hangs within the body'] as const) {
      const only = await behaving([FAULTS[fault]], { timeoutMs: 20_000 })
      const startedAt = elapsed()
      expect(await ask([only])).toMatchObject({ ok: false, code: 'PROVIDER_TIMEOUT' })
      expect(elapsed() - startedAt).toBeLessThan(5_000)
    }
  })

  test('lets an answer go on for longer, as long as bytes come', async () => {
    deps = { ...deps, limits: { totalMs: 20_000, idleMs: 300 } }
    const slowly: Behaviour = (socket) => {
      const text = JSON.stringify(completion('Good morning.'))
      socket.write(`HTTP/1.1 200 x\r\ncontent-type: application/json\r\ncontent-length: ${text.length + 8}\r\n\r\n`)
      let spaces = 0
      const timer = setInterval(() => {
        if (++spaces <= 8) return void socket.write(' ')
        clearInterval(timer)
        socket.write(text)
      }, 100)
    }
    const only = await behaving([slowly], { timeoutMs: 20_000 })
    const startedAt = elapsed()
    expect(await ask([only])).toMatchObject({ ok: true })
    expect(elapsed() - startedAt).toBeGreaterThan(800)
  })

  test('of the provider counts before the setting, and the total ends what drips', async () => {
    deps = { ...deps, limits: { totalMs: 400, idleMs: 10_000 } }
    const silent = await behaving([FAULTS['hangs before headers']], { id: 'a', timeoutMs: 10_000, idleTimeoutMs: 100 })
    const drips = await behaving([FAULTS['drips a byte at a time']], { id: 'b', timeoutMs: 10_000, idleTimeoutMs: 200 })
    const startedAt = elapsed()
    expect(outcomes(await ask([silent, drips]))).toEqual(['a timeout', 'b timeout'])
    expect(elapsed() - startedAt).toBeGreaterThanOrEqual(390)
    expect(elapsed() - startedAt).toBeLessThan(5_000)
  })

  test('leaves a fast failure its retries although the fallback’s total is as long as all the time there is', async () => {
    deps = { ...deps, limits: { totalMs: 2_000, idleMs: 200 } }
    const broken = await behaving([failWith(503)], { id: 'a', timeoutMs: 2_000 })
    const spare = await behaving([respondNormally], { id: 'b', timeoutMs: 2_000 })
    expect(outcomes(await ask([broken, spare]))).toEqual(['a status', 'a status', 'a status', 'b ok'])
  })
})

describe('fallback', () => {
  test.each(['answers 404', 'answers 401', 'answers 500', 'sends HTML', 'sends 100 MB', 'resets at once'] as const)(
    'when the first %s the next one answers',
    async (fault) => {
      const broken = await behaving([FAULTS[fault]], { id: 'a', maxRetries: 1 })
      const spare = await behaving([respondNormally], { id: 'b' })
      const result = await ask([broken, spare])
      expect(result).toMatchObject({ ok: true, provider: { id: 'b' } })
      expect(outcomes(result).at(-1)).toBe('b ok')
      expect(spare.calls()).toBe(1)
    },
  )

  test('after a hang the next one is asked, and the last failure names the error', async () => {
    const hanging = await behaving([FAULTS['hangs before headers']], { id: 'a', timeoutMs: 100 })
    const broken = await behaving([failWith(400)], { id: 'b', timeoutMs: 100 })
    const result = await ask([hanging, broken])
    expect(result).toMatchObject({ ok: false, code: 'VALIDATION_ERROR' })
    expect(outcomes(result)).toEqual(['a timeout', 'b refused'])
  })

  test('to a forbidden address is never made', async () => {
    const inside = await behaving([respondNormally], { source: 'api' })
    const result = await ask([inside])
    expect(outcomes(result)).toEqual(['openai blocked'])
    expect(inside.upstream.connections()).toBe(0)
  })
})

describe('at most once', () => {
  test.each([
    'answers 500',
    'resets at once',
    'ends before its content-length',
    'hangs within the body',
    'omits choices',
  ] as const)('a provider that %s may have worked: nobody is asked again', async (fault) => {
    const first = await behaving([FAULTS[fault]], { id: 'a', timeoutMs: 150 })
    const spare = await behaving([respondNormally], { id: 'b' })
    expect(await ask([first, spare], { atMostOnce: true })).toMatchObject({ ok: false })
    expect([first.calls(), spare.calls()]).toEqual([1, 0])
  })

  test('a refused connection and a 429 surely did nothing: the next one is asked', async () => {
    const limited = await behaving([FAULTS['answers 429 with a long wait']], { id: 'a' })
    const down = { provider: testProvider({ id: 'down', baseUrl: 'http://127.0.0.1:1/v1', maxRetries: 0 }) }
    const spare = await behaving([respondNormally], { id: 'b' })
    expect(outcomes(await ask([limited, down, spare], { atMostOnce: true }))).toEqual(['a rate_limited', 'down connect', 'b ok'])
  })
})

describe('the breaker', () => {
  test('opens, spares the broken provider while another works, and recovers by itself', async () => {
    const broken = await behaving([failWith(500)], { id: 'a', maxRetries: 4 })
    const spare = await behaving([respondNormally], { id: 'b' })
    await ask([broken, spare])
    expect(broken.calls()).toBe(5)
    expect(outcomes(await ask([broken, spare]))).toEqual(['a circuit_open', 'b ok'])
    expect(broken.calls()).toBe(5)
    broken.upstream.behave(respondNormally)
    await pause(160)
    expect(outcomes(await ask([broken, spare]))).toEqual(['a ok'])
  })

  test('does not starve callers who have nobody else to ask: one probe passes and closes it', async () => {
    const only = await behaving([failWith(500)], { maxRetries: 4 })
    await ask([only])
    only.upstream.behave(respondNormally)
    expect(outcomes(await ask([only]))).toEqual(['openai circuit_open', 'openai ok'])
    expect(outcomes(await ask([only]))).toEqual(['openai ok'])
  })

  test('lets one probe pass, not a crowd', async () => {
    const only = await behaving([failWith(500)], { maxRetries: 4 })
    await ask([only])
    await Promise.all(Array.from({ length: 50 }, () => ask([only])))
    // Probes follow one another while the crowd's retries last; without the breaker it would be 250 calls.
    expect(only.calls() - 5).toBeLessThanOrEqual(5)
  })

  test('tells a caller whom it turns away when to come again', async () => {
    useHealth({ threshold: 1, openMs: 60_000 })
    const down = await behaving([failWith(500)], { id: 'a', maxRetries: 0 })
    const without = await behaving([says(404, 'model_not_found')], { id: 'b' })
    await ask([down])
    const result = await ask([down, without])
    expect(result).toMatchObject({ code: 'PROVIDER_ERROR', attempts: [{ outcome: 'circuit_open' }, { outcome: 'refused' }] })
    expect(Number(!result.ok && result.fields.headers?.['retry-after'])).toBeGreaterThan(50)
  })

  test('blocks nobody from a provider that is well again and slow', async () => {
    useHealth({ threshold: 5, openMs: 100, probeMs: 100 })
    const only = await behaving([failWith(500)], { maxRetries: 4, timeoutMs: 20_000 })
    await ask([only])
    await pause(110)
    only.upstream.behave(delayed(1_500, respondNormally))
    const results = await Promise.all(Array.from({ length: 30 }, () => ask([only])))
    expect(results.filter(({ ok }) => ok)).toHaveLength(30)
    expect(deps.health.status(only.provider)).toMatchObject({ circuit: 'closed', active: 0 })
  })

  test('gives the place of a probe back whose caller goes away', async () => {
    useHealth({ threshold: 1, openMs: 50 })
    const only = await behaving([failWith(500), FAULTS['hangs before headers']], { maxRetries: 0, maxConcurrency: 2 })
    await ask([only])
    await pause(60)
    expect(outcomes(await ask([only], { signal: AbortSignal.timeout(50) }))).toEqual(['openai aborted'])
    only.upstream.behave(respondNormally)
    expect(outcomes(await ask([only]))).toEqual(['openai ok'])
    expect(deps.health.status(only.provider)).toMatchObject({ circuit: 'closed', active: 0 })
  })

  test('a probe before its time that hangs leaves the next one its turn', async () => {
    useHealth({ threshold: 1, openMs: 10_000 })
    const hanging = await behaving([FAULTS['hangs before headers']], { id: 'a', timeoutMs: 150 })
    const back = await behaving([failWith(500), respondNormally], { id: 'b', timeoutMs: 150, maxRetries: 0 })
    await ask([hanging])
    await ask([back])
    expect(outcomes(await ask([hanging, back]))).toEqual(['a circuit_open', 'b circuit_open', 'a timeout', 'b ok'])
  })

  test.each([
    ['due', 20],
    ['before their time', 10_000],
  ])('probes that are %s and hang go behind those that had no turn', async (_, openMs) => {
    useHealth({ threshold: 1, openMs })
    const a = await behaving([FAULTS['hangs before headers']], { id: 'a', timeoutMs: 150 })
    const b = await behaving([FAULTS['hangs before headers']], { id: 'b', timeoutMs: 150 })
    const back = await behaving([failWith(500), respondNormally], { id: 'c', timeoutMs: 150, maxRetries: 0 })
    for (const one of [a, b, back]) await ask([one])
    await pause(40)
    expect(outcomes(await ask([a, b, back])).slice(-2)).toEqual(['a timeout', 'b timeout'])
    await pause(40)
    expect(outcomes(await ask([a, b, back])).at(-1)).toBe('c ok')
  })

  test('is not opened by requests that are wrong, limited or given up', async () => {
    const only = await behaving([failWith(400), failWith(429), failWith(404)], { maxRetries: 0 })
    for (let i = 0; i < 10; i++) await ask([only])
    expect(deps.health.status(only.provider).circuit).toBe('closed')
  })
})

describe('concurrency', () => {
  test('never exceeds the cap; who finds it full goes to the next, or gets PROVIDER_ERROR', async () => {
    let active = 0
    let most = 0
    const slow = await behaving(
      [
        (socket, call) => {
          most = Math.max(most, ++active)
          setTimeout(() => {
            active--
            respondNormally(socket, call)
          }, 50)
        },
      ],
      { id: 'a', maxConcurrency: 4 },
    )
    const spare = await behaving([respondNormally], { id: 'b' })
    const both = await Promise.all(Array.from({ length: 12 }, () => ask([slow, spare])))
    expect(both.filter((result) => result.ok && result.provider.id === 'a')).toHaveLength(4)
    expect(both.filter((result) => result.ok && result.provider.id === 'b')).toHaveLength(8)
    const alone = await Promise.all(Array.from({ length: 12 }, () => ask([slow])))
    expect(alone.filter(({ ok }) => ok)).toHaveLength(4)
    expect(
      alone.filter((result) => !result.ok && result.code === 'PROVIDER_ERROR' && outcomes(result)[0] === 'a busy'),
    ).toHaveLength(8)
    expect(most).toBe(4)
    expect(deps.health.status(slow.provider).active).toBe(0)
  })
})

test('a caller who goes away ends attempts and pauses', async () => {
  const hanging = await behaving([FAULTS['hangs before headers']], { id: 'a' })
  const spare = await behaving([respondNormally], { id: 'b' })
  const limited = await behaving([failWith(429, { 'retry-after': '8' })], { id: 'c', timeoutMs: 20_000 })
  const startedAt = elapsed()
  const leaving = () => AbortSignal.timeout(60)
  expect(outcomes(await ask([hanging, spare], { signal: leaving() }))).toEqual(['a aborted'])
  expect(outcomes(await ask([limited], { signal: leaving() }))).toEqual(['c rate_limited'])
  expect(elapsed() - startedAt).toBeLessThan(500)
  expect(spare.calls()).toBe(0)
})

test('a dry run, and a stub, call nobody and cost nothing', async () => {
  const real = await behaving([respond(completion(UPSTREAM_SECRET))])
  expect(outcomes(await ask([real], { dryRun: true }))).toEqual(['openai stubbed'])
  expect(real.calls()).toBe(0)
  const stub = { provider: testProvider({ id: 'demo', kind: 'stub', baseUrl: null }) }
  expect(await ask([stub])).toMatchObject({
    ok: true,
    completion: { model: 'small', object: 'chat.completion' },
    provider: { id: 'demo' },
  })
})

test('stub: its tokens cost what the prices of its model say, and nothing in a dry run', async () => {
  const models = [{ id: 'small', upstreamName: null, inputPrice: 2, outputPrice: 10, createdAt: new Date(0) }]
  const stub = { provider: testProvider({ id: 'demo', kind: 'stub', baseUrl: null, models }) }
  const [attempt] = (await ask([stub])).attempts
  const { prompt_tokens = 0, completion_tokens = 0 } = attempt ?? {}
  expect(prompt_tokens).toBeGreaterThan(0)
  expect(attempt?.cost).toBeCloseTo((prompt_tokens * 2 + completion_tokens * 10) / 1_000_000, 12)
  expect((await ask([stub], { dryRun: true })).attempts[0]).not.toHaveProperty('cost')
})

test('nobody to ask is PROVIDER_ERROR', async () =>
  expect(await ask([])).toEqual({ ok: false, code: 'PROVIDER_ERROR', fields: {}, attempts: [] }))
