import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CredentialCache } from './credential-cache.ts'

/** A cache over `rows`, with a clock that the test moves and a log of what was looked up. */
function cacheOver(rows: Map<string, string>, options: { maxKnown?: number; maxUnknown?: number } = {}) {
  let now = 1
  const loads: string[] = []
  const load = async (hash: string) => {
    loads.push(hash)
    return rows.get(hash)
  }
  const cache = new CredentialCache(load, { clock: () => now, ...options })
  const pass = (ms: number) => {
    now += ms
  }
  return { cache, loads, pass }
}

test('a known credential is looked up once, then again when its moment is over', async () => {
  const { cache, loads, pass } = cacheOver(new Map([['a', 'A']]))
  for (let i = 0; i < 100; i++) expect(await cache.get('a')).toBe('A')
  expect(loads).toEqual(['a'])
  pass(749)
  await cache.get('a')
  expect(loads).toEqual(['a'])
  pass(1)
  await cache.get('a')
  expect(loads).toEqual(['a', 'a'])
})

test('callers at the same time share one look-up', async () => {
  const { cache, loads } = cacheOver(new Map([['a', 'A']]))
  expect(await Promise.all(Array.from({ length: 50 }, () => cache.get('a')))).toEqual(Array(50).fill('A'))
  expect(loads).toEqual(['a'])
})

test('invented credentials never push a real one out, however many there are', async () => {
  const { cache, loads } = cacheOver(new Map([['real', 'R']]), { maxKnown: 10, maxUnknown: 10 })
  await cache.get('real')
  await Promise.all(Array.from({ length: 5_000 }, (_, i) => cache.get(`invented-${i}`)))
  loads.length = 0
  await cache.get('real')
  expect(loads).toEqual([])
})

test('an unknown credential is remembered as unknown, for as short a moment', async () => {
  const rows = new Map<string, string>()
  const { cache, loads, pass } = cacheOver(rows)
  for (let i = 0; i < 20; i++) expect(await cache.get('new')).toBeUndefined()
  expect(loads).toEqual(['new'])
  rows.set('new', 'N')
  pass(751)
  expect(await cache.get('new')).toBe('N')
})

test('at most four strangers are looked up at a time, and a known credential does not wait behind them', async () => {
  const waiting = new Map<string, (answer: string | undefined) => void>()
  let now = 0
  const cache = new CredentialCache<string>((hash) => new Promise((resolve) => waiting.set(hash, resolve)), { clock: () => now })
  const first = cache.get('known')
  await setImmediate()
  waiting.get('known')?.('K')
  await first
  waiting.clear()
  now += 1_000
  const strangers = Array.from({ length: 20 }, (_, i) => cache.get(`stranger-${i}`))
  const known = cache.get('known')
  await setImmediate()
  expect([...waiting.keys()]).toEqual(['known', 'stranger-0', 'stranger-1', 'stranger-2', 'stranger-3'])
  waiting.get('known')?.('K')
  expect(await known).toBe('K')
  const answered = Promise.all(strangers)
  for (let i = 0; i < 20; i++) {
    waiting.get(`stranger-${i}`)?.(undefined)
    await setImmediate()
  }
  expect(await answered).toEqual(Array(20).fill(undefined))
})

test('what was being looked up while everything was forgotten is not remembered', async () => {
  let answer: (value: string) => void = () => {}
  let loads = 0
  const cache = new CredentialCache<string>(() => {
    loads += 1
    return new Promise((resolve) => {
      answer = resolve
    })
  })
  const before = cache.get('a')
  await setImmediate()
  cache.forget()
  answer('stale')
  expect(await before).toBe('stale')
  const after = cache.get('a')
  await setImmediate()
  answer('fresh')
  expect(await after).toBe('fresh')
  expect(loads).toBe(2)
})

test('a look-up that fails is told to all who wait for it and tried again by the next', async () => {
  let broken = true
  const cache = new CredentialCache<string>(async () => {
    if (broken) throw new Error('no database')
    return 'A'
  })
  await expect(Promise.all([cache.get('a'), cache.get('a')])).rejects.toThrow('no database')
  broken = false
  expect(await cache.get('a')).toBe('A')
})

test('a known credential whose second look-up fails is not let in on the first', async () => {
  let broken = false
  let now = 0
  const load = async () => {
    if (broken) throw new Error('no database')
    return 'A'
  }
  const cache = new CredentialCache<string>(load, { clock: () => now })
  await cache.get('a')
  broken = true
  now += 750
  await expect(cache.get('a')).rejects.toThrow('no database')
})
