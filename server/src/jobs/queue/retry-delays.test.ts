import { describe, expect, test } from 'vitest'
import { DELIVERY_LIFETIME_MS } from '../../messaging/events/webhook.ts'
import { doublingDelay, longestDelay, RETRY_DELAYS, RetryPause, steppedDelay } from './retry-delays.ts'

const STEPS = RETRY_DELAYS.webhookDelivery

test('webhook delays: grow, spread, and end within three days', () => {
  const delays = Array.from({ length: 30 }, (_, i) => steppedDelay(i + 1, STEPS, () => 0.5))
  expect(delays).toEqual(delays.toSorted((a, b) => a - b))
  expect(delays[0]).toBe(5_000)
  expect([steppedDelay(1, STEPS, () => 0), steppedDelay(1, STEPS, () => 1)]).toEqual([4_500, 5_500])
  expect(steppedDelay(30, STEPS, () => 1)).toBe(longestDelay(STEPS))
  expect(longestDelay(STEPS)).toBeLessThan(DELIVERY_LIFETIME_MS)
})

test('doubling delays: double up to their maximum, however many failures there are', () => {
  const delay = (failures: number) => doublingDelay(failures, { firstMs: 10, maxMs: 70 })
  expect([1, 2, 3, 4, 5, 10_000].map(delay)).toEqual([10, 20, 40, 70, 70, 70])
})

describe('a pause after failures', () => {
  const pause = (tolerated?: number) => new RetryPause({ firstMs: 60_000, maxMs: 600_000 }, tolerated)

  test('begins with the first failure that is not tolerated, and ends with a success', () => {
    const one = pause(1)
    one.failed()
    expect([one.hasFailed, one.isActive]).toEqual([true, false])
    one.failed()
    expect(one.isActive).toBe(true)
    one.succeeded()
    expect([one.hasFailed, one.isActive]).toEqual([false, false])
  })

  test('is longer after each failure, and begins again as long as before when restarted', () => {
    const one = pause()
    one.restart()
    expect(one.isActive).toBe(false)
    one.failed()
    const first = one.until
    one.failed()
    expect(one.until - first).toBeGreaterThanOrEqual(60_000)
    const second = one.until
    one.restart()
    expect(one.until - second).toBeLessThan(60_000)
  })
})
