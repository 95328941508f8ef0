import { WORKSPACES_TOPIC } from '../applications/user-token.ts'
import {
  checkWorkspaceCreate,
  checkWorkspacePatch,
  endsFourEyes,
  WorkspaceCreate,
  WorkspacePatch,
  WorkspaceView,
  workspaceView,
} from '../applications/workspace.ts'
import {
  createWorkspace,
  findWorkspace,
  listWorkspaces,
  lockWorkspace,
  updateWorkspace,
} from '../applications/workspace-store.ts'
import { requireSecretKey } from '../audit/secret-key-check.ts'
import { createWorkspaceKeys } from '../audit/workspace-keys.ts'
import { GatehouseError } from '../errors.ts'
import { newId } from '../lib/id.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { change } from './change.ts'
import { changedFields } from './changed-fields.ts'
import { operation } from './operation.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
import { notFound, taken, valid } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const CONFLICT = { 409: 'CONFLICT: the name is taken' }
const UNKNOWN = { 404: 'NOT_FOUND' }

const docs = {
  list: operation('listWorkspaces', 'Workspaces, oldest first', {
    scope: 'workspaces:read',
    query: PAGE,
    answers: { 200: List(WorkspaceView) },
  }),
  create: operation('createWorkspace', 'Create a Workspace', {
    scope: 'workspaces:write',
    query: {},
    body: WorkspaceCreate,
    answers: { 201: WorkspaceView },
    errors: CONFLICT,
  }),
  get: operation('getWorkspace', 'One Workspace', {
    scope: 'workspaces:read',
    query: {},
    params: pathOf('id'),
    answers: { 200: WorkspaceView },
    errors: UNKNOWN,
  }),
  update: operation('updateWorkspace', 'Change a Workspace: who signs user tokens, how long records are kept', {
    scope: 'workspaces:write',
    description: 'What is left out stays; null resets a setting to its default.',
    query: {},
    params: pathOf('id'),
    body: WorkspacePatch,
    answers: { 200: WorkspaceView },
    errors: { ...UNKNOWN, ...CONFLICT },
  }),
}

/** Else one operator could turn them off, approve, and turn them on again. */
const fourEyesStay = () =>
  new GatehouseError('FORBIDDEN', {
    message: 'The admin API cannot turn four_eyes off: declare it in gatehouse.yaml on the server.',
    param: 'settings.review.four_eyes',
  })

const nameTaken = () => taken('name', 'a Workspace of that name')

/** A change of a Workspace is recorded in its own chain, beginning with its creation. */
export function workspacesRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db, workspaceBox } = deps

  app.get('/workspaces', { schema: docs.list }, async ({ query }) =>
    listOf(await listWorkspaces(db, pageOf(query)), workspaceView, ({ id }) => id),
  )

  app.post('/workspaces', { schema: docs.create }, async (request, reply) => {
    const create = valid(checkWorkspaceCreate(request.body))
    const id = newId('ws')
    const keys = createWorkspaceKeys(workspaceBox, id)
    const workspace = await change(deps, request, async (tx, now) => {
      await requireSecretKey(tx, workspaceBox)
      const value = await createWorkspace(tx, id, create, keys, now)
      if (!value) throw nameTaken()
      return { value, action: 'workspace.create', id, workspaceId: id, fields: changedFields(WorkspaceCreate, create) }
    })
    return reply.status(201).send(workspaceView(workspace))
  })

  app.get('/workspaces/:id', { schema: docs.get }, async ({ params }) => {
    const workspace = await findWorkspace(db, params.id)
    if (!workspace) throw notFound('Workspace')
    return workspaceView(workspace)
  })

  app.patch('/workspaces/:id', { schema: docs.update }, async (request) => {
    const patch = valid(checkWorkspacePatch(request.body))
    const { id } = request.params
    const workspace = await change(deps, request, async (tx) => {
      const before = await lockWorkspace(tx, id)
      if (before && endsFourEyes(before, patch)) throw fourEyesStay()
      const updated = await updateWorkspace(tx, id, patch)
      if (!updated.ok) throw updated.reason === 'not_found' ? notFound('Workspace') : nameTaken()
      return {
        value: updated.workspace,
        action: 'workspace.update',
        id,
        workspaceId: id,
        fields: changedFields(WorkspacePatch, patch),
        announce: [WORKSPACES_TOPIC, id],
      }
    })
    return workspaceView(workspace)
  })
}
