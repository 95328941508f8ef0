import {
  ApplicationCreate,
  ApplicationPatch,
  ApplicationView,
  applicationView,
  checkApplicationCreate,
  checkApplicationPatch,
} from '../applications/application.ts'
import { createApplication, findApplication, listApplications, updateApplication } from '../applications/application-store.ts'
import { APPLICATIONS_TOPIC } from '../applications/authenticator.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { change } from './change.ts'
import { changedFields } from './changed-fields.ts'
import { inWorkspace } from './operation.ts'
import { listOf, PAGE, pageOf } from './paging.ts'
import { notFound, taken, valid } from './refusals.ts'
import { List, pathOf } from './shapes.ts'

const CONFLICT = { 409: 'CONFLICT: the name is taken' }
const UNKNOWN = { 404: 'NOT_FOUND: the Application, or the Workspace' }

const docs = {
  list: inWorkspace('listApplications', 'Applications, oldest first', {
    scope: 'applications:read',
    query: PAGE,
    answers: { 200: List(ApplicationView) },
  }),
  create: inWorkspace('createApplication', 'Create an Application', {
    scope: 'applications:write',
    query: {},
    body: ApplicationCreate,
    answers: { 201: ApplicationView },
    errors: CONFLICT,
  }),
  get: inWorkspace('getApplication', 'One Application', {
    scope: 'applications:read',
    query: {},
    params: pathOf('id'),
    answers: { 200: ApplicationView },
    errors: UNKNOWN,
  }),
  update: inWorkspace('updateApplication', 'Change an Application: its models, providers, limits, ceiling, settings', {
    scope: 'applications:write',
    description: 'What is left out stays; null resets to the default; `limits` and `settings` are merged field by field.',
    query: {},
    params: pathOf('id'),
    body: ApplicationPatch,
    answers: { 200: ApplicationView },
    errors: { ...UNKNOWN, ...CONFLICT },
  }),
}

const nameTaken = () => taken('name', 'an Application of that name')

export function applicationsRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db } = deps

  app.get('/applications', { schema: docs.list }, async ({ workspaceId, query }) =>
    listOf(await listApplications(db, workspaceId, pageOf(query)), applicationView, ({ id }) => id),
  )

  app.post('/applications', { schema: docs.create }, async (request, reply) => {
    const create = valid(checkApplicationCreate(request.body))
    const application = await change(deps, request, async (tx, now) => {
      const value = await createApplication(tx, request.workspaceId, create, now)
      if (!value) throw nameTaken()
      return { value, action: 'application.create', id: value.id, fields: changedFields(ApplicationCreate, create) }
    })
    return reply.status(201).send(applicationView(application))
  })

  app.get('/applications/:id', { schema: docs.get }, async ({ workspaceId, params }) => {
    const application = await findApplication(db, workspaceId, params.id)
    if (!application) throw notFound('Application')
    return applicationView(application)
  })

  app.patch('/applications/:id', { schema: docs.update }, async (request) => {
    const patch = valid(checkApplicationPatch(request.body))
    const { id } = request.params
    const application = await change(deps, request, async (tx, now) => {
      const updated = await updateApplication(tx, request.workspaceId, id, patch, now)
      if (!updated.ok) throw updated.reason === 'not_found' ? notFound('Application') : nameTaken()
      return {
        value: updated.application,
        action: 'application.update',
        id,
        fields: changedFields(ApplicationPatch, patch),
        announce: [APPLICATIONS_TOPIC, id],
      }
    })
    return applicationView(application)
  })
}
