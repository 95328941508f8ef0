import { expect, test } from 'vitest'
import { DELIVERY_LIFETIME_MS } from '../../domains/messaging/events/webhook.ts'
import { doublingDelay, longestDelay, RETRY_DELAYS, RetryPause, steppedDelay } from './retry-delays.ts'

const STEPS = RETRY_DELAYS.webhookDelivery

test('steppedDelay: delays of webhooks grow, vary at random and are shorter than the lifetime of a delivery', () => {
  const delays = Array.from({ length: 30 }, (_, i) => steppedDelay(i + 1, STEPS, () => 0.5))
  expect(delays).toEqual(delays.toSorted((a, b) => a - b))
  expect(delays[0]).toBe(5_000)
  expect([steppedDelay(1, STEPS, () => 0), steppedDelay(1, STEPS, () => 1)]).toEqual([4_500, 5_500])
  expect(steppedDelay(30, STEPS, () => 1)).toBe(longestDelay(STEPS))
  expect(longestDelay(STEPS)).toBeLessThan(DELIVERY_LIFETIME_MS)
})

test('doublingDelay: doubles with each failure up to the maximum', () => {
  const delay = (failures: number) => doublingDelay(failures, { firstMs: 10, maxMs: 70 })
  expect([1, 2, 3, 4, 5, 10_000].map(delay)).toEqual([10, 20, 40, 70, 70, 70])
})

const createPause = (tolerated?: number) => new RetryPause({ firstMs: 60_000, maxMs: 600_000 }, tolerated)

test('RetryPause: begins at the first failure that is not tolerated and ends with a success', () => {
  const pause = createPause(1)
  pause.failed()
  expect([pause.hasFailed, pause.isActive]).toEqual([true, false])
  pause.failed()
  expect(pause.isActive).toBe(true)
  pause.succeeded()
  expect([pause.hasFailed, pause.isActive]).toEqual([false, false])
})

test('RetryPause: grows with each failure, and has the same length when it is restarted', () => {
  const pause = createPause()
  pause.restart()
  expect(pause.isActive).toBe(false)
  pause.failed()
  const first = pause.until
  pause.failed()
  expect(pause.until - first).toBeGreaterThanOrEqual(60_000)
  const second = pause.until
  pause.restart()
  expect(pause.until - second).toBeLessThan(60_000)
})
