import { isDeepStrictEqual } from 'node:util'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { findActorNames } from '../../../domains/operators/actors.ts'
import {
  countViews,
  createView,
  deleteView,
  listViews,
  lockView,
  type SavedView,
  updateView,
} from '../../../domains/views/view-store.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { Line, Name, Timestamp } from '../../../platform/lib/fields.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import type { Operator } from '../../../shared/operator.ts'
import { conflict, forbidden, invalid, requireFound } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import { READ_SCOPES } from '../../../shared/scope.ts'
import { List, listById, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'

const VIEW_LIMITS = { own: 100, shared: 200, queryLength: 4_000 } as const

const PageName = Type.String({
  pattern: '^[a-z][a-z_]{0,39}$',
  description:
    'The list that the view belongs to. Those of the dashboard: `audit`, `usage`, `reviews`, `users`, `memory`, `documents`.',
})

const Query = Type.Record(Type.String({ pattern: '^[A-Za-z_]{1,40}$' }), Line, {
  maxProperties: 40,
  description: 'Filters, sort and period: the query of the page in the dashboard.',
})
const Columns = Type.Array(Type.String({ pattern: '^[a-z_]{1,40}$' }), { maxItems: 60 })

const fields = {
  name: { ...Name, maxLength: 80 },
  query: Query,
  columns: { ...nullable(Columns), description: "Ids of the shown columns. null: the list's own choice." },
  shared: Type.Boolean({ description: 'Whether all operators of the Workspace see the view.' }),
}

const ViewCreate = Type.Object(
  {
    page: PageName,
    name: fields.name,
    query: fields.query,
    columns: Type.Optional(fields.columns),
    shared: Type.Optional({ ...fields.shared, default: false }),
  },
  { additionalProperties: false },
)

const ViewPatch = Type.Partial(Type.Object(fields), { additionalProperties: false })

const ViewView = Type.Object({
  object: Type.Literal('view'),
  id: Type.String({ description: '`viw_…`' }),
  page: Type.String(),
  name: Type.String(),
  query: Type.Record(Type.String(), Type.String()),
  columns: nullable(Type.Array(Type.String())),
  shared: Type.Boolean(),
  owner: Type.Object({ id: Type.String(), name: nullable(Type.String({ description: 'null: the operator was removed.' })) }),
  can_edit: Type.Boolean({ description: 'Whether you can change and delete the view.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
})

const viewView = (view: SavedView, ownerName: string | undefined, canEdit: boolean) =>
  viewOf(ViewView, view, { owner: { id: view.owner, name: ownerName ?? null }, can_edit: canEdit })

const SHARING = '403 without a scope other than `…:read`.'
const UNKNOWN = { 404: 'NOT_FOUND: the view, or the Workspace' }
const TOO_MANY = `CONFLICT: you have a view of this page with this name, or ${VIEW_LIMITS.own} views, or the Workspace has ${VIEW_LIMITS.shared} shared ones`
const NO_OWNER = ', or the owner of a shared view that would become private was removed'

const docs = {
  list: inWorkspace('GET /views', 'listViews', 'List saved views: your own and the shared ones, oldest first', {
    scope: null,
    query: { ...PAGE, page: Type.Optional(PageName) },
    answers: { 200: List(ViewView) },
  }),
  create: inWorkspace('POST /views', 'createView', 'Save the filters, sort, period and columns of a list under a name', {
    scope: null,
    description: `\`shared\` shows the view to all operators of the Workspace, and is recorded: ${SHARING} Private views are not recorded.`,
    body: ViewCreate,
    answers: { 201: ViewView },
    errors: { 409: TOO_MANY },
  }),
  update: inWorkspace('PATCH /views/:id', 'updateView', 'Change a saved view', {
    scope: null,
    description: `Missing fields stay unchanged. Shared views can be changed by their owner, and with the scope workspaces:write. To share a view, or to change your shared view: ${SHARING}`,
    body: ViewPatch,
    answers: { 200: ViewView },
    errors: { ...UNKNOWN, 409: `${TOO_MANY}${NO_OWNER}` },
  }),
  remove: inWorkspace('DELETE /views/:id', 'deleteView', 'Delete a saved view', {
    scope: null,
    description: 'Shared views can be deleted by their owner, and with the scope workspaces:write.',
    answers: { 204: null },
    errors: UNKNOWN,
  }),
}

type Asking = Pick<FastifyRequest, 'operator' | 'workspaceId'>

export function viewsRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db } = deps
  const viewOf = async (view: SavedView, { operator }: Asking) =>
    viewView(view, (await findActorNames(db, [view.owner])).get(view.owner), canEdit(view, operator))

  handle(app, docs.list, async (request) => {
    const { query, operator } = request
    const page = await listViews(db, readerOf(request), { ...pageOf(query), page: query.page })
    const names = await findActorNames(db, page?.data.map(({ owner }) => owner) ?? [])
    return listById(page, (view) => viewView(view, names.get(view.owner), canEdit(view, operator)))
  })

  handle(app, docs.create, async (request, reply) => {
    const { body } = request
    const { columns = null, shared = false } = body
    checkSize(body.query)
    const created = await change(deps, request, async (tx, now) => {
      const { own } = await refuseSharing(tx, request, shared)
      if (own >= VIEW_LIMITS.own) throw tooMany(`You can save ${VIEW_LIMITS.own} views.`)
      const value = await createView(tx, readerOf(request), { ...body, columns, shared }, now)
      if (!value) throw nameTaken()
      return shared ? { value, action: 'view.create', id: value.id, fields: Object.keys(body) } : { value }
    })
    return reply.status(201).send(await viewOf(created, request))
  })

  handle(app, docs.update, async (request) => {
    const { body, params, workspaceId } = request
    if (body.query) checkSize(body.query)
    const updated = await change<SavedView>(deps, request, async (tx, now) => {
      const view = await lockEditable(tx, request, params.id)
      await refuseSharing(tx, request, body.shared === true && !view.shared)
      const value = { ...view, ...body, updatedAt: now }
      if (view.shared && !value.shared) await requireOwner(tx, view)
      const fields = Object.keys(body).filter((name) => !isDeepStrictEqual(Reflect.get(view, name), Reflect.get(value, name)))
      if (!(await updateView(tx, workspaceId, value))) throw nameTaken()
      const isRecorded = (view.shared || value.shared) && fields.length > 0
      return isRecorded ? { value, action: 'view.update', id: view.id, fields } : { value }
    })
    return viewOf(updated, request)
  })

  handle(app, docs.remove, async (request, reply) => {
    await change(deps, request, async (tx) => {
      const { id, shared } = await lockEditable(tx, request, request.params.id)
      await deleteView(tx, id)
      return shared ? { value: undefined, action: 'view.delete', id } : { value: undefined }
    })
    return reply.status(204).send()
  })
}

const readerOf = ({ workspaceId, operator }: Asking) => ({ workspaceId, operatorId: operator.id })

/** An operator who may only read changes nothing that others see. */
const isReader = ({ scopes }: Operator): boolean => scopes.every((scope) => READ_SCOPES.some((read) => read === scope))

const canEdit = ({ owner, shared }: SavedView, operator: Operator): boolean =>
  operator.scopes.includes('workspaces:write') || (owner === operator.id && !(shared && isReader(operator)))

/** Throws a 404 for a private view of another operator, as if it did not exist. */
async function lockEditable(tx: Tx, request: Asking, id: string): Promise<SavedView> {
  const view = requireFound(await lockView(tx, readerOf(request), id), 'view')
  if (canEdit(view, request.operator)) return view
  throw forbidden(
    view.owner === request.operator.id
      ? 'Others see this view, and you can only read. Save a view of your own, or ask for the scope workspaces:write.'
      : 'The view belongs to another operator. Save your own, or ask for the scope workspaces:write.',
  )
}

/** Throws a 409 if the owner was removed: no operator would see the view. */
async function requireOwner(tx: Tx, { owner }: SavedView): Promise<void> {
  if ((await findActorNames(tx, [owner])).has(owner)) return
  throw conflict('The owner of this view was removed, so it cannot become private. Delete it instead.')
}

/** Refuses to share for an operator who may only read. Returns the counts of views. */
async function refuseSharing(tx: Tx, request: Asking, shares: boolean) {
  if (shares && isReader(request.operator)) throw forbidden('You can save views for yourself, but not share them.')
  const counts = await countViews(tx, readerOf(request))
  if (shares && counts.shared >= VIEW_LIMITS.shared) throw tooMany(`A Workspace can have ${VIEW_LIMITS.shared} shared views.`)
  return counts
}

function checkSize(query: Readonly<Record<string, string>>): void {
  if (JSON.stringify(query).length > VIEW_LIMITS.queryLength)
    throw invalid({ param: 'query', message: `must not have more than ${VIEW_LIMITS.queryLength} characters of JSON` })
}

const tooMany = (limit: string) => conflict(`${limit} Delete one that you no longer need.`)

const nameTaken = () => conflict('You have another view with this name. Choose another.', { param: 'name' })
