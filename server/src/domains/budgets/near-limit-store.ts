import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'

/** An enabled budget of whose limit so much is spent now that it has sent an alert. */
export interface BudgetNearLimit {
  readonly id: string
  readonly name: string
  /** Whether each member is counted separately. */
  readonly isEach: boolean
  /** How many counts have reached the lowest alert, and how many of them the limit. */
  readonly nearLimit: number
  readonly usedUp: number
  /** The highest share of the limit that is spent, from 0. */
  readonly share: number
}

/** The budgets of a Workspace that need attention, by their amounts and limits of now: a raised limit removes a budget. */
export async function readBudgetsNearLimit(db: Db, workspaceId: string): Promise<readonly BudgetNearLimit[]> {
  const { rows } = await sql<BudgetNearLimit>`
    select b.id, b.name, b.member is null as "isEach", count(*)::integer as nearLimit,
      (count(*) filter (where w.spent >= b.amount))::integer as "usedUp",
      max(w.spent)::double precision / b.amount as share
    from budget b
    join budget_window w on w.budget_id = b.id
      and w.starts_at = budget_window_start(b.period, b.time_zone, clock_timestamp(), 0)
      and w.spent >= b.amount * (select min(fraction) from unnest(b.alerts) fraction)
    where b.workspace_id = ${uuidOfWorkspace(workspaceId)} and b.enabled and b.amount > 0
    group by b.id order by share desc, b.id`.execute(db)
  return rows.map((row) => ({ ...row, id: toId('bud', row.id) }))
}
