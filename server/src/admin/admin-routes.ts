import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { auditFeedRoutes } from '../audit/admin/audit-feed-routes.ts'
import { auditListRoutes } from '../audit/admin/audit-list-routes.ts'
import { auditLogRoutes } from '../audit/admin/audit-log-routes.ts'
import { auditRoutes } from '../audit/admin/audit-routes.ts'
import { budgetsRoutes } from '../budgets/admin/budgets-routes.ts'
import { demoRoutes } from '../demo/admin/demo-routes.ts'
import { GatehouseError } from '../errors.ts'
import { playgroundRoutes } from '../gateway/admin/playground-routes.ts'
import { replayRoutes } from '../gateway/admin/replay-routes.ts'
import { reviewPreviewRoutes } from '../gateway/admin/review-preview-routes.ts'
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
import { notificationsRoutes } from '../notifications/admin/notifications-routes.ts'
import { adminTokensRoutes } from '../operators/admin/admin-tokens-routes.ts'
import { operatorsRoutes } from '../operators/admin/operators-routes.ts'
import { sessionRoutes } from '../operators/admin/session-routes.ts'
import { refuseCrossSite } from '../operators/same-origin.ts'
import { policyChecksRoutes } from '../policy/admin/policy-checks-routes.ts'
import { policyDraftsRoutes } from '../policy/admin/policy-drafts-routes.ts'
import { policySetsRoutes } from '../policy/admin/policy-sets-routes.ts'
import { policyTemplatesRoutes } from '../policy/admin/policy-templates-routes.ts'
import { policyTestsRoutes } from '../policy/admin/policy-tests-routes.ts'
import { discoveryRoutes } from '../providers/admin/discovery-routes.ts'
import { modelsRoutes } from '../providers/admin/models-routes.ts'
import { presetsRoutes } from '../providers/admin/presets-routes.ts'
import { providersRoutes } from '../providers/admin/providers-routes.ts'
import { reviewEventsRoutes } from '../review/admin/review-events-routes.ts'
import { reviewWorkRoutes } from '../review/admin/review-work-routes.ts'
import { reviewersRoutes } from '../review/admin/reviewers-routes.ts'
import { reviewsRoutes } from '../review/admin/reviews-routes.ts'
import type { AdminContext } from './admin-context.ts'
import { type AdminDeps, connectDomains } from './connect-domains.ts'
import { operatorOf } from './kit/authenticate-operator.ts'
import { chooseWorkspace } from './kit/choose-workspace.ts'
import { requirementOf, requireScope } from './kit/require-scope.ts'
import { overviewRoutes } from './overview/overview-routes.ts'
import { setupRoutes } from './setup/setup-routes.ts'
import { usageRoutes } from './usage/usage-routes.ts'
import { viewsRoutes } from './views/views-routes.ts'

type Routes = (app: TypedApp, deps: AdminDeps) => void

/** The admin API: authentication, scopes, Workspace, and the routes of each domain. */
export async function adminRoutes(app: FastifyInstance, context: AdminContext): Promise<void> {
  const deps = connectDomains(context)
  readRequests(app, deps.jsonDepth)
  authenticateOperators(app, deps)
  requireScopes(app, deps)

  const register = (routes: readonly Routes[]) => async (scope: FastifyInstance) => {
    for (const addRoutes of routes)
      await scope.register(async (plugin) => addRoutes(plugin.withTypeProvider<TypeBoxTypeProvider>(), deps))
  }
  await app.register(register([workspacesRoutes, demoRoutes, sessionRoutes, auditFeedRoutes, secretKeysRoutes]))
  await app.register(async (scope) => {
    scope.addHook('preHandler', chooseWorkspace(deps.db))
    const people = [
      applicationsRoutes,
      playgroundRoutes,
      overviewRoutes,
      usageRoutes,
      viewsRoutes,
      setupRoutes,
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
      policyChecksRoutes,
      policyDraftsRoutes,
      policyTestsRoutes,
      policyTemplatesRoutes,
      simulationRoutes,
      replayRoutes,
      reviewsRoutes,
      reviewPreviewRoutes,
      reviewWorkRoutes,
      reviewersRoutes,
      reviewEventsRoutes,
      auditListRoutes,
      auditRoutes,
      auditLogRoutes,
    ]
    const knowledge = [collectionsRoutes, documentsRoutes, explainedSearchRoutes]
    const messaging = [webhooksRoutes, notificationsRoutes]
    await register([...people, ...models, ...rules, ...knowledge, ...messaging])(scope)
  })
}

/** How requests are read and checked. */
function readRequests(app: FastifyInstance, jsonDepth: number): void {
  app.decorateRequest('operator')
  app.decorateRequest('workspaceId', '')
  readJsonBodies(app, jsonDepth)
  app.setValidatorCompiler(checkRequests)
  app.setErrorHandler((error) => {
    throw isUnavailable(error) ? new GatehouseError('UNAVAILABLE', {}, error) : error
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

/** Checks the scope of every route. A route without a declared scope is not registered. */
function requireScopes(app: FastifyInstance, deps: AdminDeps): void {
  app.addHook('onRoute', ({ url, schema }) => {
    if (requirementOf(schema).scope === undefined) throw new Error(`${url} declares no scope: add it to the operation`)
  })
  app.addHook('onRequest', async (request) => requireScope(request))
  // A slow body takes up to a minute: the operator's scopes may have changed since.
  app.addHook('preHandler', async (request) => {
    if (request.body === undefined) return
    request.operator = await operatorOf(request.headers, deps)
    requireScope(request)
  })
}
