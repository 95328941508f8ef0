import { sql } from 'kysely'
import { type Budget, checkBudgetCreate } from '../../server/src/budgets/budget.ts'
import { createBudget } from '../../server/src/budgets/budget-store.ts'
import { BudgetLedger, settlementOf } from '../../server/src/budgets/ledger.ts'
import { type Db, openDatabase } from '../../server/src/db/database.ts'
import { uuidOfWorkspace } from '../../server/src/db/values.ts'
import { createWorkspaces } from './node-writers.ts'

/** Calls of the ledger, without servers. */
export interface RowFigures {
  /** Calls of budget_reserve for a request that is also settled. */
  readonly calls: number
  /** Reservations a second when nothing is settled meanwhile. */
  readonly reserved: number
  /** Reservations a second that are also settled, each in a separate transaction. */
  readonly settled: number
}

/** Over the rows that they lock: with slices, and with a call of the database for each request. */
export interface RowComparison {
  readonly rows: number
  readonly slices: RowFigures
  readonly asking: RowFigures
}

const SPENDING = { usd: 1_000_000, tokens: 300 }
const LOAD_MS = 10_000
/** As the server's job. */
const RETURN_MS = 1_000

/** Reserves at `rows` counts in turn over `connections` connections. `url`: of a new database. */
export async function measureRows(
  url: string,
  rows: readonly number[],
  connections: number,
  seconds: number,
): Promise<RowComparison[]> {
  const [workspaceId = ''] = await createWorkspaces(url, 1)
  const database = await openDatabase({ url, dataDir: '', poolSize: connections, onError: console.error, onProgress: () => {} })
  const { db } = database
  const declared = checkBudgetCreate({ name: 'rows', scope: 'user', unit: 'usd', period: 'month', limit: 1_000_000 })
  if (!declared.ok) throw new Error(declared.problem.message)
  const budget = (await db.transaction().execute((tx) => createBudget(tx, workspaceId, declared.value, new Date()))) as Budget
  const size = { budget, connections, seconds }
  const comparisons: RowComparison[] = []
  for (const count of rows)
    comparisons.push({
      rows: count,
      asking: await measureLedger(db, { ...size, count, usesSlices: false }),
      slices: await measureLedger(db, { ...size, count, usesSlices: true }),
    })
  await database.close()
  return comparisons
}

interface LedgerRun {
  readonly budget: Budget
  readonly count: number
  readonly connections: number
  readonly seconds: number
  readonly usesSlices: boolean
}

async function measureLedger(db: Db, { budget, count, connections, seconds, usesSlices }: LedgerRun): Promise<RowFigures> {
  const { workspaceId } = budget
  const ledger = new BudgetLedger({ db, loadMs: LOAD_MS, usesSlices })
  const returning = setInterval(() => void ledger.returnUnused(), RETURN_MS)
  const ids = new Set<string>()
  const call = async (row: number, settles: boolean): Promise<void> => {
    const reservation = await ledger.reserve(workspaceId, [{ budget, subject: `user-${row}` }], SPENDING)
    if (!reservation.ok) throw new Error('the budget must not be used up')
    ledger.close(reservation)
    if (!settles) return
    ids.add(reservation.id)
    const settlements = JSON.stringify([settlementOf(reservation, SPENDING)])
    await sql`select budget_settle(${uuidOfWorkspace(workspaceId)}, ${settlements}::jsonb)`.execute(db)
  }
  const run = async (settles: boolean): Promise<{ requests: number; rate: number }> => {
    let requests = 0
    const startedAt = performance.now()
    const worker = async () => {
      while (performance.now() - startedAt < seconds * 1_000) await call(requests++ % count, settles)
    }
    await Promise.all(Array.from({ length: connections }, worker))
    return { requests, rate: requests / ((performance.now() - startedAt) / 1_000) }
  }
  const [reserved, settled] = [await run(false), await run(true)]
  clearInterval(returning)
  await ledger.stop()
  return { calls: ids.size / settled.requests, reserved: reserved.rate, settled: settled.rate }
}
