import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabases } from '../../test/support/database.ts'
import { afterOpening, OPENED_AT, seedHold, seedOwner, transact } from '../../test/support/reviews.ts'
import type { Database } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { decide } from './decision-store.ts'
import { PendingAnswers } from './pending-answers.ts'
import type { ReviewOwner } from './review.ts'
import { REVIEWS_TOPIC } from './review.ts'

describe.each(testDatabases())('pending answers on $name', ({ open }) => {
  let database: Database
  let owner: ReviewOwner
  let known: PendingAnswers
  let now = OPENED_AT
  const clock: Clock = { now: () => now }
  beforeAll(async () => {
    database = await open()
    known = new PendingAnswers({ db: database.db, signal: database.signal, clock, maxAgeMs: 60_000 })
  })
  afterAll(async () => {
    known.close()
    await database.close()
  })
  /** The message is on its way when `publish` resolves; it arrives soon after. */
  const tell = async (id: string) => {
    await database.signal.publish(REVIEWS_TOPIC, id)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }

  test('only a held answer that still waits counts, and for its Application only', async () => {
    owner = await seedOwner(database.db)
    const other = await seedOwner(database.db)
    await tell((await seedHold(database.db, owner, { point: 'input' })).id)
    expect(await known.mayExist(owner)).toBe(false)
    const { id } = await seedHold(database.db, owner, { point: 'output', lifetimeMs: 1_000 })
    await tell(id)
    expect([await known.mayExist(owner), await known.mayExist(other)]).toEqual([true, false])
    now = afterOpening(1_000)
    await tell(id)
    expect(await known.mayExist(owner)).toBe(false)
    now = OPENED_AT
  })

  test('asking again costs no query until a review changes', async () => {
    owner = await seedOwner(database.db)
    expect(await known.mayExist(owner)).toBe(false)
    const { id } = await seedHold(database.db, owner, { point: 'output' })
    expect(await known.mayExist(owner)).toBe(false)
    await tell(id)
    expect(await known.mayExist(owner)).toBe(true)
    const judgement = { verdict: 'denied', by: 'op-1', comment: null, now: OPENED_AT } as const
    await transact(database.db, (tx) => decide(tx, owner.workspaceId, id, judgement))
    await tell(id)
    expect(await known.mayExist(owner)).toBe(false)
  })
})
