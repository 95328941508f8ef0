import { Type } from 'typebox'
import {
  BUDGET_PERIODS,
  BUDGET_SCOPES,
  BUDGET_UNITS,
  type Budget,
  shownAmount,
  UNPRICED,
} from '../../../domains/budgets/budget.ts'
import type { BudgetCount, BudgetWindow } from '../../../domains/budgets/window-store.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { nullable } from '../../../shared/schemas.ts'

const Amount = Type.Number({ description: 'USD or tokens, as `unit` says.' })
const count = {
  member: Type.String({ description: 'Empty: the whole Workspace, or the requests that name no member.' }),
  spent: Amount,
  reserved: { ...Amount, description: 'Set aside for running requests, and in slices for the next ones (GW-BUD-14).' },
  left: { ...Amount, description: 'The rest for further requests.' },
  overrun: { ...Amount, description: 'By how much requests used more than was set aside for them.' },
  overruns: Type.Integer({ description: 'How many requests did.' }),
  expired: Type.Integer({
    description: 'Reservations, also those for several requests, that ended without being settled in full.',
  }),
  reached: Type.Array(Type.Object({ fraction: Type.Number(), at: Timestamp }, { title: 'ReachedAlert' }), {
    description: 'Alerts of the window: the fraction of the limit as it was then, and when it was reached. Lowest first.',
  }),
}

export const BudgetCountView = Type.Object({ object: Type.Literal('budget_count'), ...count })

export const BudgetView = Type.Object({
  id: Type.String(),
  object: Type.Literal('budget'),
  name: Type.String(),
  scope: oneOf(BUDGET_SCOPES, 'BudgetScope'),
  claim: nullable(Type.String()),
  member: nullable(Type.String()),
  application_id: nullable(Type.String()),
  unit: oneOf(BUDGET_UNITS, 'BudgetUnit'),
  limit: Amount,
  period: oneOf(BUDGET_PERIODS, 'BudgetPeriod'),
  time_zone: Type.String(),
  alerts: Type.Array(Type.Number()),
  unpriced: oneOf(UNPRICED, 'UnpricedModels'),
  enabled: Type.Boolean(),
  window_starts_at: Timestamp,
  resets_at: Timestamp,
  current: Type.Object(count, {
    description:
      'The count that requests are checked against now; with a count for each member, that of the member who has spent most.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const NO_COUNT: BudgetCount = { subject: '', spent: 0, reserved: 0, overrun: 0, overruns: 0, expired: 0, reached: [] }

function countFields({ amount, unit }: Pick<Budget, 'amount' | 'unit'>, stored: BudgetCount) {
  const shown = (value: number) => shownAmount(value, unit)
  return {
    member: stored.subject,
    spent: shown(stored.spent),
    reserved: shown(stored.reserved),
    left: shown(Math.max(0, amount - stored.spent - stored.reserved)),
    overrun: shown(stored.overrun),
    overruns: stored.overruns,
    expired: stored.expired,
    reached: stored.reached.map(({ fraction, at }) => ({ fraction, at: new Date(at).toISOString() })),
  }
}

export const budgetCountView = (budget: Budget) => (stored: BudgetCount) => ({
  object: 'budget_count' as const,
  ...countFields(budget, stored),
})

export const budgetView = (budget: Budget, window: BudgetWindow) =>
  viewOf(BudgetView, budget, {
    claim: budget.claim || null,
    member: budget.member || null,
    limit: shownAmount(budget.amount, budget.unit),
    window_starts_at: window.startsAt.toISOString(),
    resets_at: window.resetsAt.toISOString(),
    current: countFields(budget, window.most ?? { ...NO_COUNT, subject: budget.member ?? '' }),
  })
