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
import type { Db, Tx } from '../../../platform/db/database.ts'
import { invalid, notFound, requireFound, taken, valid } from '../../../shared/refusals.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { type Change, type ChangeDeps, chainFirst, change } from '../kit/change.ts'
import { changedFields } from '../kit/changed-fields.ts'
import { inWorkspace } from '../kit/operation.ts'
import { BudgetCountView, BudgetView, budgetCountView, budgetView } from './budget-shapes.ts'

const UNKNOWN = { 404: 'NOT_FOUND: the budget, or the Workspace' }
const TAKEN = { 409: 'CONFLICT: the name is taken' }

const docs = {
  list: inWorkspace('GET /budgets', 'listBudgets', 'List budgets with their current counts, oldest first', {
    scope: 'applications:read',
    query: PAGE,
    answers: { 200: List(BudgetView) },
  }),
  create: inWorkspace('POST /budgets', 'createBudget', 'Create a budget', {
    scope: 'applications:write',
    description: 'All budgets that count a request must admit it. The count of a new budget begins at 0.',
    body: BudgetCreate,
    answers: { 201: BudgetView },
    errors: TAKEN,
  }),
  get: inWorkspace('GET /budgets/:id', 'getBudget', 'Get a budget with its current count', {
    scope: 'applications:read',
    answers: { 200: BudgetView },
    errors: UNKNOWN,
  }),
  update: inWorkspace(
    'PATCH /budgets/:id',
    'updateBudget',
    'Change a budget. The next request is checked against the new limit',
    {
      scope: 'applications:write',
      description: 'Missing fields stay unchanged. Scope, unit and period cannot change, because they decide what is counted.',
      body: BudgetPatch,
      answers: { 200: BudgetView },
      errors: { ...UNKNOWN, ...TAKEN },
    },
  ),
  remove: inWorkspace('DELETE /budgets/:id', 'deleteBudget', 'Delete a budget and its counts', {
    scope: 'applications:write',
    answers: { 204: null },
    errors: UNKNOWN,
  }),
  members: inWorkspace('GET /budgets/:id/members', 'listBudgetMembers', 'List the current counts of members, the highest first', {
    scope: 'people:read',
    description:
      'A member without requests in the current window has no count. An empty `member` counts the requests that name none.',
    query: { ...PAGE, member: Type.Optional(Type.String({ maxLength: 200, description: 'Only this member.' })) },
    answers: { 200: List(BudgetCountView) },
    errors: UNKNOWN,
  }),
}

interface Deps extends ChangeDeps {
  readonly resolveApplications: (
    db: Db,
    workspaceId: string,
    references: readonly string[],
  ) => Promise<{ readonly ok: true; readonly ids: readonly string[] } | { readonly ok: false }>
}

export function budgetsRoutes(app: TypedApp, deps: Deps): void {
  const { db } = deps

  handle(app, docs.list, async ({ workspaceId, query }) => {
    const page = await listBudgets(db, workspaceId, pageOf(query))
    const views = await withWindows(db, page?.data ?? [])
    return listOf(
      page && { ...page, data: views },
      (view) => view,
      ({ id }) => id,
    )
  })

  handle(app, docs.get, async ({ workspaceId, params }) => viewOf(db, await requireBudget(db, workspaceId, params.id)))

  handle(app, docs.members, async ({ workspaceId, params, query }) => {
    const budget = await requireBudget(db, workspaceId, params.id)
    return listOf(await listCounts(db, budget, pageOf(query), query.member), budgetCountView(budget), countKey)
  })

  changeRoutes(app, deps)
}

function changeRoutes(app: TypedApp, deps: Deps): void {
  const { db, resolveApplications } = deps

  handle(app, docs.create, async (request, reply) => {
    const { workspaceId, body } = request
    const budget = valid(checkBudgetCreate(body))
    if (!(await isKnownTimeZone(db, budget.timeZone))) throw invalid({ param: 'time_zone', message: 'is not a known time zone' })
    const application = budget.applicationId === null ? [] : [budget.applicationId]
    const resolved = await resolveApplications(db, workspaceId, application)
    if (!resolved.ok) throw invalid({ param: 'application_id', message: 'is not an Application of this Workspace' })
    const created = await change(deps, request, async (tx, now) => {
      const value = await createBudget(tx, workspaceId, { ...budget, applicationId: resolved.ids[0] ?? null }, now)
      if (!value) throw taken('name', 'Budget name')
      const fields = changedFields(BudgetCreate, body)
      return { value, action: 'budget.create', id: value.id, fields, announce: [BUDGETS_TOPIC, workspaceId] }
    })
    return reply.status(201).send(await viewOf(db, created))
  })

  handle(app, docs.update, async (request) => {
    const { workspaceId, params, body } = request
    const updated = await change(deps, request, async (tx, now) => {
      const { id, unit } = await requireBudget(tx, workspaceId, params.id)
      const namesake = body.name === undefined ? undefined : await findBudgetByName(tx, workspaceId, body.name)
      if (namesake && namesake.id !== id) throw taken('name', 'Budget name')
      const change = budgetChangeOf(body, unit)
      const problem = findLimitProblem(change.amount, unit)
      if (problem) throw invalid(problem)
      const value = requireFound(await updateBudget(tx, workspaceId, id, change, now), 'budget')
      const fields = changedFields(BudgetPatch, body)
      return { value, action: 'budget.update', id, fields, announce: [BUDGETS_TOPIC, workspaceId] }
    })
    return viewOf(db, updated)
  })

  handle(app, docs.remove, async (request, reply) => {
    const { workspaceId, params } = request
    const remove = async (tx: Tx): Promise<Change<undefined>> => {
      if (!(await deleteBudget(tx, workspaceId, params.id))) throw notFound('budget')
      return { value: undefined, action: 'budget.delete', id: params.id, announce: [BUDGETS_TOPIC, workspaceId] }
    }
    await change(deps, request, remove, chainFirst(request))
    return reply.status(204).send()
  })
}

const requireBudget = async (db: Db, workspaceId: string, id: string): Promise<Budget> =>
  requireFound(await findBudget(db, workspaceId, id), 'budget')

const viewOf = async (db: Db, budget: Budget) => requireFound((await withWindows(db, [budget]))[0], 'budget')

/** A budget that has been deleted since is left out. */
async function withWindows(db: Db, budgets: readonly Budget[]) {
  const windows = await readWindows(db, budgets)
  return budgets.flatMap((budget) => {
    const window = windows.get(budget.id)
    return window ? [budgetView(budget, window)] : []
  })
}
