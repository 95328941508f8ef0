import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { ledgerFixture } from '../../../test/support/ledger-fixture.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { uuidOf } from '../../platform/db/values.ts'
import { type Spending, USD_SCALE } from '../../shared/spending.ts'
import type { Budget } from './budget.ts'
import { deleteBudget, isKnownTimeZone } from './budget-store.ts'
import { BudgetLedger } from './ledger.ts'
import { expireReservations } from './reservation-store.ts'
import { type BudgetCount, countKey, listCounts, removeOldWindows } from './window-store.ts'

describe.each(testDatabases())('on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const { workspaceId } = await seedWorkspace(database.db)

  const fixture = ledgerFixture(database, workspaceId)
  const { reserve, settle, counts: windows } = fixture
  const create = (change: object = {}): Promise<Budget> => fixture.create({ unit: 'usd', limit: 10, ...change })
  const ledgerAt = (at?: string) =>
    new BudgetLedger({ db: database.db, loadMs: 30_000, ...(at !== undefined && { now: () => new Date(at) }) })
  const usd = (dollars: number): Spending => ({ usd: dollars * USD_SCALE, tokens: 100 })
  const of = (budget: Budget, subject = '') => ({ budget, subject })

  test('ledger: reserves until the limit, and settles at the exact cost', async () => {
    const budget = await create()
    const ledger = ledgerAt()
    const first = await reserve(ledger, [of(budget)], usd(6))
    expect(await ledger.reserve(workspaceId, [of(budget)], usd(5))).toMatchObject({
      ...{ ok: false, name: budget.name, unit: 'usd', limit: usd(10).usd, spent: 0, reserved: usd(6).usd, asked: usd(5).usd },
      seconds: expect.any(Number),
    })
    await settle(first, usd(2.5))
    await reserve(ledger, [of(budget)], usd(5))
    expect(await windows(budget)).toMatchObject([{ spent: usd(2.5).usd, reserved: usd(5).usd, overruns: 0 }])
  })

  test('ledger: reserves at all budgets or at none', async () => {
    const [wide, narrow] = [await create({ limit: 100 }), await create({ limit: 1 })]
    expect(await ledgerAt().reserve(workspaceId, [of(narrow), of(wide)], usd(2))).toMatchObject({ ok: false, name: narrow.name })
    expect([...(await windows(wide)), ...(await windows(narrow))]).toEqual([])
  })

  test('ledger: counts each member by itself, and tokens in a budget of tokens', async () => {
    const budget = await create({ scope: 'user', unit: 'tokens', limit: 150 })
    const ledger = ledgerAt()
    await reserve(ledger, [of(budget, 'alice')], usd(50))
    await reserve(ledger, [of(budget, 'bob')], usd(50))
    expect(await ledger.reserve(workspaceId, [of(budget, 'alice')], usd(0))).toMatchObject({
      ok: false,
      asked: 100,
      reserved: 100,
    })
    const first = await listCounts(database.db, budget, { limit: 1 })
    expect(first).toMatchObject({ data: [{ subject: 'alice', reserved: 100 }], hasMore: true })
    const after = countKey((first?.data ?? []).at(-1) as BudgetCount)
    expect(await listCounts(database.db, budget, { limit: 9, after })).toMatchObject({
      data: [{ subject: 'bob' }],
      hasMore: false,
    })
    expect(await listCounts(database.db, budget, { limit: 9 }, 'bob')).toMatchObject({ data: [{ subject: 'bob' }] })
    expect(await listCounts(database.db, budget, { limit: 9, after: 'bob' })).toBeUndefined()
  })

  test('ledger: charges what exceeds the reservation, and counts it', async () => {
    const budget = await create()
    await settle(await reserve(ledgerAt(), [of(budget)], usd(1)), usd(1.5))
    expect(await windows(budget)).toMatchObject([{ spent: usd(1.5).usd, reserved: 0, overrun: usd(0.5).usd, overruns: 1 }])
  })

  test('ledger: charges as an overrun when a crash of the database has lost the count and the reservation', async () => {
    const budget = await create()
    const reserved = await reserve(ledgerAt(), [of(budget)], usd(1))
    await database.pool.query('delete from budget_reservation where id = $1', [reserved.id])
    await database.pool.query('delete from budget_window where budget_id = (select id from budget where name = $1)', [
      budget.name,
    ])
    await settle(reserved, usd(0.5))
    expect(await windows(budget)).toMatchObject([{ spent: usd(0.5).usd, reserved: 0, overrun: usd(0.5).usd, overruns: 1 }])
  })

  test('ledger: admits a request that costs nothing when the budget is used up', async () => {
    const budget = await create({ limit: 1 })
    await settle(await reserve(ledgerAt(), [of(budget)], usd(1)), usd(1))
    expect(await ledgerAt().reserve(workspaceId, [of(budget)], usd(0))).toMatchObject({ ok: true })
  })

  test('ledger: releases a reservation that was not renewed, and charges a late settlement as an overrun', async () => {
    const budget = await create()
    const late = await reserve(ledgerAt('2026-01-05T10:00:00Z'), [of(budget)], usd(4))
    expect(await expireReservations(database.db, 100, new Date('2026-01-05T10:01:29Z'))).toBe(0)
    expect(await expireReservations(database.db, 100, new Date('2026-01-05T10:01:31Z'))).toBe(1)
    expect(await windows(budget)).toMatchObject([{ spent: 0, reserved: 0, expired: 1 }])
    await settle(late, usd(3))
    expect(await windows(budget)).toMatchObject([{ spent: usd(3).usd, reserved: 0, overrun: usd(3).usd, overruns: 1 }])
  })

  test('ledger: keeps a reservation that its node renews', async () => {
    const budget = await create()
    const times = ['2026-01-06T10:00:00Z', '2026-01-06T10:01:00Z']
    const ledger = new BudgetLedger({ db: database.db, loadMs: 30_000, now: () => new Date(times[0] ?? '') })
    await reserve(ledger, [of(budget)], usd(4))
    times.shift()
    await ledger.renew()
    expect(await expireReservations(database.db, 100, new Date('2026-01-06T10:02:00Z'))).toBe(0)
    expect(await expireReservations(database.db, 100, new Date('2026-01-06T10:02:31Z'))).toBe(1)
  })

  test.each([
    ['day', 'Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z'],
    ['week', 'America/New_York', '2026-11-04T12:00:00Z', '2026-11-02T05:00:00Z', '2026-11-09T05:00:00Z'],
    ['month', 'UTC', '2026-02-28T23:59:59Z', '2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z'],
  ])('ledger: counts in the calendar %s of the time zone %s', async (period, time_zone, at, starts, ends) => {
    const budget = await create({ period, time_zone })
    await reserve(ledgerAt(at), [of(budget)], usd(1))
    expect(await windows(budget)).toMatchObject([{ starts_at: new Date(starts), ends_at: new Date(ends) }])
  })

  test('ledger: begins a new row in the next window, and settles in the window of the reservation', async () => {
    const budget = await create()
    const [today, tomorrow] = [ledgerAt('2026-01-07T23:59:00Z'), ledgerAt('2026-01-08T00:00:01Z')]
    const reservation = await reserve(today, [of(budget)], usd(10))
    await reserve(tomorrow, [of(budget)], usd(10))
    await settle(reservation, usd(9))
    expect(await windows(budget)).toMatchObject([
      { spent: usd(9).usd, reserved: 0 },
      { spent: 0, reserved: usd(10).usd },
    ])
  })

  test('ledger: concurrent requests together never exceed the limit', async () => {
    const budget = await create({ limit: 10 })
    const each = await create({ scope: 'user', limit: 3 })
    const ledger = ledgerAt()
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, index) => ledger.reserve(workspaceId, [of(each, `u${index % 5}`), of(budget)], usd(1))),
    )
    expect(results.filter(({ ok }) => ok)).toHaveLength(10)
    expect(await windows(budget)).toMatchObject([{ reserved: usd(10).usd }])
  })

  test('isKnownTimeZone: knows the zones of the database', async () => {
    expect(await isKnownTimeZone(database.db, 'Europe/Berlin')).toBe(true)
    expect(await isKnownTimeZone(database.db, 'Europe/Atlantis')).toBe(false)
  })
})

