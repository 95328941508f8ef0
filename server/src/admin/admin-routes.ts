import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Scope } from '../domain/scope.ts'
import { GatehouseError } from '../errors.ts'
import { isUnavailable } from '../lib/faults.ts'
import { refuseCrossSite } from '../operators/same-origin.ts'
import { accessTokensRoutes } from './access-tokens-routes.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { adminTokensRoutes } from './admin-tokens-routes.ts'
import { applicationsRoutes } from './applications-routes.ts'
import { assistantsRoutes } from './assistants-routes.ts'
import { auditLogRoutes } from './audit-log-routes.ts'
import { auditRoutes } from './audit-routes.ts'
import { checkRequests, readBodies } from './bodies.ts'
import { collectionsRoutes } from './collections-routes.ts'
import { discoveryRoutes } from './discovery-routes.ts'
import { documentsRoutes } from './documents-routes.ts'
import { keysRoutes } from './keys-routes.ts'
import { knowledgeSearchRoutes } from './knowledge-search-routes.ts'
import { memoriesRoutes } from './memories-routes.ts'
import { modelsRoutes } from './models-routes.ts'
import { SCOPE } from './operation.ts'
import { operatorOf } from './operator-of.ts'
import { operatorsRoutes } from './operators-routes.ts'
import { overviewRoutes } from './overview-routes.ts'
import { peopleGroupsRoutes } from './people-groups-routes.ts'
import { playgroundRoutes } from './playground-routes.ts'
import { policyDraftsRoutes } from './policy-drafts-routes.ts'
import { policySetsRoutes } from './policy-sets-routes.ts'
import { providersRoutes } from './providers-routes.ts'
import { replayRoutes } from './replay-routes.ts'
import { reviewEventsRoutes } from './review-events-routes.ts'
import { reviewsRoutes } from './reviews-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { simulationRoutes } from './simulation-routes.ts'
import { Trials } from './trials.ts'
import { userErasureRoutes } from './user-erasure-routes.ts'
import { usersRoutes } from './users-routes.ts'
import { webhooksRoutes } from './webhooks-routes.ts'
import { chooseWorkspace } from './workspace-choice.ts'
import { workspacesRoutes } from './workspaces-routes.ts'

type Routes = (app: AdminApp, deps: AdminDeps) => void

/** The operators' API: who may, in which Workspace, and then one file for each kind of thing. */
export async function adminRoutes(app: FastifyInstance, context: Omit<AdminDeps, 'trials'>): Promise<void> {
  const deps: AdminDeps = { ...context, trials: new Trials() }
  app.decorateRequest('operator')
  app.decorateRequest('workspaceId', '')
  readBodies(app, deps.jsonDepth)
  app.setValidatorCompiler(checkRequests)
  app.setErrorHandler((error) => {
    throw isUnavailable(error) ? new GatehouseError('UNAVAILABLE', {}, error) : error
  })
  authenticateOperators(app, deps)
  requireScopes(app, deps)

  const register = (routes: readonly Routes[]) => async (scope: FastifyInstance) => {
    for (const one of routes) await scope.register(async (own) => one(own.withTypeProvider<TypeBoxTypeProvider>(), deps))
  }
  await app.register(register([workspacesRoutes, sessionRoutes]))
  await app.register(async (scope) => {
    scope.addHook('preHandler', chooseWorkspace(deps.db))
    const people = [
      applicationsRoutes,
      playgroundRoutes,
      overviewRoutes,
      keysRoutes,
      usersRoutes,
      peopleGroupsRoutes,
      userErasureRoutes,
      accessTokensRoutes,
      memoriesRoutes,
      adminTokensRoutes,
      operatorsRoutes,
    ]
    const models = [providersRoutes, modelsRoutes, discoveryRoutes, assistantsRoutes]
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
    const knowledge = [collectionsRoutes, documentsRoutes, knowledgeSearchRoutes]
    const messaging = [webhooksRoutes]
    await register([...people, ...models, ...rules, ...knowledge, ...messaging])(scope)
  })
}

/** Before anything else is read: who has neither token nor session learns nothing, not even whether a body would have been right. */
function authenticateOperators(app: FastifyInstance, deps: AdminDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    // Keys and contents of reviews belong in no cache.
    reply.header('cache-control', 'no-store')
    request.operator = await operatorOf(request.headers, deps)
    if (request.operator.kind === 'person') refuseCrossSite(request, deps.signIn)
  })
}

const scopeOf = (schema: object | undefined) => (schema as { [SCOPE]?: Scope | null } | undefined)?.[SCOPE]

/** The one place where it is decided what an operator may; a route that does not say what it needs is not even registered. */
function requireScopes(app: FastifyInstance, deps: AdminDeps): void {
  app.addHook('onRoute', ({ url, schema }) => {
    if (scopeOf(schema) === undefined) throw new Error(`${url} does not say which scope it needs`)
  })
  app.addHook('onRequest', async (request) => refuseWithoutScope(request))
  // A body may take its caller a minute to send: what the operator may do is read again once it is here.
  app.addHook('preHandler', async (request) => {
    if (request.body === undefined) return
    request.operator = await operatorOf(request.headers, deps)
    refuseWithoutScope(request)
  })
}

function refuseWithoutScope({ operator, routeOptions }: FastifyRequest): void {
  const scope = scopeOf(routeOptions.schema)
  if (scope && !operator.scopes.includes(scope)) {
    throw new GatehouseError('FORBIDDEN', { message: `This takes the scope ${scope}, which you do not have.` })
  }
}
