import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import { accepted } from '../../shared/request-errors.ts'
import { authenticateRequests } from '../kit/authenticate-requests.ts'
import { readFormBodies } from '../kit/bodies.ts'
import type { TypedApp } from '../kit/route.ts'
import { attachmentRoutes } from './attachment-routes.ts'
import { avatarRoutes } from './avatar-routes.ts'
import { contactRoutes } from './contact-routes.ts'
import { conversationRoutes } from './conversation-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { groupMemberRoutes } from './group-member-routes.ts'
import { groupRoutes } from './group-routes.ts'
import { messageRoutes } from './message-routes.ts'
import { reactionRoutes } from './reaction-routes.ts'
import { retentionRoutes } from './retention-routes.ts'

const ROUTES: readonly ((app: TypedApp, deps: MessagingDeps) => void)[] = [
  contactRoutes,
  groupRoutes,
  groupMemberRoutes,
  conversationRoutes,
  messageRoutes,
  reactionRoutes,
  attachmentRoutes,
  retentionRoutes,
  eventRoutes,
]

/** The messaging API: authenticates and counts requests, reads bodies and registers the routes. */
export async function messagingRoutes(app: FastifyInstance, deps: MessagingDeps): Promise<void> {
  avatarRoutes(app)
  await app.register(async (scope) => {
    const { members, userRateLimiter, clock } = deps
    scope.decorateRequest('member')
    scope.decorateRequest('now')
    readFormBodies(scope, deps.jsonDepth)
    authenticateRequests(scope, async (request, isAgain) => {
      const { authorization } = request.headers
      request.member = accepted(await (isAgain ? members.authenticateAgain(authorization) : members.authenticate(authorization)))
    })
    scope.addHook('preValidation', async (request, reply) => {
      request.now = clock.now()
      const { requestKind = 'other' } = request.routeOptions.config
      reply.headers(accepted(await userRateLimiter.admit(request.member, requestKind)))
    })
    for (const addRoutes of ROUTES) addRoutes(scope.withTypeProvider<TypeBoxTypeProvider>(), deps)
  })
}
