import { expect, test } from 'vitest'
import { Cache } from './cache.ts'

test('cache: a load that does not end is given up after its time, for all who wait, and is not remembered', async () => {
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

test('Cache: a value that was forgotten while it was loaded is not kept', async () => {
  const answers: ((value: string) => void)[] = []
  const cache = new Cache<string>(() => new Promise((resolve) => answers.push(resolve)))
  const before = cache.get('a')
  cache.forget()
  const after = cache.get('a')
  answers[0]?.('stale')
  answers[1]?.('fresh')
  expect(await before).toBe('stale')
  expect(await after).toBe('fresh')
  expect(await cache.get('a')).toBe('fresh')
})
