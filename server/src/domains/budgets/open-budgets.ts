import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import { Cache } from '../../platform/lib/cache.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { Meter } from '../../platform/lib/meter.ts'
import { BUDGETS_TOPIC, loadBudgets } from './budget-store.ts'
import type { BudgetScope } from './budget-words.ts'
import { BudgetLedger } from './ledger.ts'

interface OpenOptions {
  readonly db: Db
  readonly signal: Pick<Signal, 'subscribe'>
  readonly clock: Clock
  readonly loadMs: number
  readonly config: { readonly budgetOutputTokens: number; readonly budgetLinkTokens: number }
}

/** The enabled budgets of each Workspace, and the ledger of this node. */
export function openBudgets({ db, signal, clock, loadMs, config: { budgetOutputTokens, budgetLinkTokens } }: OpenOptions) {
  const budgets = new Cache((workspaceId) => loadBudgets(db, workspaceId), { loadMs, renews: true })
  signal.subscribe(BUDGETS_TOPIC, (workspaceId) => budgets.forget(workspaceId))
  return {
    budgets,
    budgetOutputTokens,
    budgetLinkTokens,
    budgetLedger: new BudgetLedger({ db, loadMs }),
    budgetMeter: budgetMeter({ db, clock }),
  }
}

/** Share of the limit from which a budget counts as near it: the first fraction at which an alert is sent by default. */
const NEAR = 0.8

/** Counts of enabled budgets in their current windows. A budget with a count for each member is counted for each. */
interface Reading {
  readonly scope: BudgetScope
  /** At least 80 % of the limit is spent, but not all. */
  readonly near: number
  readonly usedUp: number
}

export type BudgetMeter = Meter<Reading>

/** Counts the budgets that are nearly or completely used up. There is no reading without budgets. */
export const budgetMeter = ({ db, clock }: { readonly db: Db; readonly clock: Clock }): BudgetMeter =>
  new Meter(async () => {
    const { rows } = await sql<Reading>`
    select scope, count(*) filter (where spent >= ${NEAR}::float8 * amount and spent < amount)::int as near,
      count(*) filter (where spent >= amount)::int as "usedUp"
    from budget left join budget_window on budget_id = id and ends_at > ${clock.now()}
    where enabled group by scope`.execute(db)
    return rows
  })
