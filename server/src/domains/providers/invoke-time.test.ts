import { describe, expect, test } from 'vitest'
import {
  type Behaviour,
  completion,
  FAULTS,
  failWith,
  respondNormally,
  UPSTREAM_SECRET,
} from '../../../test/support/faulty-provider.ts'
import { delayed, invokeFixture, outcomes } from '../../../test/support/invoke-fixture.ts'
import { elapsed } from '../../platform/lib/clock.ts'
import { Health } from './health.ts'
import { NO_PRICES } from './prices.ts'

const { startProvider, send, changeDeps, circuits } = invokeFixture()

describe('retries', () => {
  test('invoke: returns both attempts with their cost when the second one succeeds', async () => {
    const models = [{ id: 'small', upstreamName: 'x', ...NO_PRICES, inputPrice: 2, outputPrice: 10, createdAt: new Date(0) }]
    const only = await startProvider([failWith(500), respondNormally], { models })
    const result = await send([only])
    expect(result).toMatchObject({
      ok: true,
      response: { model: 'small', choices: [{ message: { content: 'Good morning.' } }] },
      attempts: [
        { provider: 'openai', model: 'small', status: 500, outcome: 'status' },
        { provider: 'openai', model: 'small', outcome: 'ok', prompt_tokens: 11, completion_tokens: 7, cost: 0.000092 },
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
  ] as const)('invoke: a provider that %s gets %i requests', async (fault, times, code: string = 'PROVIDER_ERROR') => {
    const only = await startProvider([FAULTS[fault]])
    const startedAt = elapsed()
    const result = await send([only])
    expect(result).toMatchObject({ ok: false, code })
    expect([only.requestCount(), result.attempts.length]).toEqual([times, times])
    expect(elapsed() - startedAt).toBeLessThan(15_000)
    expect(JSON.stringify(result)).not.toContain(UPSTREAM_SECRET)
  })

  test('invoke: does not wait for Retry-After when another provider is available', async () => {
    const limited = await startProvider([failWith(429, { 'retry-after': '16' })], { id: 'a' })
    const spare = await startProvider([respondNormally], { id: 'b' })
    const startedAt = elapsed()
    const result = await send([limited, spare])
    expect(outcomes(result)).toEqual(['a rate_limited', 'b ok'])
    expect(elapsed() - startedAt).toBeLessThan(15_000)
  })
})

describe('time budget', () => {
  test('invoke: does not retry after a timeout', async () => {
    const only = await startProvider([FAULTS['hangs before headers']], { timeoutMs: 200 })
    const result = await send([only])
    expect(result).toMatchObject({ ok: false, code: 'PROVIDER_TIMEOUT' })
    expect(only.requestCount()).toBe(1)
  })

  test('invoke: timeouts of four providers take at most twice the longest timeout', async () => {
    const all = await Promise.all(
      ['a', 'b', 'c', 'd'].map((id) => startProvider([FAULTS['drips a byte at a time']], { id, timeoutMs: 3_000 })),
    )
    const startedAt = elapsed()
    expect(await send(all)).toMatchObject({ ok: false, code: 'PROVIDER_TIMEOUT' })
    // Four times the timeout would be 12 s.
    expect(elapsed() - startedAt).toBeLessThan(10_500)
  })

  test('invoke: stops retries when the time budget is used', async () => {
    const only = await startProvider([failWith(500)], { timeoutMs: 100, maxRetries: 5 })
    changeDeps({ backoffMs: 80 })
    expect(await send([only])).toMatchObject({ ok: false, code: expect.stringMatching(/^PROVIDER_/) })
    expect(only.requestCount()).toBeLessThan(6)
  })

  test('invoke: does not retry a slow failure when the fallback needs the time', async () => {
    const slow = await startProvider([delayed(4_800, failWith(503))], { id: 'a', timeoutMs: 6_000 })
    const spare = await startProvider([delayed(50, respondNormally)], { id: 'b', timeoutMs: 6_000 })
    expect(outcomes(await send([slow, spare]))).toEqual(['a status', 'b ok'])
  })

  test.each([
    ['is less than the budget', {}],
    ['equals the whole budget', { limits: { totalMs: 20_000, idleMs: 10_000 } }],
  ])('invoke: retries a fast failure before the fallback gets the request when its timeout %s', async (_, change) => {
    changeDeps(change)
    const broken = await startProvider([failWith(503)], { id: 'a' })
    const spare = await startProvider([respondNormally], { id: 'b' })
    expect(outcomes(await send([broken, spare]))).toEqual(['a status', 'a status', 'a status', 'b ok'])
  })

  test('invoke: reserves no time for a fallback whose breaker is open', async () => {
    changeDeps({ health: new Health({ threshold: 2, openMs: 60_000 }) })
    const slow = await startProvider([delayed(3_000, failWith(503)), respondNormally], { id: 'a', timeoutMs: 4_500 })
    const down = await startProvider([failWith(500)], { id: 'b', timeoutMs: 4_500, maxRetries: 1 })
    await send([down])
    expect(outcomes(await send([slow, down]))).toEqual(['a status', 'a ok'])
  })

  test('invoke: the fallback serves once the breakers of providers that hang are open', async () => {
    changeDeps({ health: new Health({ threshold: 2, openMs: 60_000 }) })
    const hangs = [FAULTS['hangs before headers']]
    const a = await startProvider(hangs, { id: 'a', timeoutMs: 700 })
    const b = await startProvider(hangs, { id: 'b', timeoutMs: 700 })
    const spare = await startProvider([respondNormally], { id: 'c', timeoutMs: 700 })
    for (let i = 0; i < 2; i++) {
      const result = await send([a, b, spare])
      expect(result).toMatchObject({ ok: false, code: 'PROVIDER_TIMEOUT' })
      expect(outcomes(result)).toEqual(['a timeout', 'b timeout'])
    }
    expect(spare.requestCount()).toBe(0)
    for (let i = 0; i < 3; i++) expect(outcomes(await send([a, b, spare]))).toEqual(['a circuit_open', 'b circuit_open', 'c ok'])
    expect(circuits(a, b, spare)).toEqual(['open', 'open', 'closed'])
  })

  test('invoke: a timeout does not open the breaker when earlier attempts used the time', async () => {
    changeDeps({ health: new Health({ threshold: 1, openMs: 60_000 }) })
    const hanging = await startProvider([FAULTS['hangs before headers']], { id: 'a', timeoutMs: 2_400 })
    const slow = await startProvider([delayed(1_200, failWith(500))], { id: 'b', timeoutMs: 2_400 })
    const healthy = await startProvider([delayed(1_800, respondNormally)], { id: 'c', timeoutMs: 2_400 })
    expect(outcomes(await send([hanging, slow, healthy]))).toEqual(['a timeout', 'b status', 'c timeout'])
    expect(circuits(hanging, slow, healthy)).toEqual(['open', 'open', 'closed'])
  })
})

describe('idle limit', () => {
  test('invoke: ends an attempt without a byte when the idle limit is reached', async () => {
    changeDeps({ limits: { totalMs: 20_000, idleMs: 150 } })
    for (const fault of ['hangs before headers', 'hangs within the body'] as const) {
      const only = await startProvider([FAULTS[fault]], { timeoutMs: 20_000 })
      const startedAt = elapsed()
      expect(await send([only])).toMatchObject({ ok: false, code: 'PROVIDER_TIMEOUT' })
      expect(elapsed() - startedAt).toBeLessThan(5_000)
    }
  })

  test('invoke: a response may take longer than the idle limit while bytes arrive', async () => {
    changeDeps({ limits: { totalMs: 20_000, idleMs: 1_500 } })
    const sendSlowly: Behaviour = (socket) => {
      const text = JSON.stringify(completion('Good morning.'))
      socket.write(`HTTP/1.1 200 x\r\ncontent-type: application/json\r\ncontent-length: ${text.length + 8}\r\n\r\n`)
      let spaces = 0
      const timer = setInterval(() => {
        if (++spaces <= 8) return void socket.write(' ')
        clearInterval(timer)
        socket.write(text)
      }, 200)
    }
    const only = await startProvider([sendSlowly], { timeoutMs: 20_000 })
    const startedAt = elapsed()
    expect(await send([only])).toMatchObject({ ok: true })
    expect(elapsed() - startedAt).toBeGreaterThan(1_600)
  })

  test('invoke: the provider’s idle limit replaces the setting, and the total ends a response that arrives byte by byte', async () => {
    changeDeps({ limits: { totalMs: 3_000, idleMs: 20_000 } })
    const silent = await startProvider([FAULTS['hangs before headers']], { id: 'a', timeoutMs: 20_000, idleTimeoutMs: 100 })
    const dripping = await startProvider([FAULTS['drips a byte at a time']], { id: 'b', timeoutMs: 20_000, idleTimeoutMs: 2_000 })
    const startedAt = elapsed()
    expect(outcomes(await send([silent, dripping]))).toEqual(['a timeout', 'b timeout'])
    expect(elapsed() - startedAt).toBeGreaterThanOrEqual(2_990)
    expect(elapsed() - startedAt).toBeLessThan(15_000)
  })
})
