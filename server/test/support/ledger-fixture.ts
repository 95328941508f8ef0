import { type Budget, newBudgetOf } from '../../src/domains/budgets/budget.ts'
import { createBudget } from '../../src/domains/budgets/budget-store.ts'
import { type BudgetLedger, type Reservation, settlementOf } from '../../src/domains/budgets/ledger.ts'
import type { Database } from '../../src/platform/db/database.ts'
import { uuidOf, uuidOfWorkspace } from '../../src/platform/db/values.ts'
import { newId } from '../../src/platform/lib/id.ts'
import type { Spending } from '../../src/shared/spending.ts'

type Matched = Parameters<BudgetLedger['reserve']>[1]

/** Budgets of one Workspace, and the calls of a request that they count. */
export const ledgerFixture = ({ db, pool }: Database, workspaceId: string) => ({
  async create(fields: object): Promise<Budget> {
    const body = { name: newId('name'), scope: 'workspace', period: 'day', ...fields } as Parameters<typeof newBudgetOf>[0]
    const budget = await db.transaction().execute((tx) => createBudget(tx, workspaceId, newBudgetOf(body), new Date()))
    if (!budget) throw new Error('the name is taken')
    return budget
  },
  async reserve(ledger: BudgetLedger, matched: Matched, spending: Spending): Promise<Reservation> {
    const reservation = await ledger.reserve(workspaceId, matched, spending)
    if (!reservation.ok) throw new Error(`refused by ${reservation.name}`)
    return reservation
  },
  /** The counts of a budget, the oldest window first. */
  async counts({ id }: Budget) {
    const text = 'select * from budget_window where budget_id = $1 order by starts_at, subject'
    return (await pool.query(text, [uuidOf('bud', id)])).rows
  },
  settle: (reservation: Reservation, spent: Spending) =>
    pool.query('select budget_settle($1, $2::jsonb)', [
      uuidOfWorkspace(workspaceId),
      JSON.stringify([settlementOf(reservation, spent)]),
    ]),
})
