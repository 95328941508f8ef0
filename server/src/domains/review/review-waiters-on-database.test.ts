import pg from 'pg'
import { afterEach, describe, expect, test } from 'vitest'
import { postgresUrl, testDatabases } from '../../../test/support/database.ts'
import { OPENED_AT, openReviews } from '../../../test/support/reviews.ts'
import { postgresSignal, type Signal } from '../../platform/db/signal.ts'
import { type Clock, elapsed } from '../../platform/lib/clock.ts'
import { newId } from '../../platform/lib/id.ts'
import { abandonRelease, type ClaimResult } from './release-store.ts'
import type { ReviewItem } from './review-row.ts'
import { getReview } from './review-store.ts'
import { ReviewWaiters } from './review-waiters.ts'

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
/** Real time, moved to the year of OPENED_AT, so that no other test's job erases the items. */
const STARTED = elapsed()
const clock: Clock = { now: () => new Date(OPENED_AT.getTime() + elapsed() - STARTED) }
const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close()
})

function waitersOn(signal: Signal, onError: (error: Error) => void = () => {}): ReviewWaiters {
  const waiters = new ReviewWaiters({ signal, clock, onError })
  opened.push(() => waiters.close())
  return waiters
}

describe.each(testDatabases())('on $name', async ({ name, open }) => {
  const reviews = await openReviews(open)
  const { database, db, owner } = reviews
  const url = postgresUrl() ?? ''
  const newNodeSignal = async (application = 'gatehouse'): Promise<Signal> => {
    const { rows } = await database.pool.query('select current_database() as name')
    const nodeUrl = new URL(url)
    nodeUrl.pathname = `/${rows[0].name}`
    nodeUrl.searchParams.set('application_name', application)
    const signal = await postgresSignal(database.pool, nodeUrl.href, { onError: () => {}, onSilence: () => {} })
    opened.push(() => signal.close())
    return signal
  }

  const hold = () => reviews.hold({ createdAt: clock.now(), lifetimeMs: 60_000 })
  const approve = (id: string) => reviews.decide(id, { now: clock.now() })
  const awaitDecision = (waiters: ReviewWaiters, { id }: ReviewItem) =>
    waiters.waitUntil(id, {
      read: () => getReview(db, owner.workspaceId, id, clock.now()),
      isDone: (item) => item?.state !== 'pending',
      wakeAt: (item) => item?.expiresAt,
      maxWaitMs: () => 40_000,
    })

  test('waiters: decision is noticed when its notification is lost', async () => {
    const waiters = new ReviewWaiters({ signal: database.signal, clock, db, onError: () => {} })
    opened.push(() => waiters.close())
    const item = await hold()
    const waiting = awaitDecision(waiters, item)
    await expect.poll(() => waiters.size).toBe(1)
    const started = elapsed()
    await approve(item.id)
    expect((await waiting)?.state).toBe('approved')
    // Without the poll the wait takes 40 s.
    expect(elapsed() - started).toBeLessThan(30_000)
  })

  test('waiters: release can be claimed when another request abandons it', async () => {
    const waiters = waitersOn(database.signal)
    const item = await hold()
    await approve(item.id)
    const claim = () => reviews.claim(item, clock.now())
    const first = await claim()
    if (first?.kind !== 'claimed') throw new Error('not claimed')
    const second = waiters.waitUntil<ClaimResult | undefined>(item.id, {
      read: claim,
      isDone: (claimed) => claimed?.kind !== 'busy',
      maxWaitMs: () => 40_000,
    })
    await expect.poll(() => waiters.size).toBe(1)
    await abandonRelease(db, owner, first.claim)
    await waiters.changed(item.id)
    expect((await second)?.kind).toBe('claimed')
  })

  test.runIf(name === 'postgresql')('waiters: wait ends immediately when another node decides', async () => {
    const [waiters, otherWaiters] = [waitersOn(await newNodeSignal()), waitersOn(await newNodeSignal())]
    const item = await hold()
    const waited = awaitDecision(waiters, item)
    await sleep(50)
    await approve(item.id)
    const started = elapsed()
    await otherWaiters.changed(item.id)
    expect((await waited)?.state).toBe('approved')
    expect(elapsed() - started).toBeLessThan(30_000)
  })

  test.runIf(name === 'postgresql')('waiters: decision is seen after reconnecting when the connection was lost', async () => {
    const application = newId('node')
    const waiters = waitersOn(await newNodeSignal(application))
    const item = await hold()
    const waited = awaitDecision(waiters, item)
    await sleep(50)
    const terminated = await database.pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1',
      [application],
    )
    expect(terminated.rowCount).toBe(1)
    // The signal of this decision is lost with the connection.
    await approve(item.id)
    const started = elapsed()
    expect((await waited)?.state).toBe('approved')
    expect(elapsed() - started).toBeLessThan(30_000)
  })

  test.runIf(name === 'postgresql')('waiters: waits on this node end when other nodes cannot be notified', async () => {
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    const signal = await postgresSignal(pool, url, { onError: () => {}, onSilence: () => {} })
    opened.push(() => signal.close())
    await pool.end()
    const errors: string[] = []
    const waiters = waitersOn(signal, (error) => errors.push(error.message))
    const item = await hold()
    const waited = awaitDecision(waiters, item)
    await sleep(50)
    await approve(item.id)
    await waiters.changed(item.id)
    expect((await waited)?.state).toBe('approved')
    expect(errors).toHaveLength(1)
  })
})
