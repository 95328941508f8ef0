import { type BudgetCreate, type BudgetPatch, budgetChangeOf, newBudgetOf } from '../../domains/budgets/budget.ts'
import { createBudget, findBudgetByName, isKnownTimeZone, updateBudget } from '../../domains/budgets/budget-store.ts'
import { resolveApplications } from '../../domains/identity/application-store.ts'
import { type Change, createOrUpdate, DeclarationConflict, findDifferences } from './change.ts'
import type { DeclaredBudget } from './declaration.ts'
import { applyItem } from './ledger.ts'
import type { ApplyContext } from './recorded-change.ts'

export function applyBudget(context: ApplyContext, declared: DeclaredBudget): Promise<Change[]> {
  const { tx, workspaceId, now, ledger } = context
  const { name, limit, alerts, unpriced, enabled } = declared
  const values = {
    limit,
    ...(alerts !== undefined && { alerts }),
    ...(unpriced !== undefined && { unpriced }),
    ...(enabled !== undefined && { enabled }),
  }
  const item = { object: 'budget' as const, name, declared, fields: { values } }
  return applyItem(ledger, item, async (changed: Omit<BudgetPatch, 'name'> = values) => {
    const budget = newBudgetOf(await withIds(context, declared))
    const wanted = budgetChangeOf(changed, budget.unit)
    return createOrUpdate('budget', await findBudgetByName(tx, workspaceId, name), {
      create: async () => {
        if (!(await isKnownTimeZone(tx, budget.timeZone))) throw new DeclarationConflict('time_zone', 'is not a known time zone')
        return createBudget(tx, workspaceId, budget, now)
      },
      compare: (known) => {
        const { scope, claim, member, applicationId, unit, period, timeZone } = budget
        const [fixed] = findDifferences(known, { ...known, scope, claim, member, applicationId, unit, period, timeZone })
        if (fixed !== undefined)
          throw new DeclarationConflict(fixed, 'cannot change, because it decides what is counted: choose another name')
        return findDifferences(known, { ...known, ...wanted }).map((field) => (field === 'amount' ? 'limit' : field))
      },
      update: async ({ id }) => ({ ok: (await updateBudget(tx, workspaceId, id, wanted, now)) !== undefined }),
    })
  })
}

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
