import { Type } from 'typebox'
import {
  type Budget,
  BudgetCreate,
  BudgetPatch,
  budgetChangeOf,
  checkBudgetCreate,
  findLimitProblem,
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
import { countKey, listCounts, readWindows } from '../../../domains/budgets/window-store.ts'
import { resolveApplications } from '../../../domains/identity/application-store.ts'
import type { Db } from '../../../platform/db/database.ts'
import { invalid, requireFound, taken, valid } from '../../../shared/request-errors.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { chainFirst } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'
import { resource } from '../kit/resource.ts'
import { BudgetCountView, BudgetView, budgetCountView, budgetView } from './budget-shapes.ts'

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
        return createBudget(tx, workspaceId, { ...budget, applicationId: resolved.ids[0] ?? null }, now)
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
