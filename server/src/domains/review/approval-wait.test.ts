import { afterAll, describe, expect, test, vi } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { afterOpening, openReviews } from '../../../test/support/reviews.ts'
import { ApprovalWait } from './approval-wait.ts'
import type { ReviewItem } from './review-row.ts'
import { ReviewWaiters } from './review-waiters.ts'

const LEASE = { leaseMs: 60_000 }
const clock = { now: () => afterOpening(100) }
const connected = () => new AbortController().signal

describe.each(testDatabases())('on $name', async ({ open }) => {
  const reviews = await openReviews(open)
  const { database, db, owner } = reviews
  const waiters = new ReviewWaiters({ signal: database.signal, clock, onError: () => {} })
  afterAll(() => waiters.close())
  const newWait = (clientSignal = connected) => new ApprovalWait(clientSignal, { db: db, clock, waiters, lease: LEASE })
  const approve = async (item: ReviewItem) => {
    await vi.waitFor(() => expect(waiters.size).toBe(1), { timeout: 20_000, interval: 5 })
    await reviews.decide(item.id, { now: afterOpening(100) })
    await waiters.changed(item.id)
  }

  test('approval wait: runs again when the hold is approved in time', async () => {
    const item = await reviews.hold()
    const running = newWait().wait(owner, item.id, 30)
    await approve(item)
    expect(await running).toBe(true)
  })

  test('approval wait: finishes immediately when the request does not wait, and stays finished for a later hold', async () => {
    const item = await reviews.hold()
    const wait = newWait()
    expect(await wait.wait(owner, item.id, 0)).toBe(false)
    expect(await wait.wait(owner, item.id, 30)).toBe(false)
    expect(waiters.size).toBe(0)
  })

  test('approval wait: suspend finishes when the hold stays pending, and does not wait a second time', async () => {
    const item = await reviews.hold()
    const wait = newWait()
    expect(await wait.suspend(owner, item.id, 0)).toBe(false)
    expect(await wait.wait(owner, item.id, 30)).toBe(false)
  })

  test('approval wait: suspend waits for a release in progress even when the request does not wait, until the client closes', async () => {
    const item = await reviews.approved()
    await reviews.claim(item, afterOpening(100))
    const client = new AbortController()
    const running = newWait(() => client.signal).suspend(owner, item.id, 0)
    await vi.waitFor(() => expect(waiters.size).toBe(1), { timeout: 20_000, interval: 5 })
    client.abort()
    expect(await running).toBe(false)
  })
})
