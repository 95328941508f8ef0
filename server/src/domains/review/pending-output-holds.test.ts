import { afterAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../../test/support/database.ts'
import { afterOpening, OPENED_AT, seedHold, seedOwner, transact } from '../../../test/support/reviews.ts'
import { localSignal } from '../../platform/db/signal.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { decideHold } from './decision-store.ts'
import { PendingOutputHolds } from './pending-output-holds.ts'
import type { ReviewOwner } from './review.ts'
import { REVIEWS_TOPIC } from './review.ts'

describe.each(testDatabases())('on $name', async ({ open }) => {
  let owner: ReviewOwner
  let now = OPENED_AT
  const clock: Clock = { now: () => now }
  const database = await open()
  // Not the signal of the database, through which reviews of other tests would empty the cache.
  const signal = localSignal()

  const pendingOutputHolds = new PendingOutputHolds({ db: database.db, signal, clock, maxAgeMs: 60_000 })
  afterAll(() => database.close())
  const publishChange = (id: string) => signal.publish(REVIEWS_TOPIC, id)

  test('pending output holds: only an unexpired output hold of the Application counts', async () => {
    owner = await seedOwner(database.db)
    const other = await seedOwner(database.db)
    await publishChange((await seedHold(database.db, owner, { point: 'input' })).id)
    expect(await pendingOutputHolds.mayExist(owner)).toBe(false)
    const { id } = await seedHold(database.db, owner, { point: 'output', lifetimeMs: 1_000 })
    await publishChange(id)
    expect([await pendingOutputHolds.mayExist(owner), await pendingOutputHolds.mayExist(other)]).toEqual([true, false])
    now = afterOpening(1_000)
    await publishChange(id)
    expect(await pendingOutputHolds.mayExist(owner)).toBe(false)
    now = OPENED_AT
  })

  test('pending output holds: result is cached until a review item changes', async () => {
    owner = await seedOwner(database.db)
    expect(await pendingOutputHolds.mayExist(owner)).toBe(false)
    const { id } = await seedHold(database.db, owner, { point: 'output' })
    expect(await pendingOutputHolds.mayExist(owner)).toBe(false)
    await publishChange(id)
    expect(await pendingOutputHolds.mayExist(owner)).toBe(true)
    const decision = { verdict: 'denied', by: 'op-1', comment: null, now: OPENED_AT } as const
    await transact(database.db, (tx) => decideHold(tx, owner.workspaceId, id, decision))
    await publishChange(id)
    expect(await pendingOutputHolds.mayExist(owner)).toBe(false)
  })
})
