import { type Static, Type } from 'typebox'
import type { Entity } from '../../platform/db/from-row.ts'
import { Name, oneOf, resettable } from '../../platform/lib/fields.ts'
import { type Checked, checker } from '../../platform/lib/schema.ts'
import { USD_SCALE } from '../../shared/spending.ts'
import { BUDGET_PERIODS, BUDGET_SCOPES, BUDGET_UNITS, type BudgetUnit, UNPRICED, type Unpriced } from './budget-words.ts'

/** A limit of spending in each calendar window. All budgets that match a request must admit it. Ids are TypeIDs (`bud_…`). */
export type Budget = Entity<'budget'>

export type NewBudget = Omit<Budget, 'id' | 'workspaceId' | 'createdAt' | 'updatedAt'>

/** Fields that can change later. The others decide which row a count is in: create another budget to change them. */
export type BudgetChange = Partial<Pick<Budget, 'name' | 'amount' | 'alerts' | 'unpriced' | 'enabled'>>

/** PostgreSQL reads offsets such as +02:00 with the opposite sign, so only names are allowed. */
const TIME_ZONE_NAME = '^[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$'
const DEFAULT_ALERTS = [0.8, 1]
const MAX_LIMIT = 1_000_000_000

const changeable = {
  limit: Type.Number({ minimum: 0, maximum: MAX_LIMIT * 1_000, description: 'USD or tokens in each window, as `unit` says.' }),
  alerts: resettable(
    Type.Array(Type.Number({ exclusiveMinimum: 0, maximum: 1 }), {
      maxItems: 10,
      uniqueItems: true,
      description: 'Fractions of the limit at which the event `budget.alert` is sent, once in each window. Default: 0.8 and 1.',
    }),
  ),
  unpriced: Type.Optional(
    Type.Unsafe<Unpriced>({
      ...oneOf(UNPRICED, 'UnpricedModels'),
      description: 'Requests whose price is unknown, for the unit `usd`: they are refused (default), or count as 0.',
    }),
  ),
  enabled: Type.Optional(Type.Boolean()),
}

/** Body of `POST /admin/v1/budgets`, and a budget in gatehouse.yaml. */
export const BudgetCreate = Type.Object({
  name: Name,
  scope: oneOf(BUDGET_SCOPES, 'BudgetScope'),
  claim: resettable({ ...Name, description: 'For the scope `claim`: name of an attribute of verified users.' }),
  member: resettable({
    ...Name,
    description:
      'The one member of the scope that the budget counts: id of an Application, team, key or user, name of a department, value of the claim. Of a rotated key, the first key is counted with all that replace it. null: each member has its own count.',
  }),
  application_id: resettable({ ...Name, description: 'Only requests of this Application. null: of all.' }),
  unit: oneOf(BUDGET_UNITS, 'BudgetUnit'),
  period: oneOf(BUDGET_PERIODS, 'BudgetPeriod'),
  time_zone: resettable(
    Type.String({
      maxLength: 64,
      pattern: TIME_ZONE_NAME,
      description: 'IANA name. Windows begin at midnight there. Default: UTC.',
    }),
  ),
  ...changeable,
})
export type BudgetCreate = Static<typeof BudgetCreate>

export const BudgetPatch = Type.Object({ name: Type.Optional(Name), ...changeable, limit: Type.Optional(changeable.limit) })
export type BudgetPatch = Static<typeof BudgetPatch>

const createChecker = checker(BudgetCreate)

export function checkBudgetCreate(body: unknown): Checked<NewBudget> {
  const checked = createChecker(body)
  if (!checked.ok) return checked
  const budget = newBudgetOf(checked.value)
  const problem = findBudgetProblem(budget)
  return problem ? { ok: false, problem } : { ok: true, value: budget }
}

export const newBudgetOf = (body: BudgetCreate): NewBudget => ({
  name: body.name,
  scope: body.scope,
  claim: body.claim ?? '',
  member: body.scope === 'workspace' ? '' : (body.member ?? null),
  applicationId: body.application_id ?? null,
  unit: body.unit,
  amount: amountOf(body.limit, body.unit),
  period: body.period,
  timeZone: body.time_zone ?? 'UTC',
  alerts: sorted(body.alerts ?? DEFAULT_ALERTS),
  unpriced: body.unpriced ?? 'refuse',
  enabled: body.enabled ?? true,
})

/** The changed fields. `alerts: null` resets them. */
export const budgetChangeOf = (body: BudgetPatch, unit: BudgetUnit): BudgetChange => ({
  ...(body.name !== undefined && { name: body.name }),
  ...(body.limit !== undefined && { amount: amountOf(body.limit, unit) }),
  ...(body.alerts !== undefined && { alerts: sorted(body.alerts ?? DEFAULT_ALERTS) }),
  ...(body.unpriced !== undefined && { unpriced: body.unpriced }),
  ...(body.enabled !== undefined && { enabled: body.enabled }),
})

const sorted = (fractions: readonly number[]): readonly number[] => fractions.toSorted((a, b) => a - b)

const amountOf = (limit: number, unit: BudgetUnit): number => Math.round(unit === 'usd' ? limit * USD_SCALE : limit)

/** An amount as the API shows it: USD or tokens. */
export const shownAmount = (amount: number, unit: BudgetUnit): number => (unit === 'usd' ? amount / USD_SCALE : amount)

/** Checks beyond the schema. The store checks whether the database knows the time zone. */
export function findBudgetProblem({ scope, claim, unit, amount }: NewBudget): { param: string; message: string } | undefined {
  if (scope === 'claim' && claim === '') return { param: 'claim', message: 'is required for the scope claim' }
  if (scope !== 'claim' && claim !== '') return { param: 'claim', message: 'is only for the scope claim' }
  return findLimitProblem(amount, unit)
}

/** Most of the amounts that the store and JSON hold exactly. */
export function findLimitProblem(amount: number | undefined, unit: BudgetUnit) {
  const most = MAX_LIMIT * (unit === 'usd' ? 1 : 1_000)
  if (amount === undefined || shownAmount(amount, unit) <= most) return undefined
  return { param: 'limit', message: `must be at most ${most}` }
}
