import type { ItemOf } from '../../api/operations.ts'

export type Budget = ItemOf<'/admin/v1/budgets'>
export type Count = Budget['current']

export const SCOPE_LABELS: Readonly<Record<Budget['scope'], string>> = {
  workspace: 'Workspace',
  application: 'Application',
  key: 'Key',
  user: 'User',
  department: 'Department',
  claim: 'Claim',
}
export const PERIOD_LABELS: Readonly<Record<Budget['period'], string>> = { day: 'Day', week: 'Week', month: 'Month' }

/** Exact, because operators compare amounts with invoices: cents, and for less than a dollar millionths. */
const formatDollars = (amount: number): string =>
  new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: amount < 1 ? 6 : 2 }).format(amount)

/** An amount in the unit of the budget. */
export const formatAmount = (amount: number, unit: Budget['unit']): string =>
  unit === 'usd' ? `$${formatDollars(amount)}` : `${new Intl.NumberFormat().format(amount)} tokens`

/** An amount of the limit: "$1.20 of $10.00", "300 of 1,000 tokens". */
export const formatShare = (amount: number, { unit, limit }: Budget): string =>
  `${unit === 'usd' ? formatAmount(amount, unit) : new Intl.NumberFormat().format(amount)} of ${formatAmount(limit, unit)}`

/** Whether each member of the scope is counted separately. */
export const isEach = ({ scope, member }: Budget): boolean => member === null && scope !== 'workspace'

type NameOf = (applicationId: string) => string

/** The requests that the budget counts. */
export function describeScope(budget: Budget, nameOf: NameOf): string {
  const { scope, claim, member, application_id } = budget
  const within = application_id === null ? '' : ` of ${nameOf(application_id)}`
  if (scope === 'workspace') return application_id === null ? 'All requests' : `Requests${within}`
  const label = scope === 'application' ? SCOPE_LABELS[scope] : (claim ?? SCOPE_LABELS[scope].toLowerCase())
  if (member === null) return `Each ${label}${within}`
  return `${claim ?? SCOPE_LABELS[scope]} ${describeMember(budget, member, nameOf)}${within}`
}

/** A member as operators know it. */
export function describeMember({ scope }: Budget, member: string, nameOf: NameOf): string {
  if (scope === 'application') return nameOf(member)
  if (member !== '') return member
  return scope === 'key' ? 'Playground and assistants' : `Requests without a ${scope}`
}

/** The state of a count; undefined if there is enough left. */
export function stateOf(budget: Budget, count: Count): { readonly label: string; readonly color: string } | undefined {
  const { limit, alerts, enabled } = budget
  if (!enabled) return { label: 'Disabled', color: 'gray' }
  if (count.spent >= limit) return { label: 'Used up', color: 'red' }
  if (count.left === 0) return { label: 'Reserved', color: 'orange' }
  return alerts.some((fraction) => count.spent >= fraction * limit) ? { label: 'Near limit', color: 'yellow' } : undefined
}
