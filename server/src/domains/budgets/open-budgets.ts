import type { Db } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import { Cache } from '../../platform/lib/cache.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { budgetMeter } from './budget-meter.ts'
import { BUDGETS_TOPIC, loadBudgets } from './budget-store.ts'
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
  const budgets = new Cache((workspaceId) => loadBudgets(db, workspaceId), { loadMs })
  signal.subscribe(BUDGETS_TOPIC, (workspaceId) => budgets.forget(workspaceId))
  return {
    budgets,
    budgetOutputTokens,
    budgetLinkTokens,
    budgetLedger: new BudgetLedger({ db, loadMs }),
    budgetMeter: budgetMeter({ db, clock }),
  }
}
