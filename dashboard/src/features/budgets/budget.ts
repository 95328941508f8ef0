import i18next from 'i18next'
import type { ItemOf } from '../../api/operations.ts'

export type Budget = ItemOf<'/admin/v1/budgets'>
export type Count = Budget['current']

/** Kind of the members that a budget counts separately. */
export type MemberKind = Exclude<Budget['scope'], 'workspace'>

export const TARGETS = [
  'workspace',
  'application',
  'team',
  'key',
  'user',
  'department',
  'claim',
] as const satisfies readonly Budget['scope'][]
export const WINDOWS = ['day', 'week', 'month'] as const satisfies readonly Budget['period'][]

/** Exact, because operators compare amounts with invoices: cents, and for less than a dollar millionths. */
const formatDollars = (amount: number): string =>
  new Intl.NumberFormat(undefined, { minimumFractionDigits: 2, maximumFractionDigits: amount < 1 ? 6 : 2 }).format(amount)

const formatTokens = (amount: number): string => new Intl.NumberFormat().format(amount)

export const formatAmount = (amount: number, unit: Budget['unit']): string =>
  unit === 'usd'
    ? i18next.t('budgets:amounts.dollars', { amount: formatDollars(amount) })
    : i18next.t('budgets:amounts.tokens', { amount: formatTokens(amount) })

/** An amount of the limit: "$1.20 of $10.00", "300 of 1,000 tokens". */
export const formatShare = (amount: number, { unit, limit }: Budget): string =>
  i18next.t('budgets:amounts.share', {
    amount: unit === 'usd' ? formatAmount(amount, unit) : formatTokens(amount),
    limit: formatAmount(limit, unit),
  })

/** Whether each member of the scope is counted separately. */
export const isEach = ({ scope, member }: Budget): boolean => member === null && scope !== 'workspace'

type NameOf = (id: string) => string

/** The requests that the budget counts. */
export function describeTarget(budget: Budget, nameOf: NameOf): string {
  const { application_id } = budget
  const target = describeMembers(budget, nameOf)
  return application_id === null ? target : i18next.t('budgets:appliesTo.within', { target, application: nameOf(application_id) })
}

function describeMembers(budget: Budget, nameOf: NameOf): string {
  const { scope, claim, member } = budget
  if (scope === 'workspace') return i18next.t('budgets:appliesTo.all')
  if (member === null) return i18next.t(`budgets:appliesTo.each.${scope}`, { claim })
  return i18next.t(`budgets:appliesTo.one.${scope}`, { claim, member: describeMember(budget, member, nameOf) })
}

/** A member as operators know it. */
export function describeMember({ scope }: Budget, member: string, nameOf: NameOf): string {
  if (scope === 'application' || scope === 'team') return nameOf(member)
  if (member !== '' || scope === 'workspace') return member
  return scope === 'key' ? i18next.t('budgets:appliesTo.noKey') : i18next.t(`budgets:appliesTo.none.${scope}`)
}

/** The state of a count; undefined if there is enough left. */
export function stateOf(budget: Budget, count: Count): { readonly label: string; readonly color: string } | undefined {
  const { limit, alerts, enabled } = budget
  if (!enabled) return { label: i18next.t('budgets:states.disabled'), color: 'gray' }
  if (count.spent >= limit) return { label: i18next.t('budgets:states.usedUp'), color: 'red' }
  if (count.left === 0) return { label: i18next.t('budgets:states.reserved'), color: 'orange' }
  if (!alerts.some((fraction) => count.spent >= fraction * limit)) return undefined
  return { label: i18next.t('budgets:states.nearLimit'), color: 'yellow' }
}
