import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from 'vitest'
import { testDatabases } from '../../test/support/database.ts'
import { OPENED_AT, REVIEW_BOX, seedHold, seedOwner, transact } from '../../test/support/reviews.ts'
import type { Database, Db } from '../db/database.ts'
import type { Schema } from '../db/schema.ts'
import { localSignal, postgresSignal, type Signal } from '../db/signal.ts'
import { type Clock, elapsed } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { decide } from './decision-store.ts'
import { abandonRelease, type Claimed, claimRelease } from './release-store.ts'
import type { ReviewItem, ReviewOwner } from './review.ts'
import { getReview } from './review-store.ts'
import { ReviewWaiters } from './waiting.ts'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
/** Real time that passes in OPENED's year, where no other test's sweep reaches. */
const began = elapsed()
const clock: Clock = { now: () => new Date(OPENED_AT.getTime() + elapsed() - began) }
const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

function waitersOn(signal: Signal, onError: (error: Error) => void = () => {}): ReviewWaiters {
  const waiters = new ReviewWaiters({ signal, clock, onError })
  open.push(() => waiters.close())
  return waiters
}

/** Reads a value that the test sets; counts how often. */
function reading<T>(value: T) {
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
const isTrue = (value: boolean) => value
const patience = (ms: number) => () => ms

describe('waiting', () => {
  test('patience 0 reads once and returns', async () => {
    const source = reading(false)
    expect(await waitersOn(localSignal()).waitUntil('a', { read: source.read, done: isTrue, patienceMs: patience(0) })).toBe(
      false,
    )
    expect(source.reads).toBe(1)
  })

  test('what is done already is not waited for', async () => {
    const waiters = waitersOn(localSignal())
    expect(await waiters.waitUntil('a', { read: async () => true, done: isTrue, patienceMs: patience(120_000) })).toBe(true)
    expect(waiters.size).toBe(0)
  })

  test('a change while it reads is not lost', async () => {
    const waiters = waitersOn(localSignal())
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
    expect(await waiters.waitUntil('a', { read, done: isTrue, patienceMs: patience(10_000) })).toBe(true)
    expect(elapsed() - started).toBeLessThan(8_000)
  })

  test('at the end of the time it reads once more: a lost message costs patience, not the answer', async () => {
    const source = reading(false)
    const answer = waitersOn(localSignal()).waitUntil('a', { read: source.read, done: isTrue, patienceMs: patience(60) })
    source.value = true
    expect(await answer).toBe(true)
    expect(source.reads).toBe(2)
  })

  test('a client that goes away ends its wait, and nothing is read for it any more', async () => {
    const waiters = waitersOn(localSignal())
    const client = new AbortController()
    const source = reading(false)
    const { signal } = client
    const answer = waiters.waitUntil('a', { read: source.read, done: isTrue, patienceMs: patience(120_000), signal })
    await sleep(20)
    source.value = true
    client.abort()
    expect(await answer).toBe(false)
    expect([source.reads, waiters.size]).toEqual([1, 0])
  })

  test('a failing read ends the wait and leaves nothing behind', async () => {
    const waiters = waitersOn(localSignal())
    const read = () => Promise.reject(new Error('database gone'))
    await expect(waiters.waitUntil('a', { read, done: isTrue, patienceMs: patience(1_000) })).rejects.toThrow('database gone')
    expect(waiters.size).toBe(0)
  })

  test('what changes by the clock alone is read when it does', async () => {
    const wakeAt = new Date(clock.now().getTime() + 80)
    const read = async () => clock.now() >= wakeAt
    const wait = { read, done: isTrue, wakeAt: () => wakeAt, patienceMs: patience(10_000) }
    const started = elapsed()
    expect(await waitersOn(localSignal()).waitUntil('a', wait)).toBe(true)
    expect(elapsed() - started).toBeLessThan(8_000)
  })

  test('a time to wake that comes while it reads is not slept through', async () => {
    const wakeAt = new Date(clock.now().getTime() + 20)
    const read = async () => {
      const asOf = clock.now()
      await sleep(50)
      return asOf >= wakeAt
    }
    const started = elapsed()
    const wait = { read, done: isTrue, wakeAt: () => wakeAt, patienceMs: patience(10_000) }
    expect(await waitersOn(localSignal()).waitUntil('a', wait)).toBe(true)
    expect(elapsed() - started).toBeLessThan(8_000)
  })

  test('a time to wake that has passed does not turn waiting into polling', async () => {
    const source = reading(false)
    const wait = { read: source.read, done: isTrue, wakeAt: () => new Date(0), patienceMs: patience(100) }
    await waitersOn(localSignal()).waitUntil('a', wait)
    expect(source.reads).toBeLessThanOrEqual(3)
  })

  test('patience depends on what was read: a release under way is waited for, a pending item is not', async () => {
    const waiters = waitersOn(localSignal())
    const source = reading('busy')
    const wait = {
      read: source.read,
      done: (s: string) => s === 'released',
      patienceMs: (s: string) => (s === 'busy' ? 10_000 : 0),
    }
    const answer = waiters.waitUntil('a', wait)
    await sleep(20)
    source.value = 'pending'
    await waiters.changed('a')
    expect(await answer).toBe('pending')
  })

  test('10,000 wait, one item changes: one reads, and the others cost nothing', async () => {
    const waiters = waitersOn(localSignal())
    const sources = Array.from({ length: 10_000 }, () => reading(false))
    const ends = new AbortController()
    const answers = sources.map((source, i) =>
      waiters.waitUntil(`item ${i}`, { read: source.read, done: isTrue, patienceMs: patience(120_000), signal: ends.signal }),
    )
    await sleep(50)
    expect(waiters.size).toBe(10_000)
    const [first] = sources
    if (first) first.value = true
    await waiters.changed('item 0')
    expect(await answers[0]).toBe(true)
    expect(sources.reduce((sum, { reads }) => sum + reads, 0)).toBe(10_001)
    ends.abort()
    await Promise.all(answers)
    expect(waiters.size).toBe(0)
  })

  test('when the server stops, everybody gets what they have', async () => {
    const waiters = waitersOn(localSignal())
    const source = reading(false)
    const answer = waiters.waitUntil('a', { read: source.read, done: isTrue, patienceMs: patience(120_000) })
    await sleep(10)
    waiters.close()
    expect(await answer).toBe(false)
    expect(source.reads).toBe(1)
  })
})

describe.each(testDatabases())('waiting for reviews on $name', ({ name, open: openDatabase }) => {
  let database: Database
  let owner: ReviewOwner
  /** The same database, every query counted. */
  let counting: Db
  let queries = 0
  const url = inject('postgresUrl') ?? ''
  const node = async (application = 'gatehouse'): Promise<Signal> => {
    const own = new URL(url)
    own.searchParams.set('application_name', application)
    const signal = await postgresSignal(database.pool, own.href, { onError: () => {}, onSilence: () => {} })
    open.push(() => signal.close())
    return signal
  }

  beforeAll(async () => {
    database = await openDatabase()
    owner = await seedOwner(database.db)
    counting = new Kysely<Schema>({
      dialect: new PostgresDialect({ pool: database.pool }),
      log: () => {
        queries++
      },
    })
  })
  afterAll(() => database.close())

  const hold = (lifetimeMs = 60_000) => seedHold(database.db, owner, { createdAt: clock.now(), lifetimeMs })
  const approve = (id: string) => {
    const judgement = { verdict: 'approved', by: 'op-1', comment: null, now: clock.now() } as const
    return transact(database.db, (tx) => decide(tx, owner.workspaceId, id, judgement))
  }
  const decision = (waiters: ReviewWaiters, { id }: ReviewItem, signal?: AbortSignal) =>
    waiters.waitUntil(id, {
      read: () => getReview(counting, owner.workspaceId, id, clock.now()),
      done: (item) => item?.state !== 'pending',
      wakeAt: (item) => item?.expiresAt,
      patienceMs: patience(15_000),
      signal,
    })

  test('100 wait for two items without asking the database, and read once each when theirs is decided', async () => {
    const waiters = waitersOn(database.signal)
    const [mine, other] = [await hold(), await hold()]
    queries = 0
    const client = new AbortController()
    const answers = Array.from({ length: 50 }, () => decision(waiters, mine))
    const others = Array.from({ length: 50 }, () => decision(waiters, other, client.signal))
    await expect.poll(() => queries, { timeout: 10_000 }).toBe(100)
    await sleep(400)
    expect(queries).toBe(100)
    await approve(mine.id)
    await waiters.changed(mine.id)
    expect((await Promise.all(answers)).map((item) => item?.state)).toEqual(Array(50).fill('approved'))
    client.abort()
    expect((await Promise.all(others)).map((item) => item?.state)).toEqual(Array(50).fill('pending'))
    expect(queries).toBe(150)
  })

  test('expiry ends the wait, though nobody says so', async () => {
    const waiters = waitersOn(database.signal)
    const item = await hold(150)
    const started = elapsed()
    expect((await decision(waiters, item))?.state).toBe('expired')
    expect(elapsed() - started).toBeLessThan(7_000)
  })

  test('a caller that meets a release under way goes on when it was given back', async () => {
    const waiters = waitersOn(database.signal)
    const item = await hold()
    await approve(item.id)
    const claim = () => claimRelease(database.db, owner, item, { now: clock.now(), leaseMs: 60_000 }, REVIEW_BOX)
    const first = await claim()
    if (first?.kind !== 'claimed') throw new Error('not claimed')
    const second = waiters.waitUntil<Claimed | undefined>(item.id, {
      read: claim,
      done: (claimed) => claimed?.kind !== 'busy',
      patienceMs: patience(10_000),
    })
    await sleep(30)
    await abandonRelease(database.db, owner, first.claim)
    await waiters.changed(item.id)
    expect((await second)?.kind).toBe('claimed')
  })

  test.runIf(name === 'postgresql')('a decision on another node ends the wait at once', async () => {
    const [here, there] = [waitersOn(await node()), waitersOn(await node())]
    const item = await hold()
    const answer = decision(here, item)
    await sleep(50)
    await approve(item.id)
    const started = elapsed()
    await there.changed(item.id)
    expect((await answer)?.state).toBe('approved')
    expect(elapsed() - started).toBeLessThan(7_000)
  })

  test.runIf(name === 'postgresql')('a decision made while the connection was lost is seen when it is back', async () => {
    const application = newId('node')
    const waiters = waitersOn(await node(application))
    const item = await hold()
    const answer = decision(waiters, item)
    await sleep(50)
    const killed = await database.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
      [application],
    )
    expect(killed.rowCount).toBe(1)
    // Nobody is told: the message is lost with the connection.
    await approve(item.id)
    const started = elapsed()
    expect((await answer)?.state).toBe('approved')
    expect(elapsed() - started).toBeLessThan(7_000)
  })

  test.runIf(name === 'postgresql')('when other nodes cannot be told, this one is, and the decision stands', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    const signal = await postgresSignal(pool, url, { onError: () => {}, onSilence: () => {} })
    open.push(() => signal.close())
    await pool.end()
    const errors: string[] = []
    const waiters = waitersOn(signal, (error) => errors.push(error.message))
    const item = await hold()
    const answer = decision(waiters, item)
    await sleep(50)
    await approve(item.id)
    await waiters.changed(item.id)
    expect((await answer)?.state).toBe('approved')
    expect(errors).toHaveLength(1)
  })
})
