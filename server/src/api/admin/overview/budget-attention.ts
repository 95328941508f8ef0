import type { BudgetNearLimit } from '../../../domains/budgets/near-limit-store.ts'
import { counted } from '../../../platform/lib/counted.ts'
import type { Attention } from './overview-shapes.ts'

/** Names in one text; more are counted. */
const MOST_NAMES = 3

/** One item for the budgets that are used up, and one for those that have reached an alert. */
export const budgetAttention = {
  usedUp(budgets: readonly BudgetNearLimit[]): Attention | undefined {
    const full = budgets.filter(({ usedUp }) => usedUp > 0)
    const names = full.map(({ name, isEach, usedUp }) => nameOf(name, isEach, usedUp))
    return itemOf('budget_used_up', full, {
      one: `The budget ${names[0]} is used up: its requests are refused.`,
      several: `${full.length} budgets are used up, and their requests are refused: ${listed(names)}.`,
    })
  },
  nearLimit(budgets: readonly BudgetNearLimit[]): Attention | undefined {
    const near = budgets.filter(({ usedUp }) => usedUp === 0)
    const percent = (share: number) => `${Math.floor(share * 100)} %`
    const names = near.map(({ name, isEach, nearLimit, share }) => `${nameOf(name, isEach, nearLimit)} at ${percent(share)}`)
    return itemOf('budget_alert', near, {
      one: `A budget is near its limit: ${names[0]}.`,
      several: `${near.length} budgets are near their limits: ${listed(names)}.`,
    })
  },
}

interface Texts {
  readonly one: string
  readonly several: string
}

function itemOf(kind: Attention['kind'], [first, ...others]: readonly BudgetNearLimit[], { one, several }: Texts) {
  if (first === undefined) return undefined
  return others.length === 0 ? { kind, text: one, link: `/budgets/${first.id}` } : { kind, text: several, link: '/budgets' }
}

const nameOf = (name: string, isEach: boolean, members: number): string =>
  isEach ? `${name} (${counted(members, 'member')})` : name

const listed = (names: readonly string[]): string => {
  const rest = names.length - MOST_NAMES
  return `${names.slice(0, MOST_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
