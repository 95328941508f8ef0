import { type BudgetCreate, type BudgetPatch, budgetChangeOf, newBudgetOf } from '../../domains/budgets/budget.ts'
import { createBudget, findBudgetByName, isKnownTimeZone, updateBudget } from '../../domains/budgets/budget-store.ts'
import { resolveApplications } from '../../domains/identity/resolve-applications.ts'
import { type Change, changeOf, DeclarationConflict } from './change.ts'
import type { DeclaredBudget } from './declaration.ts'
import { findDifferences } from './differences.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

/** Identifies the budget by its name. Its count stays when its limit changes. */
export const applyBudget = (context: ApplyContext, declared: DeclaredBudget): Promise<Change[]> =>
  applyItem(
    context.ledger,
    { object: 'budget', name: declared.name, declared, fields: { values: changeableOf(declared), merged: [] } },
    (changed) => createOrUpdate(context, declared, changed),
  )

const changeableOf = ({ limit, alerts, unpriced, enabled }: DeclaredBudget) => ({
  limit,
  ...(alerts !== undefined && { alerts }),
  ...(unpriced !== undefined && { unpriced }),
  ...(enabled !== undefined && { enabled }),
})

/** `changed`: the fields to update if the budget exists; absent: all fields. */
async function createOrUpdate(
  context: ApplyContext,
  declared: DeclaredBudget,
  changed: Omit<BudgetPatch, 'name'> = changeableOf(declared),
): Promise<Change[]> {
  const { tx, workspaceId, now } = context
  const budget = newBudgetOf(await withIds(context, declared))
  const known = await findBudgetByName(tx, workspaceId, declared.name)
  if (!known) {
    if (!(await isKnownTimeZone(tx, budget.timeZone))) throw new DeclarationConflict('time_zone', 'is not a known time zone')
    const created = await createBudget(tx, workspaceId, budget, now)
    if (!created) throw new DeclarationConflict('name', 'was taken by another budget in the meantime; apply again')
    return [changeOf('budget', 'created', created)]
  }
  const { scope, claim, member, applicationId, unit, period, timeZone } = budget
  const [fixed] = findDifferences(known, { ...known, scope, claim, member, applicationId, unit, period, timeZone })
  if (fixed !== undefined)
    throw new DeclarationConflict(fixed, 'cannot change, because it decides what is counted: choose another name')
  const wanted = budgetChangeOf(changed, unit)
  const fields = findDifferences(known, { ...known, ...wanted }).map((field) => (field === 'amount' ? 'limit' : field))
  if (fields.length === 0) return [changeOf('budget', 'unchanged', known)]
  await updateBudget(tx, workspaceId, known.id, wanted, now)
  return [changeOf('budget', 'updated', known, fields)]
}

/** Applications are declared by their names. */
async function withIds({ tx, workspaceId }: ApplyContext, { application, ...declared }: DeclaredBudget): Promise<BudgetCreate> {
  const idOf = async (name: string, param: string): Promise<string> => {
    const resolved = await resolveApplications(tx, workspaceId, [name])
    if (!resolved.ok) throw new DeclarationConflict(param, 'names no Application of this Workspace')
    return resolved.ids[0] ?? ''
  }
  const { member } = declared
  return {
    ...declared,
    ...(application && { application_id: await idOf(application, 'application') }),
    ...(member && declared.scope === 'application' && { member: await idOf(member, 'member') }),
  }
}
