import { sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'
import type { Schema } from '../../platform/db/schema.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import { toId } from '../../platform/lib/id.ts'
import type { BudgetPayload } from '../../shared/governance-event.ts'
import { shownAmount } from './budget.ts'

type AlertRow = Pick<Schema['budget_alert'], 'workspace_id' | 'budget_id' | 'subject' | 'fraction' | 'starts_at'> &
  Pick<Schema['budget'], 'name' | 'scope' | 'unit' | 'amount'> &
  Pick<Schema['budget_window'], 'spent' | 'ends_at'>

/** Takes up to `most` alerts that were not sent yet. The caller sends them in the same transaction, so each is sent once. */
export async function takeAlerts(tx: Tx, now: Date, most: number) {
  const { rows } = await sql<AlertRow>`
    update budget_alert a set emitted_at = ${now}
    from budget b, budget_window w
    where a.id in (
        select id from budget_alert where emitted_at is null order by created_at limit ${most} for update skip locked
      )
      and b.id = a.budget_id and w.budget_id = a.budget_id and w.subject = a.subject and w.starts_at = a.starts_at
    returning a.workspace_id, a.budget_id, a.subject, a.fraction, a.starts_at, b.name, b.scope, b.unit, b.amount, w.spent, w.ends_at`.execute(
    tx,
  )
  return rows.map(toAlert)
}

/** Removes the alerts of a user that were not sent yet. */
export async function removeUnsentAlerts(tx: Tx, workspaceId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom('budget_alert')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('subject', '=', userId)
    .where('emitted_at', 'is', null)
    .where('budget_id', 'not in', budgetsOfDepartments(tx, workspaceId))
    .execute()
}

/** Ids of the budgets of departments (`bud_…`): a department can have the name that a user has as id. */
export async function findBudgetsOfDepartments(tx: Tx, workspaceId: string): Promise<readonly string[]> {
  const rows = await budgetsOfDepartments(tx, workspaceId).execute()
  return rows.map(({ id }) => toId('bud', id))
}

const budgetsOfDepartments = (tx: Tx, workspaceId: string) =>
  tx.selectFrom('budget').select('id').where('workspace_id', '=', uuidOfWorkspace(workspaceId)).where('scope', '=', 'department')

/** A fraction of a budget that was reached for the first time in its window, as payload of the event `budget.alert`. */
const toAlert = (row: AlertRow) => ({
  workspaceId: toId('ws', row.workspace_id),
  payload: {
    id: toId('bud', row.budget_id),
    object: 'budget_alert',
    name: row.name,
    scope: row.scope,
    member: row.subject,
    fraction: row.fraction,
    unit: row.unit,
    limit: shownAmount(row.amount, row.unit),
    spent: shownAmount(row.spent, row.unit),
    window_starts_at: row.starts_at.toISOString(),
    resets_at: row.ends_at.toISOString(),
  } satisfies BudgetPayload,
})
