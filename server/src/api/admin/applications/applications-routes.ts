import { Type } from 'typebox'
import {
  ApplicationCreate,
  ApplicationPatch,
  type ApplicationRecord,
  ApplicationView,
  applicationView,
  checkApplicationCreate,
  checkApplicationPatch,
} from '../../../domains/identity/application.ts'
import {
  APPLICATION_SORTS,
  type ListedApplication,
  listUsedApplications,
  type UsageSource,
} from '../../../domains/identity/application-list.ts'
import { createApplication, findApplication, updateApplication } from '../../../domains/identity/application-store.ts'
import { APPLICATIONS_TOPIC } from '../../../domains/identity/authenticator.ts'
import { GatehouseError } from '../../../errors.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { notFound, taken, valid } from '../../../shared/refusals.ts'
import { nullable } from '../../../shared/schemas.ts'
import type { Scope } from '../../../shared/scope.ts'
import { List, listOf, PAGE, pageOf } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { sortOf, sortQuery } from '../../kit/sorting.ts'
import { type ChangeDeps, change } from '../kit/change.ts'
import { changedFields } from '../kit/changed-fields.ts'
import { inWorkspace } from '../kit/operation.ts'

/** As for `GET /usage`. */
const USAGE_SCOPE: Scope = 'audit:read'
const CONFLICT = { 409: 'CONFLICT: the name is taken' }
const UNKNOWN = { 404: 'NOT_FOUND: the Application, or the Workspace' }

/** An Application with what its settings cannot do at present. */
const ApplicationWithWarnings = Type.Object({
  ...ApplicationView.properties,
  warnings: Type.Array(Type.String(), {
    description: 'Settings that have no effect, and why: `release: windowed` if an output rule needs the whole response.',
  }),
})

/** An Application with its use. */
const ListedApplicationView = Type.Object(
  {
    ...ApplicationView.properties,
    last_used_at: nullable({
      ...Timestamp,
      description: 'When one of its keys was last used, accurate to about a minute. null: never.',
    }),
    usage: Type.Optional(
      Type.Object(
        {
          requests: Type.Integer({ minimum: 0 }),
          cost: nullable(Type.Number({ description: 'In USD. null: no model has a price.' })),
        },
        { description: `Of the last 30 days in UTC, today included. Only with \`usage=true\`.` },
      ),
    ),
  },
  { title: 'ListedApplication' },
)

const docs = {
  list: inWorkspace('GET /applications', 'listApplications', 'List Applications, oldest first', {
    scope: 'applications:read',
    query: {
      ...PAGE,
      ...sortQuery(
        APPLICATION_SORTS,
        `Default: oldest first. \`-\` before a name is descending. Requests and cost are those of the last 30 days and need the scope audit:read.`,
      ),
      usage: Type.Optional({
        ...oneOf(['true', 'false']),
        description: 'Whether each Application has `usage`, which needs the scope audit:read. Default: false.',
      }),
    },
    answers: { 200: List(ListedApplicationView) },
  }),
  create: inWorkspace('POST /applications', 'createApplication', 'Create an Application', {
    scope: 'applications:write',
    body: ApplicationCreate,
    answers: { 201: ApplicationWithWarnings },
    errors: CONFLICT,
  }),
  get: inWorkspace('GET /applications/:id', 'getApplication', 'Get an Application', {
    scope: 'applications:read',
    answers: { 200: ApplicationWithWarnings },
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
      answers: { 200: ApplicationWithWarnings },
      errors: { ...UNKNOWN, ...CONFLICT },
    },
  ),
}

const nameTaken = () => taken('name', 'Application name')

interface Deps extends ChangeDeps {
  /** Why no text of the Workspace's responses can leave before the verdict; undefined: it can. */
  readonly findReleaseObstacle: (workspaceId: string) => Promise<string | undefined>
  readonly usageOfApplications: (workspaceId: string) => Promise<UsageSource>
}

export function applicationsRoutes(app: TypedApp, deps: Deps): void {
  const { db } = deps
  const withWarnings = async (application: ApplicationRecord) => {
    const obstacle =
      application.settings.release === 'windowed' ? await deps.findReleaseObstacle(application.workspaceId) : undefined
    const warnings = obstacle === undefined ? [] : [`The setting release: windowed has no effect. ${obstacle}`]
    return { ...applicationView(application), warnings }
  }

  handle(app, docs.list, async ({ workspaceId, query, operator }) => {
    const sort = sortOf(APPLICATION_SORTS, query)
    const isUsageAsked = query.usage === 'true'
    const isUsageRead = isUsageAsked || sort?.by === 'requests' || sort?.by === 'cost'
    if (isUsageRead && !operator.scopes.includes(USAGE_SCOPE))
      throw new GatehouseError('FORBIDDEN', { message: `You need the scope ${USAGE_SCOPE} for usage, and to sort by it.` })
    const usage = isUsageRead ? await deps.usageOfApplications(workspaceId) : undefined
    const view = ({ application, lastUsedAt, requests, cost }: ListedApplication) => ({
      ...applicationView(application),
      last_used_at: lastUsedAt?.toISOString() ?? null,
      ...(isUsageAsked && { usage: { requests, cost } }),
    })
    return listOf(
      await listUsedApplications(db, workspaceId, pageOf(query), { usage, sort }),
      view,
      (item) => item.application.id,
    )
  })

  handle(app, docs.create, async (request, reply) => {
    const create = valid(checkApplicationCreate(request.body))
    const application = await change(deps, request, async (tx, now) => {
      const value = await createApplication(tx, request.workspaceId, create, now)
      if (!value) throw nameTaken()
      return { value, action: 'application.create', id: value.id, fields: changedFields(ApplicationCreate, create) }
    })
    return reply.status(201).send(await withWarnings(application))
  })

  handle(app, docs.get, async ({ workspaceId, params }) => {
    const application = await findApplication(db, workspaceId, params.id)
    if (!application) throw notFound('Application')
    return withWarnings(application)
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
    return withWarnings(application)
  })
}
