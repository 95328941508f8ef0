import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { refuseCrossSite } from '../../domains/operators/same-origin.ts'
import { authenticateRequests } from '../kit/authenticate-requests.ts'
import { readJsonBodies } from '../kit/bodies.ts'
import type { TypedApp } from '../kit/route.ts'
import { type AdminContext, type AdminDeps, adminDeps } from './admin-deps.ts'
import { applicationsRoutes } from './applications/applications-routes.ts'
import { keysRoutes } from './applications/keys-routes.ts'
import { teamsRoutes } from './applications/teams-routes.ts'
import { auditFeedRoutes } from './audit/audit-feed-routes.ts'
import { auditLogRoutes } from './audit/audit-log-routes.ts'
import { auditRoutes } from './audit/audit-routes.ts'
import { budgetsRoutes } from './budgets/budgets-routes.ts'
import { demoRoutes } from './demo/demo-routes.ts'
import { chooseWorkspace, operatorOf, requirementOf, requireScope } from './kit/operator-access.ts'
import { collectionsRoutes } from './knowledge/collections-routes.ts'
import { documentDeletionRoutes } from './knowledge/document-deletion-routes.ts'
import { documentsRoutes } from './knowledge/documents-routes.ts'
import { explainedSearchRoutes } from './knowledge/explained-search-routes.ts'
import { sourcesRoutes } from './knowledge/sources-routes.ts'
import { memoriesRoutes } from './memories/memories-routes.ts'
import { assistantsRoutes } from './messaging/assistants-routes.ts'
import { webhooksRoutes } from './messaging/webhooks-routes.ts'
import { notificationsRoutes } from './notifications/notifications-routes.ts'
import { adminTokensRoutes } from './operators/admin-tokens-routes.ts'
import { operatorsRoutes, sessionRoutes } from './operators/operators-routes.ts'
import { singleSignOnRoutes } from './operators/single-sign-on-routes.ts'
import { overviewRoutes } from './overview/overview-routes.ts'
import { playgroundRoutes } from './policies/playground-routes.ts'
import { policyChecksRoutes, policyTemplatesRoutes } from './policies/policy-checks-routes.ts'
import { policyDraftsRoutes } from './policies/policy-drafts-routes.ts'
import { policySetsRoutes } from './policies/policy-sets-routes.ts'
import { policyTestsRoutes } from './policies/policy-tests-routes.ts'
import { replayRoutes } from './policies/replay-routes.ts'
import { simulationRoutes } from './policies/simulation-routes.ts'
import { discoveryRoutes } from './providers/discovery-routes.ts'
import { modelsRoutes } from './providers/models-routes.ts'
import { presetsRoutes, providersRoutes } from './providers/providers-routes.ts'
import { pendingReviewRoutes } from './reviews/pending-review-routes.ts'
import { reviewEventsRoutes } from './reviews/review-events-routes.ts'
import { reviewExcerptsRoutes } from './reviews/review-excerpts-routes.ts'
import { reviewHistoryRoutes } from './reviews/review-history-routes.ts'
import { reviewPreviewRoutes } from './reviews/review-preview-routes.ts'
import { reviewWorkRoutes } from './reviews/review-work-routes.ts'
import { reviewersRoutes } from './reviews/reviewers-routes.ts'
import { reviewsRoutes } from './reviews/reviews-routes.ts'
import { setupRoutes } from './setup/setup-routes.ts'
import { usageRoutes } from './usage/usage-routes.ts'
import { groupsRoutes } from './users/groups-routes.ts'
import { accessTokensRoutes, usersRoutes } from './users/users-routes.ts'
import { viewsRoutes } from './views/views-routes.ts'
import { secretKeysRoutes } from './workspaces/secret-keys-routes.ts'
import { workspacesRoutes } from './workspaces/workspaces-routes.ts'

type Routes = (app: TypedApp, deps: AdminDeps) => void

const WITHIN_WORKSPACE: readonly Routes[] = [
  ...[
    applicationsRoutes,
    playgroundRoutes,
    overviewRoutes,
    usageRoutes,
    viewsRoutes,
    setupRoutes,
    keysRoutes,
    teamsRoutes,
    groupsRoutes,
    usersRoutes,
  ],
  ...[accessTokensRoutes, memoriesRoutes, adminTokensRoutes, operatorsRoutes],
  ...[budgetsRoutes, providersRoutes, modelsRoutes, discoveryRoutes, presetsRoutes, assistantsRoutes],
  ...[policySetsRoutes, policyChecksRoutes, policyDraftsRoutes, policyTestsRoutes, policyTemplatesRoutes, simulationRoutes],
  ...[
    replayRoutes,
    reviewsRoutes,
    pendingReviewRoutes,
    reviewExcerptsRoutes,
    reviewHistoryRoutes,
    reviewPreviewRoutes,
    reviewWorkRoutes,
    reviewersRoutes,
    reviewEventsRoutes,
  ],
  ...[auditRoutes, auditLogRoutes, collectionsRoutes, documentsRoutes, documentDeletionRoutes],
  ...[explainedSearchRoutes, sourcesRoutes, webhooksRoutes],
  notificationsRoutes,
]

export async function adminRoutes(app: FastifyInstance, context: AdminContext): Promise<void> {
  const deps = adminDeps(context)
  app.decorateRequest('operator')
  app.decorateRequest('workspaceId', '')
  readJsonBodies(app, deps.jsonDepth)
  authenticateOperators(app, deps)

  const register = (routes: readonly Routes[]) => async (scope: FastifyInstance) => {
    for (const addRoutes of routes)
      await scope.register(async (plugin) => addRoutes(plugin.withTypeProvider<TypeBoxTypeProvider>(), deps))
  }
  await app.register(
    register([workspacesRoutes, demoRoutes, sessionRoutes, singleSignOnRoutes, auditFeedRoutes, secretKeysRoutes]),
  )
  await app.register(async (scope) => {
    scope.addHook('preHandler', chooseWorkspace(deps.db))
    await register(WITHIN_WORKSPACE)(scope)
  })
}

/** Authenticates the operator and checks the scope of the route. A route without a declared scope is not registered. */
function authenticateOperators(app: FastifyInstance, deps: AdminDeps): void {
  app.addHook('onRoute', ({ url, schema }) => {
    if (requirementOf(schema).scope === undefined) throw new Error(`${url} declares no scope: add it to the operation`)
  })
  authenticateRequests(app, async (request) => {
    request.operator = await operatorOf(request.headers, deps)
    if (request.operator.kind === 'person') refuseCrossSite(request, deps.signIn)
    requireScope(request)
  })
}
