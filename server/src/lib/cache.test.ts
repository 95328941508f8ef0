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
