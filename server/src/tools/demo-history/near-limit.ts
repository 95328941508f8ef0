import { change } from '../../api/admin/kit/change.ts'
import { BUDGETS_TOPIC, findBudgetByName, updateBudget } from '../../domains/budgets/budget-store.ts'
import { readWindows } from '../../domains/budgets/window-store.ts'
import { NEAR_LIMIT_BUDGET } from '../demo/demo-extras.ts'
import type { HistoryEvent } from './events.ts'

/** How much of the limit is spent then: above the alert at 80 %, with room for the last requests. */
const SHARE = 0.88
const BEFORE_END_MS = 3_600_000

/** The owner lowers the limit of a budget to a little more than is spent, so that Home shows a budget near its limit. */
export const nearLimit = (until: Date): HistoryEvent => ({
  at: new Date(until.getTime() - BEFORE_END_MS),
  run: async (deps) => {
    const { workspaceId, owner, log } = deps
    if (!owner) return []
    await change(deps, { operator: owner, workspaceId, log }, async (tx, now) => {
      const budget = await findBudgetByName(tx, workspaceId, NEAR_LIMIT_BUDGET)
      const spent = budget && (await readWindows(tx, [budget])).get(budget.id)?.most?.spent
      if (!budget || !spent) return { value: undefined }
      await updateBudget(tx, workspaceId, budget.id, { amount: Math.ceil(spent / SHARE) }, now)
      return {
        value: undefined,
        action: 'budget.update',
        id: budget.id,
        fields: ['limit'],
        announce: [BUDGETS_TOPIC, workspaceId],
      }
    })
    return []
  },
})
