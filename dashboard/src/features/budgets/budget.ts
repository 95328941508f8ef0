import type { ItemOf } from '../../api/operations.ts'
import { formatCost, formatCount } from '../../ui/format-numbers.ts'

export type Budget = ItemOf<'/admin/v1/budgets'>

export const SCOPE_LABELS: Readonly<Record<Budget['scope'], string>> = {
  workspace: 'Workspace',
  application: 'Application',
  key: 'Key',
  user: 'User',
  department: 'Department',
  claim: 'Claim',
}

/** An amount in the unit of the budget. */
export const formatAmount = (amount: number, unit: Budget['unit']): string =>
  unit === 'usd' ? `$${formatCost(amount)}` : `${formatCount(amount)} tokens`

/** The requests that the budget counts. */
export function describeScope({ scope, claim, member }: Budget): string {
  if (scope === 'workspace') return 'All requests'
  const label = claim === null ? SCOPE_LABELS[scope].toLowerCase() : `${claim}`
  return member === null ? `Each ${label}` : `${SCOPE_LABELS[scope]} ${member}`
}
