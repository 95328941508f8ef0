import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { ledgerFixture } from '../../../test/support/ledger-fixture.ts'
import { seedWorkspace } from '../../../test/support/seed.ts'
import { uuidOf } from '../../platform/db/values.ts'
import type { Budget } from './budget.ts'
import { deleteBudget } from './budget-store.ts'
import { BudgetLedger, type Reservation } from './ledger.ts'
import { removeOldWindows } from './window-store.ts'

describe.each(testDatabases())('on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const { workspaceId } = await seedWorkspace(database.db)

  const fixture = () => ledgerFixture(database, workspaceId)
  const create = (change: object = {}): Promise<Budget> => fixture().create({ unit: 'tokens', limit: 100, ...change })
  const ledgerOf = (loadMs = 30_000) => new BudgetLedger({ db: database.db, loadMs })
  const tokens = (count: number) => ({ usd: count, tokens: count })
  const reserve = (budget: Budget, count: number, ledger = ledgerOf()): Promise<Reservation> =>
    fixture().reserve(ledger, [{ budget, subject: '' }], tokens(count))
  const settle = (reservation: Reservation, count: number) => fixture().settle(reservation, tokens(count))
  const counts = (budget: Budget) => fixture().counts(budget)
  const alerts = async ({ id }: Budget) => {
    const text = 'select fraction from budget_alert where budget_id = $1 order by fraction'
    return (await database.pool.query(text, [uuidOf('bud', id)])).rows.map(({ fraction }) => fraction)
  }

  test('reserve: leaves nothing behind when the database answers too late', async () => {
    const budget = await create()
    await settle(await reserve(budget, 1), 1)
    const ledger = ledgerOf(100)
    await database.db.transaction().execute(async (tx) => {
      await tx.selectFrom('budget_window').selectAll().where('budget_id', '=', uuidOf('bud', budget.id)).forUpdate().execute()
      await expect(reserve(budget, 10, ledger)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    })
    const free = async () => {
      await ledger.returnUnused()
      return (await ledgerOf().reserve(workspaceId, [{ budget, subject: '' }], tokens(99))).ok
    }
    await expect.poll(free, { timeout: 20_000 }).toBe(true)
  })

  test('reserve: a refusal stores no count of a new member and sends no alert', async () => {
    const budget = await create()
    expect(await ledgerOf().reserve(workspaceId, [{ budget, subject: '' }], tokens(1_000))).toMatchObject({ ok: false })
    expect(await counts(budget)).toEqual([])
    await settle(await reserve(budget, 10), 10)
    expect(await ledgerOf().reserve(workspaceId, [{ budget, subject: '' }], tokens(1_000))).toMatchObject({ ok: false })
    expect(await alerts(budget)).toEqual([])
    await settle(await reserve(budget, 80), 80)
    expect(await alerts(budget)).toEqual([0.8])
  })

  test('reserve: a refusal sends all alerts when less than a twentieth of the limit is left', async () => {
    const budget = await create()
    await settle(await reserve(budget, 96), 96)
    expect(await alerts(budget)).toEqual([0.8])
    expect(await ledgerOf().reserve(workspaceId, [{ budget, subject: '' }], tokens(5))).toMatchObject({ ok: false })
    expect(await alerts(budget)).toEqual([0.8, 1])
  })

  test('deleteBudget: deletes the counts, and a running request is settled without them', async () => {
    const budget = await create()
    const reservation = await reserve(budget, 40)
    const remove = () => database.db.transaction().execute((tx) => deleteBudget(tx, workspaceId, budget.id))
    expect(await remove()).toBe(true)
    expect(await remove()).toBe(false)
    await settle(reservation, 30)
    expect(await counts(budget)).toEqual([])
    expect(await ledgerOf().reserve(workspaceId, [{ budget, subject: '' }], tokens(1))).toMatchObject({ ok: true, entries: [] })
  })

  test('removeOldWindows: removes counts without spending earlier than others', async () => {
    const [spent, unspent] = [await create(), await create()]
    await settle(await reserve(spent, 1), 1)
    await settle(await reserve(unspent, 1), 0)
    const [past, future] = [new Date('2020-01-01'), new Date('2100-01-01')]
    await removeOldWindows(database.db, { before: past, unspent: past }, 1_000)
    expect(await counts(unspent)).toHaveLength(1)
    await removeOldWindows(database.db, { before: past, unspent: future }, 1_000)
    expect([await counts(spent), await counts(unspent)]).toMatchObject([[{ spent: 1 }], []])
  })
})
