import { type ChangeDeps, change } from '../../admin/kit/change.ts'
import { changedFields } from '../../admin/kit/changed-fields.ts'
import { inWorkspace } from '../../admin/kit/operation.ts'
import { List, listOf, PAGE, pageOf } from '../../http/paging.ts'
import { notFound, taken, valid } from '../../http/refusals.ts'
import { handle, type TypedApp } from '../../http/route.ts'
import {
  ApplicationCreate,
  ApplicationPatch,
  ApplicationView,
  applicationView,
  checkApplicationCreate,
  checkApplicationPatch,
} from '../application.ts'
import { createApplication, findApplication, listApplications, updateApplication } from '../application-store.ts'
import { APPLICATIONS_TOPIC } from '../authenticator.ts'

const CONFLICT = { 409: 'CONFLICT: the name is taken' }
const UNKNOWN = { 404: 'NOT_FOUND: the Application, or the Workspace' }

const docs = {
  list: inWorkspace('GET /applications', 'listApplications', 'List Applications, oldest first', {
    scope: 'applications:read',
    query: PAGE,
    answers: { 200: List(ApplicationView) },
  }),
  create: inWorkspace('POST /applications', 'createApplication', 'Create an Application', {
    scope: 'applications:write',
    body: ApplicationCreate,
    answers: { 201: ApplicationView },
    errors: CONFLICT,
  }),
  get: inWorkspace('GET /applications/:id', 'getApplication', 'Get an Application', {
    scope: 'applications:read',
    answers: { 200: ApplicationView },
    errors: UNKNOWN,
  }),
  update: inWorkspace(
    'PATCH /applications/:id',
    'updateApplication',
    'Change an Application: models, providers, limits, maximum classification, settings',
    {
      scope: 'applications:write',
      description:
        'Missing fields stay unchanged. null resets a field to its default. `limits` and `settings` are merged field by field.',
      body: ApplicationPatch,
      answers: { 200: ApplicationView },
      errors: { ...UNKNOWN, ...CONFLICT },
    },
  ),
}

const nameTaken = () => taken('name', 'Application name')

export function applicationsRoutes(app: TypedApp, deps: ChangeDeps): void {
  const { db } = deps

  handle(app, docs.list, async ({ workspaceId, query }) =>
    listOf(await listApplications(db, workspaceId, pageOf(query)), applicationView, ({ id }) => id),
  )

  handle(app, docs.create, async (request, reply) => {
    const create = valid(checkApplicationCreate(request.body))
    const application = await change(deps, request, async (tx, now) => {
      const value = await createApplication(tx, request.workspaceId, create, now)
      if (!value) throw nameTaken()
      return { value, action: 'application.create', id: value.id, fields: changedFields(ApplicationCreate, create) }
    })
    return reply.status(201).send(applicationView(application))
  })

  handle(app, docs.get, async ({ workspaceId, params }) => {
    const application = await findApplication(db, workspaceId, params.id)
    if (!application) throw notFound('Application')
    return applicationView(application)
  })

  handle(app, docs.update, async (request) => {
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
