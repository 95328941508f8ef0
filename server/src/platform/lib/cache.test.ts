import { setImmediate } from 'node:timers/promises'
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

/** A cache with an adjustable clock, whose loads a test settles. */
function createCache() {
  let now = 1
  const loads: PromiseWithResolvers<string>[] = []
  const load = (): Promise<string> => {
    const next = Promise.withResolvers<string>()
    loads.push(next)
    return next.promise
  }
  const cache = new Cache<string>(load, { clock: () => now, renews: true })
  const advance = (ms: number): void => {
    now += ms
  }
  const settle = async (index: number, value: string): Promise<void> => {
    loads[index]?.resolve(value)
    await setImmediate()
  }
  return { cache, loads, advance, settle }
}

test('Cache: value that is used is loaded again in the background from 500 ms on, and callers do not wait', async () => {
  const { cache, loads, advance, settle } = createCache()
  const first = cache.get('a')
  await settle(0, 'old')
  expect(await first).toBe('old')
  advance(499)
  await cache.get('a')
  expect(loads).toHaveLength(1)
  advance(1)
  expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['old', 'old'])
  expect(loads).toHaveLength(2)
  advance(100)
  await settle(1, 'new')
  expect(await cache.get('a')).toBe('new')
  // The age of a value counts from the start of its load.
  advance(649)
  expect(await cache.get('a')).toBe('new')
  advance(1)
  const next = cache.get('a')
  await settle(2, 'newest')
  expect(await next).toBe('newest')
})

test('Cache: value that is loaded again in the background is not kept when forget was called, and a failure keeps the known one', async () => {
  const { cache, loads, advance, settle } = createCache()
  void cache.get('a')
  await settle(0, 'old')
  advance(600)
  expect(await cache.get('a')).toBe('old')
  loads[1]?.reject(new Error('no database'))
  await setImmediate()
  expect(await cache.get('a')).toBe('old')
  expect(loads).toHaveLength(2)
  advance(150)
  void cache.get('a')
  await settle(2, 'newer')
  advance(600)
  expect(await cache.get('a')).toBe('newer')
  cache.forget('a')
  const after = cache.get('a')
  await settle(3, 'stale')
  await settle(4, 'fresh')
  expect(await after).toBe('fresh')
  expect(await cache.get('a')).toBe('fresh')
})

test('Cache: callers wait for the load in the background if it takes until the value is too old, and no other one begins', async () => {
  const { cache, loads, advance, settle } = createCache()
  void cache.get('a')
  await settle(0, 'old')
  advance(500)
  void cache.get('a')
  advance(300)
  const waiting = [cache.get('a'), cache.get('a')]
  expect(loads).toHaveLength(2)
  await settle(1, 'new')
  expect(await Promise.all(waiting)).toEqual(['new', 'new'])
  advance(449)
  expect(await cache.get('a')).toBe('new')
})
