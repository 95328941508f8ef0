import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { auditFeedRoutes } from '../audit/admin/audit-feed-routes.ts'
import { auditLogRoutes } from '../audit/admin/audit-log-routes.ts'
import { auditRoutes } from '../audit/admin/audit-routes.ts'
import { budgetsRoutes } from '../budgets/admin/budgets-routes.ts'
import type { Scope } from '../domain/scope.ts'
import { GatehouseError } from '../errors.ts'
import { playgroundRoutes } from '../gateway/admin/playground-routes.ts'
import { replayRoutes } from '../gateway/admin/replay-routes.ts'
import { simulationRoutes } from '../gateway/admin/simulation-routes.ts'
import { readJsonBodies } from '../http/bodies.ts'
import type { TypedApp } from '../http/route.ts'
import { checkRequests } from '../http/validation.ts'
import { applicationsRoutes } from '../identity/admin/applications-routes.ts'
import { keysRoutes } from '../identity/admin/keys-routes.ts'
import { userGroupsRoutes } from '../identity/admin/user-groups-routes.ts'
import { usersRoutes } from '../identity/admin/users-routes.ts'
import { workspacesRoutes } from '../identity/admin/workspaces-routes.ts'
import { secretKeysRoutes } from '../keys/admin/secret-keys-routes.ts'
import { collectionsRoutes } from '../knowledge/admin/collections-routes.ts'
import { documentsRoutes } from '../knowledge/admin/documents-routes.ts'
import { explainedSearchRoutes } from '../knowledge/admin/explained-search-routes.ts'
import { isUnavailable } from '../lib/unavailable.ts'
import { memoriesRoutes } from '../memory/admin/memories-routes.ts'
import { accessTokensRoutes } from '../messaging/admin/access-tokens-routes.ts'
import { assistantsRoutes } from '../messaging/admin/assistants-routes.ts'
import { userErasureRoutes } from '../messaging/admin/user-erasure-routes.ts'
import { webhooksRoutes } from '../messaging/admin/webhooks-routes.ts'
import { adminTokensRoutes } from '../operators/admin/admin-tokens-routes.ts'
import { operatorsRoutes } from '../operators/admin/operators-routes.ts'
import { sessionRoutes } from '../operators/admin/session-routes.ts'
import { refuseCrossSite } from '../operators/same-origin.ts'
import { policyDraftsRoutes } from '../policy/admin/policy-drafts-routes.ts'
import { policySetsRoutes } from '../policy/admin/policy-sets-routes.ts'
import { discoveryRoutes } from '../providers/admin/discovery-routes.ts'
import { modelsRoutes } from '../providers/admin/models-routes.ts'
import { presetsRoutes } from '../providers/admin/presets-routes.ts'
import { providersRoutes } from '../providers/admin/providers-routes.ts'
import { reviewEventsRoutes } from '../review/admin/review-events-routes.ts'
import { reviewsRoutes } from '../review/admin/reviews-routes.ts'
import type { AdminContext } from './admin-context.ts'
import { type AdminDeps, connectDomains } from './connect-domains.ts'
import { operatorOf } from './kit/authenticate-operator.ts'
import { chooseWorkspace } from './kit/choose-workspace.ts'
import { SCOPE } from './kit/operation.ts'
import { overviewRoutes } from './overview/overview-routes.ts'

type Routes = (app: TypedApp, deps: AdminDeps) => void

/** The admin API: authentication, scopes, Workspace, and the routes of each domain. */
export async function adminRoutes(app: FastifyInstance, context: AdminContext): Promise<void> {
  const deps = connectDomains(context)
  app.decorateRequest('operator')
  app.decorateRequest('workspaceId', '')
  readJsonBodies(app, deps.jsonDepth)
  app.setValidatorCompiler(checkRequests)
  app.setErrorHandler((error) => {
    throw isUnavailable(error) ? new GatehouseError('UNAVAILABLE', {}, error) : error
  })
  authenticateOperators(app, deps)
  requireScopes(app, deps)

  const register = (routes: readonly Routes[]) => async (scope: FastifyInstance) => {
    for (const addRoutes of routes)
      await scope.register(async (plugin) => addRoutes(plugin.withTypeProvider<TypeBoxTypeProvider>(), deps))
  }
  await app.register(register([workspacesRoutes, sessionRoutes, auditFeedRoutes, secretKeysRoutes]))
  await app.register(async (scope) => {
    scope.addHook('preHandler', chooseWorkspace(deps.db))
    const people = [
      applicationsRoutes,
      playgroundRoutes,
      overviewRoutes,
      keysRoutes,
      usersRoutes,
      userGroupsRoutes,
      userErasureRoutes,
      accessTokensRoutes,
      memoriesRoutes,
      adminTokensRoutes,
      operatorsRoutes,
    ]
    const models = [budgetsRoutes, providersRoutes, modelsRoutes, discoveryRoutes, presetsRoutes, assistantsRoutes]
    const rules = [
      policySetsRoutes,
      policyDraftsRoutes,
      simulationRoutes,
      replayRoutes,
      reviewsRoutes,
      reviewEventsRoutes,
      auditRoutes,
      auditLogRoutes,
    ]
    const knowledge = [collectionsRoutes, documentsRoutes, explainedSearchRoutes]
    const messaging = [webhooksRoutes]
    await register([...people, ...models, ...rules, ...knowledge, ...messaging])(scope)
  })
}

/** Authentication comes first: a client without token and session learns nothing, not even whether its body is valid. */
function authenticateOperators(app: FastifyInstance, deps: AdminDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    // Keys and contents of reviews must not be cached.
    reply.header('cache-control', 'no-store')
    request.operator = await operatorOf(request.headers, deps)
    if (request.operator.kind === 'person') refuseCrossSite(request, deps.signIn)
  })
}

const scopeOf = (schema: object | undefined) => (schema as { [SCOPE]?: Scope | null } | undefined)?.[SCOPE]

/** Checks the scope of every route. A route without a declared scope is not registered. */
function requireScopes(app: FastifyInstance, deps: AdminDeps): void {
  app.addHook('onRoute', ({ url, schema }) => {
    if (scopeOf(schema) === undefined) throw new Error(`${url} declares no scope: add it to the operation`)
  })
  app.addHook('onRequest', async (request) => refuseWithoutScope(request))
  // A slow body takes up to a minute: the operator's scopes may have changed meanwhile.
  app.addHook('preHandler', async (request) => {
    if (request.body === undefined) return
    request.operator = await operatorOf(request.headers, deps)
    refuseWithoutScope(request)
  })
}

function refuseWithoutScope({ operator, routeOptions }: FastifyRequest): void {
  const scope = scopeOf(routeOptions.schema)
  if (scope && !operator.scopes.includes(scope)) {
    throw new GatehouseError('FORBIDDEN', { message: `You need the scope ${scope}.` })
  }
}
