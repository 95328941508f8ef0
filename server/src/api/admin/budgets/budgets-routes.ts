import { Type } from 'typebox'
import {
  type Budget,
  BudgetCreate,
  BudgetPatch,
  budgetChangeOf,
  checkBudgetCreate,
  findLimitProblem,
  shownAmount,
} from '../../../domains/budgets/budget.ts'
import {
  BUDGETS_TOPIC,
  createBudget,
  deleteBudget,
  findBudget,
  findBudgetByName,
  isKnownTimeZone,
  listBudgets,
  updateBudget,
} from '../../../domains/budgets/budget-store.ts'
import { BUDGET_PERIODS, BUDGET_SCOPES, BUDGET_UNITS, UNPRICED } from '../../../domains/budgets/budget-words.ts'
import { type BudgetCount, type BudgetWindow, countKey, listCounts, readWindows } from '../../../domains/budgets/window-store.ts'
import { findCountedId } from '../../../domains/identity/api-key-store.ts'
import { resolveApplications } from '../../../domains/identity/application-store.ts'
import type { Db } from '../../../platform/db/database.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { invalid, requireFound, taken, valid } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { chainFirst } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { resource } from '../kit/resource.ts'

const Amount = Type.Number({ description: 'USD or tokens, as `unit` says.' })
const count = {
  member: Type.String({ description: 'Empty: the whole Workspace, or the requests that name no member.' }),
  spent: Amount,
  reserved: { ...Amount, description: 'Set aside for running requests, and in slices for the next ones.' },
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

const BudgetCountView = Type.Object({ object: Type.Literal('budget_count'), ...count })

const BudgetView = Type.Object({
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

const budgetCountView = (budget: Budget) => (stored: BudgetCount) => ({
  object: 'budget_count' as const,
  ...countFields(budget, stored),
})

const budgetView = (budget: Budget, window: BudgetWindow) =>
  viewOf(BudgetView, budget, {
    claim: budget.claim || null,
    member: budget.member || null,
    limit: shownAmount(budget.amount, budget.unit),
    window_starts_at: window.startsAt.toISOString(),
    resets_at: window.resetsAt.toISOString(),
    current: countFields(budget, window.most ?? { ...NO_COUNT, subject: budget.member ?? '' }),
  })

const docs = inWorkspace(
  'GET /budgets/:id/members',
  'listBudgetMembers',
  'List the current counts of members, the highest first',
  {
    scope: 'people:read',
    description:
      'A member without requests in the current window has no count. An empty `member` counts the requests that name none.',
    query: { ...PAGE, member: Type.Optional(Type.String({ maxLength: 200, description: 'Only this member.' })) },
    answers: { 200: List(BudgetCountView) },
    errors: { 404: 'NOT_FOUND: the budget, or the Workspace' },
  },
)

export function budgetsRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db } = deps

  resource(app, deps, {
    noun: 'budget',
    path: '/budgets',
    area: 'applications',
    view: BudgetView,
    show: (budgets: readonly Budget[]) => viewsOf(db, budgets),
    taken: { name: 'Budget name' },
    announce: (_, workspaceId) => [BUDGETS_TOPIC, workspaceId],
    list: { summary: 'List budgets with their current counts, oldest first', read: listBudgets },
    get: { summary: 'Get a budget with its current count', find: findBudget },
    create: {
      description: 'All budgets that count a request must admit it. The count of a new budget begins at 0.',
      body: BudgetCreate,
      write: async (tx, { workspaceId, body }, now) => {
        const budget = valid(checkBudgetCreate(body))
        if (!(await isKnownTimeZone(tx, budget.timeZone)))
          throw invalid({ param: 'time_zone', message: 'is not a known time zone' })
        const resolved = await resolveApplications(tx, workspaceId, budget.applicationId === null ? [] : [budget.applicationId])
        if (!resolved.ok) throw invalid({ param: 'application_id', message: 'is not an Application of this Workspace' })
        const { scope, member } = budget
        const counted = scope === 'key' && member !== null ? await findCountedId(tx, workspaceId, member) : member
        return createBudget(tx, workspaceId, { ...budget, member: counted, applicationId: resolved.ids[0] ?? null }, now)
      },
    },
    update: {
      summary: 'Change a budget. The next request is checked against the new limit',
      description: 'Missing fields stay unchanged. Scope, unit and period cannot change, because they decide what is counted.',
      body: BudgetPatch,
      write: async (tx, { workspaceId, params, body }, now) => {
        const { id, unit } = requireFound(await findBudget(tx, workspaceId, params.id), 'budget')
        const namesake = body.name === undefined ? undefined : await findBudgetByName(tx, workspaceId, body.name)
        if (namesake && namesake.id !== id) throw taken('name', 'Budget name')
        const change = budgetChangeOf(body, unit)
        const problem = findLimitProblem(change.amount, unit)
        if (problem) throw invalid(problem)
        return updateBudget(tx, workspaceId, id, change, now)
      },
    },
    remove: { summary: 'Delete a budget and its counts', remove: deleteBudget, first: chainFirst },
  })

  handle(app, docs, async ({ workspaceId, params, query }) => {
    const budget = requireFound(await findBudget(db, workspaceId, params.id), 'budget')
    return listOf(await listCounts(db, budget, pageOf(query), query.member), budgetCountView(budget), countKey)
  })
}

async function viewsOf(db: Db, budgets: readonly Budget[]) {
  const windows = await readWindows(db, budgets)
  return budgets.flatMap((budget) => {
    const window = windows.get(budget.id)
    return window ? [budgetView(budget, window)] : []
  })
}
