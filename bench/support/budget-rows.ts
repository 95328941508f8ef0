import { sql } from 'kysely'
import { type Budget, checkBudgetCreate } from '../../server/src/budgets/budget.ts'
import { createBudget } from '../../server/src/budgets/budget-store.ts'
import { BudgetLedger, settlementOf } from '../../server/src/budgets/ledger.ts'
import { openDatabase } from '../../server/src/db/database.ts'
import { uuidOfWorkspace } from '../../server/src/db/values.ts'
import { createWorkspaces } from './node-writers.ts'

/** Calls of the ledger a second, without servers, over the rows that they lock. */
export interface RowFigures {
  readonly rows: number
  /** Reservations a second when nothing is settled meanwhile. */
  readonly reserved: number
  /** Reservations a second that are also settled, each in a separate transaction. */
  readonly settled: number
}

const SPENDING = { usd: 1_000_000, tokens: 300 }
const LOAD_MS = 10_000

/** Reserves at `rows` counts in turn over `connections` connections. `url`: of a new database. */
export async function measureRows(
  url: string,
  rows: readonly number[],
  connections: number,
  seconds: number,
): Promise<RowFigures[]> {
  const [workspaceId = ''] = await createWorkspaces(url, 1)
  const database = await openDatabase({ url, dataDir: '', poolSize: connections, onError: console.error, onProgress: () => {} })
  const { db } = database
  const ledger = new BudgetLedger({ db, loadMs: LOAD_MS })
  const declared = checkBudgetCreate({ name: 'rows', scope: 'user', unit: 'usd', period: 'month', limit: 1_000_000 })
  if (!declared.ok) throw new Error(declared.problem.message)
  const budget = (await db.transaction().execute((tx) => createBudget(tx, workspaceId, declared.value, new Date()))) as Budget
  const call = async (row: number, settles: boolean): Promise<void> => {
    const reservation = await ledger.reserve(workspaceId, [{ budget, subject: `user-${row}` }], SPENDING)
    if (!reservation.ok) throw new Error('the budget must not be used up')
    ledger.close(reservation)
    if (!settles) return
    const settlements = JSON.stringify([settlementOf(reservation, SPENDING)])
    await sql`select budget_settle(${uuidOfWorkspace(workspaceId)}, ${settlements}::jsonb)`.execute(db)
  }
  const rate = async (count: number, settles: boolean): Promise<number> => {
    let calls = 0
    const startedAt = performance.now()
    const worker = async () => {
      while (performance.now() - startedAt < seconds * 1_000) await call(calls++ % count, settles)
    }
    await Promise.all(Array.from({ length: connections }, worker))
    return calls / ((performance.now() - startedAt) / 1_000)
  }
  const figures: RowFigures[] = []
  for (const count of rows) figures.push({ rows: count, reserved: await rate(count, false), settled: await rate(count, true) })
  await database.close()
  return figures
}
