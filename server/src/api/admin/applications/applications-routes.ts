import { type TSchema, Type } from 'typebox'
import { usageOfApplications } from '../../../domains/audit/statistics/read-usage.ts'
import { revokeKeys } from '../../../domains/identity/api-key-store.ts'
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
  ARCHIVED,
  type ListedApplication,
  listUsedApplications,
} from '../../../domains/identity/application-list.ts'
import {
  createApplication,
  findApplication,
  setArchived,
  updateApplication,
} from '../../../domains/identity/application-store.ts'
import { APPLICATIONS_TOPIC } from '../../../domains/identity/authenticator.ts'
import { obstacleText } from '../../../domains/policy/compile.ts'
import { isDeclaredModel } from '../../../domains/providers/route.ts'
import { oneOf, Timestamp } from '../../../platform/lib/fields.ts'
import { forbidden, valid } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import type { Scope } from '../../../shared/scope.ts'
import { List, listOf, PAGE, pageOf, sortOf, sortQuery } from '../../kit/paging.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import type { Action } from '../kit/noun.ts'
import { inWorkspace } from '../kit/operation.ts'
import { resource } from '../kit/resource.ts'
import { WholeResponseRule } from '../policies/policy-shapes.ts'

const USAGE_SCOPE: Scope = 'audit:read'
const ApplicationWithWarnings = Type.Object({
  ...ApplicationView.properties,
  warnings: Type.Array(Type.String(), {
    description:
      'Settings that have no effect, and why: `release: windowed` if an output rule needs the whole response, `default_model` if no provider has the model.',
  }),
  needs_whole_response: WholeResponseRule,
})

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

const docs = inWorkspace('GET /applications', 'listApplications', 'List Applications, oldest first', {
  scope: 'applications:read',
  query: {
    ...PAGE,
    ...sortQuery(
      APPLICATION_SORTS,
      `Default: oldest first. \`-\` before a name is descending. Requests and cost are those of the last 30 days and need the scope audit:read.`,
    ),
    archived: Type.Optional({
      ...oneOf(ARCHIVED),
      description: '`true`: archived Applications only. `any`: these too. Default: false.',
    }),
    usage: Type.Optional({
      ...oneOf(['true', 'false']),
      description: 'Whether each Application has `usage`, which needs the scope audit:read. Default: false.',
    }),
  },
  answers: { 200: List(ListedApplicationView) },
})

const ARCHIVE: Action<ApplicationRecord, TSchema> = {
  verb: 'archive',
  summary: 'Archive an Application: revoke its keys and refuse its requests',
  description:
    'Its playground and its assistants refuse requests too. Records, usage and settings stay. Lists do not contain it by default.',
  fields: ['archived_at'],
  write: async (tx, { workspaceId, params }, now) => {
    const archived = await setArchived(tx, workspaceId, params.id, now)
    if (!archived) return undefined
    const revoked = await revokeKeys(tx, { workspaceId, applicationId: params.id }, now)
    const caused = revoked.map((id) => ({ action: 'key.revoke' as const, id, fields: ['revoked_at'] }))
    return { made: archived, id: params.id, caused }
  },
}

const RESTORE: Action<ApplicationRecord, TSchema> = {
  verb: 'restore',
  summary: 'Restore an archived Application, without its keys',
  description: 'Its keys stay revoked: create new ones.',
  fields: ['archived_at'],
  write: (tx, { workspaceId, params }) => setArchived(tx, workspaceId, params.id, null),
}

async function withWarnings(application: ApplicationRecord, { policies, providers }: Pick<AdminDeps, 'policies' | 'providers'>) {
  const { workspaceId, defaultModel, settings } = application
  const obstacle = (await policies.current(workspaceId))?.growingOutput.needsWhole
  const lacksModel = defaultModel !== null && !isDeclaredModel(await providers.get(workspaceId), defaultModel)
  const warnings = [
    ...(obstacle && settings.release === 'windowed' ? [`“While it arrives” has no effect: ${obstacleText(obstacle)}`] : []),
    ...(lacksModel
      ? [`No provider has the default model ${JSON.stringify(defaultModel)}. Add it to a provider, or choose another one.`]
      : []),
  ]
  return { ...applicationView(application), warnings, needs_whole_response: obstacle ?? null }
}

export function applicationsRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db } = deps
  handle(app, docs, async ({ workspaceId, query, operator }) => {
    const sort = sortOf(APPLICATION_SORTS, query)
    const isUsageAsked = query.usage === 'true'
    const isUsageRead = isUsageAsked || sort?.by === 'requests' || sort?.by === 'cost'
    if (isUsageRead && !operator.scopes.includes(USAGE_SCOPE))
      throw forbidden(`You need the scope ${USAGE_SCOPE} for usage, and to sort by it.`)
    const usage = isUsageRead ? await usageOfApplications(db, workspaceId, deps.clock.now()) : undefined
    const view = ({ application, lastUsedAt, requests, cost }: ListedApplication) => ({
      ...applicationView(application),
      last_used_at: lastUsedAt?.toISOString() ?? null,
      ...(isUsageAsked && { usage: { requests, cost } }),
    })
    const page = await listUsedApplications(db, workspaceId, pageOf(query), { usage, sort, archived: query.archived })
    return listOf(page, view, (item) => item.application.id)
  })

  const addAction = resource(app, deps, {
    noun: 'application',
    name: 'Application',
    path: '/applications',
    area: 'applications',
    view: ApplicationWithWarnings,
    show: (rows: readonly ApplicationRecord[]) => Promise.all(rows.map((row) => withWarnings(row, deps))),
    taken: { name: 'Application name' },
    announce: (id) => [APPLICATIONS_TOPIC, id],
    get: { find: findApplication },
    create: {
      body: ApplicationCreate,
      write: async (tx, { workspaceId, body }, now) =>
        createApplication(tx, workspaceId, valid(checkApplicationCreate(body)), now),
    },
    update: {
      summary: 'Change an Application: models, providers, limits, maximum classification, settings',
      description:
        'Missing fields stay unchanged. null resets a field to its default. `limits` and `settings` are merged field by field.',
      body: ApplicationPatch,
      write: async (tx, { workspaceId, params, body }, now) => {
        const updated = await updateApplication(tx, workspaceId, params.id, valid(checkApplicationPatch(body)), now)
        return updated.ok ? updated.application : updated
      },
    },
  })
  addAction(ARCHIVE)
  addAction(RESTORE)
}