describe.each(testDatabases())('late answers, alerts and removals on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const { workspaceId } = await seedWorkspace(database.db)

  const fixture = ledgerFixture(database, workspaceId)
  const { counts } = fixture
  const create = (): Promise<Budget> => fixture.create({ unit: 'tokens', limit: 100 })
  const ledgerOf = (loadMs = 30_000) => new BudgetLedger({ db: database.db, loadMs })
  const tokens = (count: number) => ({ usd: count, tokens: count })
  const ask = (budget: Budget, count: number) => ledgerOf().reserve(workspaceId, [{ budget, subject: '' }], tokens(count))
  const reserve = (budget: Budget, count: number, ledger = ledgerOf()) =>
    fixture.reserve(ledger, [{ budget, subject: '' }], tokens(count))
  const spend = async (budget: Budget, count: number, spent = count) =>
    fixture.settle(await reserve(budget, count), tokens(spent))
  const alerts = async ({ id }: Budget) => {
    const text = 'select fraction from budget_alert where budget_id = $1 order by fraction'
    return (await database.pool.query(text, [uuidOf('bud', id)])).rows.map(({ fraction }) => fraction)
  }

  test('reserve: leaves nothing behind when the database answers too late', async () => {
    const budget = await create()
    await spend(budget, 1)
    const ledger = ledgerOf(100)
    await database.db.transaction().execute(async (tx) => {
      await tx.selectFrom('budget_window').selectAll().where('budget_id', '=', uuidOf('bud', budget.id)).forUpdate().execute()
      await expect(reserve(budget, 10, ledger)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    })
    const free = async () => {
      await ledger.returnUnused()
      return (await ask(budget, 99)).ok
    }
    await expect.poll(free, { timeout: 20_000 }).toBe(true)
  })

  test('reserve: a refusal stores no count of a new member and sends no alert', async () => {
    const budget = await create()
    expect(await ask(budget, 1_000)).toMatchObject({ ok: false })
    expect(await counts(budget)).toEqual([])
    await spend(budget, 10)
    expect(await ask(budget, 1_000)).toMatchObject({ ok: false })
    expect(await alerts(budget)).toEqual([])
    await spend(budget, 80)
    expect(await alerts(budget)).toEqual([0.8])
  })

  test('reserve: a refusal sends all alerts when less than a twentieth of the limit is left', async () => {
    const budget = await create()
    await spend(budget, 96)
    expect(await alerts(budget)).toEqual([0.8])
    expect(await ask(budget, 5)).toMatchObject({ ok: false })
    expect(await alerts(budget)).toEqual([0.8, 1])
  })

  test('deleteBudget: deletes the counts, and a running request is settled without them', async () => {
    const budget = await create()
    const reservation = await reserve(budget, 40)
    const remove = () => database.db.transaction().execute((tx) => deleteBudget(tx, workspaceId, budget.id))
    expect(await remove()).toBe(true)
    expect(await remove()).toBe(false)
    await fixture.settle(reservation, tokens(30))
    expect(await counts(budget)).toEqual([])
    expect(await ask(budget, 1)).toMatchObject({ ok: true, entries: [] })
  })

  test('removeOldWindows: removes counts without spending earlier than others', async () => {
    const [spent, unspent] = [await create(), await create()]
    await spend(spent, 1)
    await spend(unspent, 1, 0)
    const [past, future] = [new Date('2020-01-01'), new Date('2100-01-01')]
    await removeOldWindows(database.db, { before: past, unspent: past }, 1_000)
    expect(await counts(unspent)).toHaveLength(1)
    await removeOldWindows(database.db, { before: past, unspent: future }, 1_000)
    expect([await counts(spent), await counts(unspent)]).toMatchObject([[{ spent: 1 }], []])
  })
})
