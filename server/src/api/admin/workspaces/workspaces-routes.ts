import { requireSecretKey } from '../../../domains/audit/secret-key-check.ts'
import { createWorkspaceKeys } from '../../../domains/audit/workspace-keys.ts'
import { WORKSPACES_TOPIC } from '../../../domains/identity/user-token.ts'
import {
  checkWorkspaceCreate,
  checkWorkspacePatch,
  turnsFourEyesOff,
  WorkspaceCreate,
  WorkspacePatch,
  WorkspaceView,
  workspaceView,
} from '../../../domains/identity/workspace.ts'
import {
  createWorkspace,
  findWorkspace,
  listWorkspaces,
  lockWorkspace,
  updateWorkspace,
} from '../../../domains/identity/workspace-store.ts'
import { GatehouseError } from '../../../errors.ts'
import { newId } from '../../../platform/lib/id.ts'
import { workspacesWith } from '../../../shared/access.ts'
import { notFound, requireFound, taken, valid } from '../../../shared/request-errors.ts'
import { List, listById, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change, changedFields } from '../kit/change.ts'
import { operation } from '../kit/operation.ts'

const CONFLICT = { 409: 'CONFLICT: the name is taken' }
const UNKNOWN = { 404: 'NOT_FOUND' }

const docs = {
  list: operation('GET /workspaces', 'listWorkspaces', 'List Workspaces, oldest first', {
    scope: 'workspaces:read',
    reach: 'any',
    description: 'Only Workspaces in which you have the scope.',
    query: PAGE,
    answers: { 200: List(WorkspaceView) },
  }),
  create: operation('POST /workspaces', 'createWorkspace', 'Create a Workspace', {
    scope: 'workspaces:write',
    body: WorkspaceCreate,
    answers: { 201: WorkspaceView },
    errors: CONFLICT,
  }),
  get: operation('GET /workspaces/:id', 'getWorkspace', 'Get a Workspace', {
    scope: 'workspaces:read',
    reach: 'path',
    answers: { 200: WorkspaceView },
    errors: UNKNOWN,
  }),
  update: operation(
    'PATCH /workspaces/:id',
    'updateWorkspace',
    'Change a Workspace: keys of user tokens, retention and other settings',
    {
      scope: 'workspaces:write',
      reach: 'path',
      description: 'Missing fields stay unchanged. null resets a setting to its default.',
      body: WorkspacePatch,
      answers: { 200: WorkspaceView },
      errors: { ...UNKNOWN, ...CONFLICT },
    },
  ),
}

/** An operator must not turn two-person approval off, approve, and turn it on again. */
const fourEyesRequired = () =>
  new GatehouseError('FORBIDDEN', {
    message: 'The admin API cannot turn four_eyes off. Change it in gatehouse.yaml on the server.',
    param: 'settings.review.four_eyes',
  })

const nameTaken = () => taken('name', 'Workspace name')

/** A change of a Workspace is recorded in its own audit log, beginning with its creation. */
export function workspacesRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, workspaceBox } = deps

  handle(app, docs.list, async ({ query, operator }) => {
    const ids = workspacesWith(operator.access, 'workspaces:read')
    return listById(await listWorkspaces(db, pageOf(query), ids), workspaceView)
  })

  handle(app, docs.create, async (request, reply) => {
    const create = valid(checkWorkspaceCreate(request.body))
    const id = newId('ws')
    const keys = createWorkspaceKeys(workspaceBox, id)
    const workspace = await change(deps, request, async (tx, now) => {
      await requireSecretKey(tx, workspaceBox)
      const value = await createWorkspace(tx, id, create, keys, now)
      if (!value) throw nameTaken()
      return { value, action: 'workspace.create', id, workspaceIds: [id], fields: changedFields(WorkspaceCreate, create) }
    })
    return reply.status(201).send(workspaceView(workspace))
  })

  handle(app, docs.get, async ({ params }) => workspaceView(requireFound(await findWorkspace(db, params.id), 'Workspace')))

  handle(app, docs.update, async (request) => {
    const patch = valid(checkWorkspacePatch(request.body))
    const { id } = request.params
    const workspace = await change(deps, request, async (tx) => {
      const before = await lockWorkspace(tx, id)
      if (before && turnsFourEyesOff(before, patch)) throw fourEyesRequired()
      const updated = await updateWorkspace(tx, id, patch)
      if (!updated.ok) throw updated.reason === 'not_found' ? notFound('Workspace') : nameTaken()
      const fields = changedFields(WorkspacePatch, patch)
      const recorded = { action: 'workspace.update', id, workspaceIds: [id], fields } as const
      return { value: updated.workspace, ...recorded, announce: [WORKSPACES_TOPIC, id] }
    })
    return workspaceView(workspace)
  })
}
