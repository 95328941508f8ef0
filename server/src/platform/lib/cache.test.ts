import { expect, test } from 'vitest'
import { Cache } from './cache.ts'

test('Cache: all waiting callers get a timeout when a load takes too long, and the next call loads again', async () => {
  let loads = 0
  const cache = new Cache<string>(() => (++loads === 1 ? new Promise(() => {}) : Promise.resolve('loaded')), { loadMs: 30 })
  const waiting = [cache.get('a'), cache.get('a')]
  for (const outcome of await Promise.allSettled(waiting))
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'ETIMEDOUT' } })
  expect(loads).toBe(1)
  expect(await cache.get('a')).toBe('loaded')
})

test('Cache: loads again after the age when the event loop has been busy all the time', async () => {
  let loads = 0
  const cache = new Cache(async () => ++loads, { maxAgeMs: 20 })
  const startedAt = performance.now()
  while (performance.now() - startedAt < 60) await cache.get('a')
  expect(loads).toBeGreaterThan(1)
})

test('Cache: value is not kept when forget was called during its load', async () => {
  const resolveLoads: ((value: string) => void)[] = []
  const cache = new Cache<string>(() => new Promise((resolve) => resolveLoads.push(resolve)))
  const before = cache.get('a')
  cache.forget()
  const after = cache.get('a')
  resolveLoads[0]?.('stale')
  resolveLoads[1]?.('fresh')
  expect(await before).toBe('stale')
  expect(await after).toBe('fresh')
  expect(await cache.get('a')).toBe('fresh')
})
