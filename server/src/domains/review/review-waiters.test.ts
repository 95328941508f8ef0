import { afterEach, expect, test } from 'vitest'
import { localSignal } from '../../platform/db/signal.ts'
import { elapsed } from '../../platform/lib/clock.ts'
import { ReviewWaiters, type Wait } from './review-waiters.ts'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const clock = { now: () => new Date(elapsed()) }
let opened: ReviewWaiters[] = []
afterEach(() => {
  for (const waiters of opened) waiters.close()
  opened = []
})

function newWaiters(): ReviewWaiters {
  const waiters = new ReviewWaiters({ signal: localSignal(), clock, onError: () => {} })
  opened.push(waiters)
  return waiters
}

/** A value that the test sets, and the number of its reads. */
function newSource<T>(value: T) {
  const source = {
    value,
    reads: 0,
    read: async () => {
      source.reads++
      return source.value
    },
  }
  return source
}
const waitUpTo = (ms: number) => () => ms

/** Waits until the value is true, at most `ms`. */
const wait = (waiters: ReviewWaiters, { read }: Pick<Wait<boolean>, 'read'>, ms: number, more: Partial<Wait<boolean>> = {}) =>
  waiters.waitUntil('a', { read, isDone: (value) => value, maxWaitMs: waitUpTo(ms), ...more })

test('waiters: value is read once when the limit is 0', async () => {
  const source = newSource(false)
  expect(await wait(newWaiters(), source, 0)).toBe(false)
  expect(source.reads).toBe(1)
})

test('waiters: value is returned immediately when it is done', async () => {
  const waiters = newWaiters()
  expect(await wait(waiters, { read: async () => true }, 120_000)).toBe(true)
  expect(waiters.size).toBe(0)
})

test('waiters: a change during a read is not missed', async () => {
  const waiters = newWaiters()
  let state = false
  const read = async () => {
    const before = state
    if (!state) {
      state = true
      await waiters.changed('a')
    }
    return before
  }
  const started = elapsed()
  expect(await wait(waiters, { read }, 40_000)).toBe(true)
  expect(elapsed() - started).toBeLessThan(30_000)
})

test('waiters: value is read again at the limit when a signal was lost', async () => {
  const source = newSource(false)
  const waited = wait(newWaiters(), source, 60)
  source.value = true
  expect(await waited).toBe(true)
  expect(source.reads).toBe(2)
})

test('waiters: wait ends without another read when the client disconnects', async () => {
  const waiters = newWaiters()
  const client = new AbortController()
  const source = newSource(false)
  const { signal } = client
  const waited = wait(waiters, source, 120_000, { signal })
  await sleep(20)
  source.value = true
  client.abort()
  expect(await waited).toBe(false)
  expect([source.reads, waiters.size]).toEqual([1, 0])
})

test('waiters: wait rejects and is removed when a read fails', async () => {
  const waiters = newWaiters()
  const read = () => Promise.reject(new Error('database gone'))
  await expect(wait(waiters, { read }, 1_000)).rejects.toThrow('database gone')
  expect(waiters.size).toBe(0)
})

test('waiters: value is read again at wakeAt', async () => {
  const wakeAt = new Date(clock.now().getTime() + 80)
  const read = async () => clock.now() >= wakeAt
  const started = elapsed()
  expect(await wait(newWaiters(), { read }, 40_000, { wakeAt: () => wakeAt })).toBe(true)
  expect(elapsed() - started).toBeLessThan(30_000)
})

test('waiters: value is read again when wakeAt passes during a read', async () => {
  const wakeAt = new Date(clock.now().getTime() + 20)
  const read = async () => {
    const asOf = clock.now()
    await sleep(50)
    return asOf >= wakeAt
  }
  const started = elapsed()
  expect(await wait(newWaiters(), { read }, 40_000, { wakeAt: () => wakeAt })).toBe(true)
  expect(elapsed() - started).toBeLessThan(30_000)
})

test('waiters: wakeAt does not cause polling when it is in the past', async () => {
  const source = newSource(false)
  await wait(newWaiters(), source, 100, { wakeAt: () => new Date(0) })
  expect(source.reads).toBeLessThanOrEqual(3)
})

test('waiters: limit depends on the last value', async () => {
  const waiters = newWaiters()
  const source = newSource('busy')
  const isDone = (state: string) => state === 'released'
  const maxWaitMs = (state: string) => (state === 'busy' ? 10_000 : 0)
  const waited = waiters.waitUntil('a', { read: source.read, isDone, maxWaitMs })
  await sleep(20)
  source.value = 'pending'
  await waiters.changed('a')
  expect(await waited).toBe('pending')
})

test('waiters: one of 10,000 reads again when its item changes', async () => {
  const waiters = newWaiters()
  const sources = Array.from({ length: 10_000 }, () => newSource(false))
  const clients = new AbortController()
  const waits = sources.map((source, i) =>
    waiters.waitUntil(`item ${i}`, {
      read: source.read,
      isDone: (value) => value,
      maxWaitMs: waitUpTo(120_000),
      signal: clients.signal,
    }),
  )
  await expect.poll(() => waiters.size).toBe(10_000)
  const [first] = sources
  if (first) first.value = true
  await waiters.changed('item 0')
  expect(await waits[0]).toBe(true)
  expect(sources.reduce((sum, { reads }) => sum + reads, 0)).toBe(10_001)
  clients.abort()
  await Promise.all(waits)
  expect(waiters.size).toBe(0)
})

test('waiters: waits end with their last values when the server stops', async () => {
  const waiters = newWaiters()
  const source = newSource(false)
  const waited = wait(waiters, source, 120_000)
  await sleep(10)
  waiters.close()
  expect(await waited).toBe(false)
  expect(source.reads).toBe(1)
})
