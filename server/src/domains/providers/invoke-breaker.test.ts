import { describe, expect, test } from 'vitest'
import { FAULTS, failWith, respondNormally } from '../../../test/support/faulty-provider.ts'
import { delayed, failWithCode, invokeFixture, OPEN_MS, outcomes } from '../../../test/support/invoke-fixture.ts'
import { Health } from './health.ts'

const { startProvider, send, changeDeps, health } = invokeFixture()
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

describe('circuit breaker', () => {
  test('breaker: opens, skips the provider while another one works, and closes after a successful probe', async () => {
    const broken = await startProvider([failWith(500)], { id: 'a', maxRetries: 4 })
    const spare = await startProvider([respondNormally], { id: 'b' })
    await send([broken, spare])
    expect(broken.requestCount()).toBe(5)
    expect(outcomes(await send([broken, spare]))).toEqual(['a circuit_open', 'b ok'])
    expect(broken.requestCount()).toBe(5)
    broken.upstream.behave(respondNormally)
    await pause(OPEN_MS + 20)
    expect(outcomes(await send([broken, spare]))).toEqual(['a ok'])
  })

  test('breaker: lets one early probe pass when there is no other provider, and its success closes it', async () => {
    const only = await startProvider([failWith(500)], { maxRetries: 4 })
    await send([only])
    only.upstream.behave(respondNormally)
    expect(outcomes(await send([only]))).toEqual(['openai circuit_open', 'openai ok'])
    expect(outcomes(await send([only]))).toEqual(['openai ok'])
  })

  test('breaker: lets one early probe pass at a time when many requests arrive', async () => {
    const only = await startProvider([failWith(500)], { maxRetries: 4 })
    await send([only])
    await Promise.all(Array.from({ length: 50 }, () => send([only])))
    // One probe after the other passes while the requests are retried. Without the breaker it would be 250 upstream requests.
    expect(only.requestCount() - 5).toBeLessThanOrEqual(20)
  })

  test('breaker: the error has Retry-After when the provider was skipped', async () => {
    changeDeps({ health: new Health({ threshold: 1, openMs: 60_000 }) })
    const down = await startProvider([failWith(500)], { id: 'a', maxRetries: 0 })
    const without = await startProvider([failWithCode(404, 'model_not_found')], { id: 'b' })
    await send([down])
    const result = await send([down, without])
    expect(result).toMatchObject({ code: 'PROVIDER_ERROR', attempts: [{ outcome: 'circuit_open' }, { outcome: 'refused' }] })
    expect(Number(!result.ok && result.fields.headers?.['retry-after'])).toBeGreaterThan(50)
  })

  test('breaker: all requests succeed when the provider recovers but is slow', async () => {
    changeDeps({ health: new Health({ threshold: 5, openMs: 100, probeMs: 100 }) })
    const only = await startProvider([failWith(500)], { maxRetries: 4, timeoutMs: 20_000 })
    await send([only])
    await pause(110)
    only.upstream.behave(delayed(1_500, respondNormally))
    const results = await Promise.all(Array.from({ length: 30 }, () => send([only])))
    expect(results.filter(({ ok }) => ok)).toHaveLength(30)
    expect(health().status(only.provider)).toMatchObject({ circuit: 'closed', active: 0 })
  })

  test('breaker: releases the place of a probe when its client disconnects', async () => {
    changeDeps({ health: new Health({ threshold: 1, openMs: 50 }) })
    const only = await startProvider([failWith(500), FAULTS['hangs before headers']], { maxRetries: 0, maxConcurrency: 2 })
    await send([only])
    await pause(60)
    expect(outcomes(await send([only], { signal: AbortSignal.timeout(1_000) }))).toEqual(['openai aborted'])
    only.upstream.behave(respondNormally)
    expect(outcomes(await send([only]))).toEqual(['openai ok'])
    expect(health().status(only.provider)).toMatchObject({ circuit: 'closed', active: 0 })
  })

  test('breaker: an early probe that hangs leaves time for the next provider', async () => {
    changeDeps({ health: new Health({ threshold: 1, openMs: 10_000 }) })
    const hanging = await startProvider([FAULTS['hangs before headers']], { id: 'a', timeoutMs: 600 })
    const recovered = await startProvider([failWith(500), respondNormally], { id: 'b', timeoutMs: 600, maxRetries: 0 })
    await send([hanging])
    await send([recovered])
    expect(outcomes(await send([hanging, recovered]))).toEqual(['a circuit_open', 'b circuit_open', 'a timeout', 'b ok'])
  })

  test.each([
    ['due', 20],
    ['before their time', 10_000],
  ])('breaker: providers whose probes are %s and hang are probed after the others', async (_, openMs) => {
    changeDeps({ health: new Health({ threshold: 1, openMs }) })
    const a = await startProvider([FAULTS['hangs before headers']], { id: 'a', timeoutMs: 500 })
    const b = await startProvider([FAULTS['hangs before headers']], { id: 'b', timeoutMs: 500 })
    const recovered = await startProvider([failWith(500), respondNormally], { id: 'c', timeoutMs: 500, maxRetries: 0 })
    for (const provider of [a, b, recovered]) await send([provider])
    await pause(40)
    expect(outcomes(await send([a, b, recovered])).slice(-2)).toEqual(['a timeout', 'b timeout'])
    await pause(40)
    expect(outcomes(await send([a, b, recovered])).at(-1)).toBe('c ok')
  })

  test('breaker: stays closed when requests are wrong or limited', async () => {
    const only = await startProvider([failWith(400), failWith(429), failWith(404)], { maxRetries: 0 })
    for (let i = 0; i < 10; i++) await send([only])
    expect(health().status(only.provider).circuit).toBe('closed')
  })
})

describe('concurrency', () => {
  test('concurrency: a request without a place goes to the next provider, or gets PROVIDER_ERROR', async () => {
    let active = 0
    let maxActive = 0
    const slow = await startProvider(
      [
        (socket, call) => {
          maxActive = Math.max(maxActive, ++active)
          setTimeout(() => {
            active--
            respondNormally(socket, call)
          }, 50)
        },
      ],
      { id: 'a', maxConcurrency: 4 },
    )
    const spare = await startProvider([respondNormally], { id: 'b' })
    const both = await Promise.all(Array.from({ length: 12 }, () => send([slow, spare])))
    expect(both.filter((result) => result.ok && result.provider.id === 'a')).toHaveLength(4)
    expect(both.filter((result) => result.ok && result.provider.id === 'b')).toHaveLength(8)
    const alone = await Promise.all(Array.from({ length: 12 }, () => send([slow])))
    expect(alone.filter(({ ok }) => ok)).toHaveLength(4)
    expect(
      alone.filter((result) => !result.ok && result.code === 'PROVIDER_ERROR' && outcomes(result)[0] === 'a busy'),
    ).toHaveLength(8)
    expect(maxActive).toBe(4)
    expect(health().status(slow.provider).active).toBe(0)
  })
})
