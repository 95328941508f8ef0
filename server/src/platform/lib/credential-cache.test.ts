import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { CredentialCache } from './credential-cache.ts'

/** A cache over `rows`, with an adjustable clock and a list of the hashes that were looked up. */
function createCache(rows: Pick<Map<string, string>, 'get'>, options: { maxKnown?: number; maxUnknown?: number } = {}) {
  let now = 1
  const loads: string[] = []
  const load = async (hash: string) => {
    loads.push(hash)
    return rows.get(hash)
  }
  const cache = new CredentialCache(load, { clock: () => now, ...options })
  const advance = (ms: number) => {
    now += ms
  }
  return { cache, loads, advance }
}

const brokenRows = () => ({
  isBroken: true,
  get(): string {
    if (this.isBroken) throw new Error('no database')
    return 'A'
  },
})

test('CredentialCache: known credential is looked up again after 750 ms', async () => {
  const { cache, loads, advance } = createCache(new Map([['a', 'A']]))
  for (let i = 0; i < 100; i++) expect(await cache.get('a')).toBe('A')
  expect(loads).toEqual(['a'])
  advance(750)
  await cache.get('a')
  expect(loads).toEqual(['a', 'a'])
})

test('CredentialCache: credential that is used is looked up again in the background from 500 ms on, and refused once it is revoked', async () => {
  const rows = new Map([['a', 'A']])
  const { cache, loads, advance } = createCache(rows)
  await cache.get('a')
  advance(499)
  await cache.get('a')
  expect(loads).toEqual(['a'])
  rows.set('a', 'renamed')
  advance(1)
  expect(await Promise.all([cache.get('a'), cache.get('a')])).toEqual(['A', 'A'])
  await setImmediate()
  expect(loads).toEqual(['a', 'a'])
  rows.delete('a')
  // Its age counts from the second look-up.
  advance(500)
  expect(await cache.get('a')).toBe('renamed')
  await setImmediate()
  expect(await cache.get('a')).toBeUndefined()
})

test('CredentialCache: second look-up in the background that fails leaves the credential valid until 750 ms', async () => {
  const rows = brokenRows()
  rows.isBroken = false
  const { cache, loads, advance } = createCache(rows)
  await cache.get('a')
  rows.isBroken = true
  advance(600)
  for (let i = 0; i < 10; i++) {
    expect(await cache.get('a')).toBe('A')
    await setImmediate()
  }
  expect(loads).toEqual(['a', 'a'])
  advance(150)
  await expect(cache.get('a')).rejects.toThrow('no database')
})

test('CredentialCache: concurrent callers share one look-up', async () => {
  const { cache, loads } = createCache(new Map([['a', 'A']]))
  expect(await Promise.all(Array.from({ length: 50 }, () => cache.get('a')))).toEqual(Array(50).fill('A'))
  expect(loads).toEqual(['a'])
})

test('CredentialCache: valid credential stays cached when 5,000 invented ones are looked up', async () => {
  const { cache, loads } = createCache(new Map([['real', 'R']]), { maxKnown: 10, maxUnknown: 10 })
  await cache.get('real')
  await Promise.all(Array.from({ length: 5_000 }, (_, i) => cache.get(`invented-${i}`)))
  loads.length = 0
  await cache.get('real')
  expect(loads).toEqual([])
})

test('CredentialCache: unknown credential is looked up again after 750 ms', async () => {
  const rows = new Map<string, string>()
  const { cache, loads, advance } = createCache(rows)
  for (let i = 0; i < 20; i++) expect(await cache.get('new')).toBeUndefined()
  expect(loads).toEqual(['new'])
  rows.set('new', 'N')
  advance(751)
  expect(await cache.get('new')).toBe('N')
})

test('CredentialCache: at most four unknown credentials are looked up at a time, and a known one does not wait for them', async () => {
  const waiting = new Map<string, (value: string | undefined) => void>()
  let now = 0
  const cache = new CredentialCache<string>((hash) => new Promise((resolve) => waiting.set(hash, resolve)), { clock: () => now })
  const first = cache.get('known')
  await setImmediate()
  waiting.get('known')?.('K')
  await first
  waiting.clear()
  now += 1_000
  const unknown = Array.from({ length: 20 }, (_, i) => cache.get(`unknown-${i}`))
  const known = cache.get('known')
  await setImmediate()
  expect([...waiting.keys()]).toEqual(['known', 'unknown-0', 'unknown-1', 'unknown-2', 'unknown-3'])
  waiting.get('known')?.('K')
  expect(await known).toBe('K')
  const results = Promise.all(unknown)
  for (let i = 0; i < 20; i++) {
    waiting.get(`unknown-${i}`)?.(undefined)
    await setImmediate()
  }
  expect(await results).toEqual(Array(20).fill(undefined))
})

test('CredentialCache: result is not kept when forget was called during the look-up', async () => {
  let resolveLoad: (value: string) => void = () => {}
  let loads = 0
  const cache = new CredentialCache<string>(() => {
    loads += 1
    return new Promise((resolve) => {
      resolveLoad = resolve
    })
  })
  const before = cache.get('a')
  await setImmediate()
  cache.forget()
  resolveLoad('stale')
  expect(await before).toBe('stale')
  const after = cache.get('a')
  await setImmediate()
  resolveLoad('fresh')
  expect(await after).toBe('fresh')
  expect(loads).toBe(2)
})

test('CredentialCache: all waiting callers get the error when a look-up fails, and the next call looks up again', async () => {
  const rows = brokenRows()
  const { cache } = createCache(rows)
  await expect(Promise.all([cache.get('a'), cache.get('a')])).rejects.toThrow('no database')
  rows.isBroken = false
  expect(await cache.get('a')).toBe('A')
})

test('CredentialCache: known credential is not accepted when its second look-up fails', async () => {
  const rows = brokenRows()
  rows.isBroken = false
  const { cache, advance } = createCache(rows)
  await cache.get('a')
  rows.isBroken = true
  advance(750)
  await expect(cache.get('a')).rejects.toThrow('no database')
})
