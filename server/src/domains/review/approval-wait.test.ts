import { afterAll, describe, expect, test, vi } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { afterOpening, REVIEW_BOX, seedApproved, seedHold, seedOwner, transact } from '../../../test/support/reviews.ts'
import { ApprovalWait } from './approval-wait.ts'
import { decideHold } from './decision-store.ts'
import { claimRelease } from './release-store.ts'
import type { ReviewItem } from './review.ts'
import { ReviewWaiters } from './review-waiters.ts'

const LEASE = { leaseMs: 60_000 }
const clock = { now: () => afterOpening(100) }
const connected = () => new AbortController().signal

describe.each(testDatabases())('on $name', async ({ open }) => {
  const database = await open()
  const owner = await seedOwner(database.db)
  const waiters = new ReviewWaiters({ signal: database.signal, clock, onError: () => {} })
  afterAll(async () => {
    waiters.close()
    await database.close()
  })
  const newWait = (clientSignal = connected) => new ApprovalWait(clientSignal, { db: database.db, clock, waiters, lease: LEASE })
  const approve = async (item: ReviewItem) => {
    await vi.waitFor(() => expect(waiters.size).toBe(1), { timeout: 20_000, interval: 5 })
    await transact(database.db, (tx) =>
      decideHold(tx, owner.workspaceId, item.id, { verdict: 'approved', by: 'op-1', comment: null, now: afterOpening(100) }),
    )
    await waiters.changed(item.id)
  }

  test('approval wait: runs again when the hold is approved in time', async () => {
    const item = await seedHold(database.db, owner)
    const running = newWait().wait(owner, item.id, 30)
    await approve(item)
    expect(await running).toBe(true)
  })

  test('approval wait: finishes immediately when the request does not wait, and stays finished for a later hold', async () => {
    const item = await seedHold(database.db, owner)
    const wait = newWait()
    expect(await wait.wait(owner, item.id, 0)).toBe(false)
    expect(await wait.wait(owner, item.id, 30)).toBe(false)
    expect(waiters.size).toBe(0)
  })

  test('approval wait: suspend finishes when the hold stays pending, and does not wait a second time', async () => {
    const item = await seedHold(database.db, owner)
    const wait = newWait()
    expect(await wait.suspend(owner, item.id, 0)).toBe(false)
    expect(await wait.wait(owner, item.id, 30)).toBe(false)
  })

  test('approval wait: suspend waits for a release in progress even when the request does not wait, until the client closes', async () => {
    const item = await seedApproved(database.db, owner)
    await claimRelease(database.db, owner, item, { ...LEASE, now: afterOpening(100) }, REVIEW_BOX)
    const client = new AbortController()
    const running = newWait(() => client.signal).suspend(owner, item.id, 0)
    await vi.waitFor(() => expect(waiters.size).toBe(1), { timeout: 20_000, interval: 5 })
    client.abort()
    expect(await running).toBe(false)
  })
})
