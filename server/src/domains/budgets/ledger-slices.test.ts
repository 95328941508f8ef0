import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { ledgerFixture } from '../../../test/support/ledger-fixture.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { uuidOf } from '../../platform/db/values.ts'
import type { Spending } from '../../shared/spending.ts'
import type { Budget } from './budget.ts'
import { BudgetLedger, type Reservation } from './ledger.ts'
import { expireReservations } from './reservation-store.ts'

const MORNING = Date.parse('2026-02-03T09:00:00Z')

describe.each(testDatabases())('slices of budgets on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const { workspaceId } = await seedWorkspace(database.db)

  const fixture = ledgerFixture(database, workspaceId)
  const { counts, settle } = fixture
  const create = (limit: number, unit = 'tokens'): Promise<Budget> => fixture.create({ unit, limit })
  const tokens = (count: number) => ({ usd: 0, tokens: count })
  const of = (budget: Budget) => [{ budget, subject: '' }]
  /** A process whose time is the one of the database. `loadMs`: how long it waits for the database. */
  const processAt = (start: number, loadMs = 30_000) => {
    let now = start
    const ledger = new BudgetLedger({ db: database.db, loadMs, now: () => new Date(now), clock: () => now })
    const reserve = (budget: Budget, count = 1) => fixture.reserve(ledger, of(budget), tokens(count))
    return {
      ledger,
      reserve,
      pass: (ms: number) => {
        now += ms
      },
      /** Requests one after the other. */
      async admit(budget: Budget, requests: number): Promise<Reservation[]> {
        const admitted: Reservation[] = []
        while (admitted.length < requests) admitted.push(await reserve(budget))
        return admitted
      },
    }
  }
  const calls = (reservations: readonly Reservation[]): number => new Set(reservations.map(({ id }) => id)).size

  test('ledger: the calls of the database do not grow with the requests when much is left [GW-BUD-14]', async () => {
    const budget = await create(1_000_000)
    const { admit, reserve } = processAt(MORNING)
    expect(calls(await admit(budget, 3))).toBe(3)
    const admitted = await admit(budget, 100)
    expect(calls(admitted)).toBeLessThan(10)
    const together = await Promise.all(Array.from({ length: 200 }, () => reserve(budget)))
    expect(calls(together)).toBeLessThan(10)
    for (const reservation of admitted) await settle(reservation, tokens(1))
    expect(await counts(budget)).toMatchObject([{ spent: 100, overruns: 0 }])
  })

  test('ledger: a slice holds at most a sixteenth of what is left, and each request asks near the limit [GW-BUD-14]', async () => {
    const budget = await create(160)
    const { ledger, admit } = processAt(MORNING)
    const held: number[] = []
    for (let requests = 1; requests <= 160; requests++) {
      await admit(budget, 1)
      const [{ reserved }] = (await counts(budget)) as [{ reserved: number }]
      held.push(reserved - requests)
    }
    expect(Math.max(...held)).toBeGreaterThan(2)
    expect(Math.max(...held)).toBeLessThanOrEqual(10)
    expect(Math.max(...held.slice(-30))).toBe(0)
    expect(await ledger.reserve(workspaceId, of(budget), tokens(1))).toMatchObject({ ok: false, reserved: 160 })
  })

  test('returnUnused: gives back the rests of slices after two seconds, and keeps running requests reserved [GW-BUD-14]', async () => {
    const budget = await create(10_000)
    const { ledger, admit, pass } = processAt(MORNING)
    await admit(budget, 10)
    await ledger.returnUnused()
    const [{ reserved }] = (await counts(budget)) as [{ reserved: number }]
    expect(reserved).toBeGreaterThan(10)
    pass(2_000)
    await ledger.returnUnused()
    await ledger.returnUnused()
    expect(await counts(budget)).toMatchObject([{ reserved: 10, spent: 0 }])
  })

  test('returnUnused: gives back in all Workspaces when it fails in one [GW-BUD-14]', async () => {
    const fixtureOfOther = ledgerFixture(database, (await seedWorkspace(database.db)).workspaceId)
    const [failing, other] = [await create(10_000), await fixtureOfOther.create({ unit: 'tokens', limit: 10_000 })]
    const { ledger, admit, pass } = processAt(MORNING)
    await admit(failing, 10)
    for (let requests = 0; requests < 10; requests++) await fixtureOfOther.reserve(ledger, of(other), tokens(1))
    pass(2_000)
    const setReserved = (text: string) =>
      database.pool.query('update budget_window set reserved = $2 where budget_id = $1', [uuidOf('bud', failing.id), text])
    // Less is out of range.
    await setReserved('-9223372036854775808')
    const returned = await ledger.returnUnused().catch(String)
    await setReserved('100')
    expect(returned).toMatch('out of range')
    expect(await counts(other)).toMatchObject([{ reserved: 10 }])
  })

  test('stop: gives back all slices, and later requests ask the database', async () => {
    const budget = await create(10_000)
    const { ledger, admit } = processAt(MORNING)
    await admit(budget, 10)
    await ledger.stop()
    expect(await counts(budget)).toMatchObject([{ reserved: 10 }])
    expect(calls(await admit(budget, 10))).toBe(10)
  })

  test('ledger: a process that was frozen does not admit from a slice that another process has used up [GW-BUD-13]', async () => {
    const budget = await create(1_000)
    const [frozen, other] = [processAt(MORNING), processAt(MORNING + 91_000)]
    const running = await frozen.admit(budget, 10)
    expect(await expireReservations(database.db, 1_000, new Date(MORNING + 91_000))).toBeGreaterThan(0)
    await other.reserve(budget, 1_000)
    frozen.pass(91_000)
    expect(await frozen.ledger.reserve(workspaceId, of(budget), tokens(1))).toMatchObject({ ok: false, reserved: 1_000 })
    for (const reservation of running) await settle(reservation, tokens(1))
    await frozen.ledger.returnUnused()
    expect(await counts(budget)).toMatchObject([{ spent: 10, reserved: 1_000, overrun: 10, overruns: 10 }])
  })

  test('ledger: a slice is not used after the window in which it was taken', async () => {
    const budget = await create(10_000)
    const { admit, pass } = processAt(Date.parse('2026-02-03T23:59:59.500Z'))
    const [before] = await admit(budget, 10)
    pass(600)
    const [after] = await admit(budget, 1)
    expect([before?.entries[0]?.starts, after?.entries[0]?.starts].map((starts) => new Date(starts ?? ''))).toEqual([
      new Date('2026-02-03T00:00:00Z'),
      new Date('2026-02-04T00:00:00Z'),
    ])
    expect(await counts(budget)).toMatchObject([{}, { reserved: expect.any(Number) }])
  })

  test('ledger: a budget that has changed is asked again [GW-BUD-8]', async () => {
    const budget = await create(10_000)
    const { ledger, admit } = processAt(MORNING)
    await admit(budget, 10)
    await database.pool.query('update budget set amount = 5 where id = $1', [uuidOf('bud', budget.id)])
    const changed = { ...budget, amount: 5, updatedAt: new Date(budget.updatedAt.getTime() + 1) }
    expect(await ledger.reserve(workspaceId, of(changed), tokens(1))).toMatchObject({ ok: false, limit: 5 })
  })

  test('ledger: amounts of requests without a record end with the slice, not with the process [GW-BUD-12]', async () => {
    const budget = await create(10_000)
    const { ledger, admit, pass } = processAt(MORNING)
    for (const reservation of await admit(budget, 10)) ledger.close(reservation)
    pass(60_000)
    await ledger.returnUnused()
    expect(await counts(budget)).toMatchObject([{ reserved: 10 }])
    await ledger.renew()
    expect(await expireReservations(database.db, 1_000, new Date(MORNING + 91_000))).toBeGreaterThan(0)
    expect(await counts(budget)).toMatchObject([{ reserved: 0, spent: 0 }])
  })

  test('ledger: requests that wait for a slice are refused with the one that asks for it, and nothing stays set aside [GW-BUD-10]', async () => {
    const budget = await create(10_000)
    const { ledger, admit, reserve, pass } = processAt(MORNING, 500)
    await admit(budget, 4)
    pass(2_000)
    await ledger.returnUnused()
    await admit(budget, 3)
    await database.db.transaction().execute(async (tx) => {
      await tx.selectFrom('budget_window').selectAll().where('budget_id', '=', uuidOf('bud', budget.id)).forUpdate().execute()
      const waiting = await Promise.allSettled(Array.from({ length: 20 }, () => reserve(budget)))
      expect(waiting.map(({ status }) => status)).toEqual(waiting.map(() => 'rejected'))
    })
    const reserved = async () => {
      await ledger.returnUnused()
      return counts(budget)
    }
    await expect.poll(reserved, { timeout: 20_000 }).toMatchObject([{ reserved: 7 }])
  })

  describe('different requests', () => {
    const CHAT = { usd: 3_450_000, tokens: 200 }
    const EMBEDDING = { usd: 100_000, tokens: 5_000 }
    const repeat = (times: number, requests: readonly Spending[]): Spending[] =>
      Array.from({ length: times }, () => requests).flat()
    /** Sends the requests one after the other, all within one second. Returns those that were admitted. */
    async function send(budget: Budget, requests: readonly Spending[]) {
      const { ledger } = processAt(MORNING)
      const answers = []
      for (const spending of requests) answers.push(await ledger.reserve(workspaceId, of(budget), spending))
      const admitted = answers.filter((answer) => answer.ok)
      return { admitted, calls: calls(admitted) }
    }
    const reserved = async (budget: Budget) => (await counts(budget))[0]?.reserved

    test('ledger: tokens do not end a slice when only money is counted [GW-BUD-14]', async () => {
      const budget = await create(1_000, 'usd')
      const { admitted, calls } = await send(budget, repeat(50, [CHAT, EMBEDDING]))
      expect(admitted).toHaveLength(100)
      expect(calls).toBeLessThan(20)
    })

    test('ledger: a request that does not fit into a fresh slice asks for itself, and the slice stays [GW-BUD-14]', async () => {
      const budget = await create(1_000, 'usd')
      const large = { usd: 10 * CHAT.usd, tokens: 2_000 }
      const { admitted } = await send(budget, [...repeat(5, [CHAT]), large, CHAT])
      const ids = admitted.map(({ id }) => id)
      expect(new Set(ids.slice(0, 6)).size).toBe(5)
      expect(ids[6]).toBe(ids[4])
      expect(await reserved(budget)).toBe((3 + 4 + 10) * CHAT.usd)
    })

    test('ledger: requests that are too large do not end the slices of others [GW-BUD-14]', async () => {
      const budget = await create(1_000, 'usd')
      const impossible = { usd: 2 * budget.amount, tokens: 1_000 }
      const { admitted, calls } = await send(budget, repeat(10, [impossible, ...repeat(9, [CHAT])]))
      expect(admitted).toHaveLength(90)
      expect(calls).toBeLessThan(20)
    })

    test('ledger: a large request sets no more aside than all recent requests together [GW-BUD-14]', async () => {
      const budget = await create(1_000, 'usd')
      const large = { usd: 450_000_000, tokens: 40_000 }
      const { admitted } = await send(budget, repeat(10, [large, ...repeat(19, [CHAT])]))
      const running = admitted.reduce((sum, { spending }) => sum + spending.usd, 0)
      expect(await reserved(budget)).toBeLessThan(3 * running)
    })
  })
})
