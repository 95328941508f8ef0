import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/database.ts'
import { fromRow, type RowOf, takeFirst } from '../../platform/db/from-row.ts'
import { type Page, type PageRequest, pageById } from '../../platform/db/page.ts'
import { uuidOf, uuidOfWorkspace, uuidOrNull } from '../../platform/db/values.ts'
import { fromId, newUuid } from '../../platform/lib/id.ts'
import type { Budget, BudgetChange, NewBudget } from './budget.ts'

/** Topic of platform/db/signal.ts: the budgets of a Workspace (`ws_…`) have changed. */
export const BUDGETS_TOPIC = 'budgets'

const budgetOf = (row: RowOf<'budget'>): Budget => fromRow(row, { id: 'bud', workspace_id: 'ws', application_id: 'app' })

const budgets = (db: Db, workspaceId: string) =>
  db.selectFrom('budget').selectAll().where('workspace_id', '=', uuidOfWorkspace(workspaceId))

/** The enabled budgets, which requests are matched with. */
export const loadBudgets = async (db: Db, workspaceId: string): Promise<readonly Budget[]> =>
  (await budgets(db, workspaceId).where('enabled', '=', true).orderBy('id').execute()).map(budgetOf)

/** Whether the database knows the time zone: its windows are computed there. */
export async function isKnownTimeZone(db: Db, name: string): Promise<boolean> {
  const { rows } = await sql`select from pg_timezone_names where lower(name) = lower(${name}) limit 1`.execute(db)
  return rows.length > 0
}

/** Returns undefined if the Workspace has a budget of that name. */
export async function createBudget(tx: Tx, workspaceId: string, budget: NewBudget, now: Date): Promise<Budget | undefined> {
  const { applicationId, timeZone, ...columns } = budget
  return tx
    .insertInto('budget')
    .values({
      ...columns,
      id: newUuid(),
      workspace_id: uuidOfWorkspace(workspaceId),
      application_id: applicationId && uuidOf('app', applicationId),
      time_zone: timeZone,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'name']).doNothing())
    .returningAll()
    .$call(takeFirst(budgetOf))
}

export const findBudget = (db: Db, workspaceId: string, id: string): Promise<Budget | undefined> =>
  budgets(db, workspaceId).where('id', '=', uuidOrNull('bud', id)).$call(takeFirst(budgetOf))

/** The budget of a declaration, locked until the transaction ends. */
export const findBudgetByName = (tx: Tx, workspaceId: string, name: string): Promise<Budget | undefined> =>
  budgets(tx, workspaceId).where('name', '=', name).forUpdate().$call(takeFirst(budgetOf))

/** Oldest first. Undefined when the cursor is not an id. */
export const listBudgets = (db: Db, workspaceId: string, page: PageRequest): Promise<Page<Budget> | undefined> =>
  pageById(budgets(db, workspaceId), 'bud', page, budgetOf)

/** Returns undefined if the Workspace has no such budget. The caller has checked that the name is free. */
export const updateBudget = (
  tx: Tx,
  workspaceId: string,
  id: string,
  change: BudgetChange,
  now: Date,
): Promise<Budget | undefined> =>
  tx
    .updateTable('budget')
    .set({ ...change, updated_at: now })
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuidOf('bud', id))
    .returningAll()
    .$call(takeFirst(budgetOf))

/**
 * Deletes the budget with its counts. Returns false if the Workspace has no such budget. It locks in the order of the ledger: the budget,
 * then its counts by their keys.
 */
export async function deleteBudget(tx: Tx, workspaceId: string, id: string): Promise<boolean> {
  const uuid = fromId('bud', id)
  if (uuid === undefined || !(await budgets(tx, workspaceId).where('id', '=', uuid).forUpdate().executeTakeFirst())) return false
  await sql`select from budget_window where budget_id = ${uuid} order by subject, starts_at for update`.execute(tx)
  const { numDeletedRows } = await tx
    .deleteFrom('budget')
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('id', '=', uuid)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
