import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import { avatarSvg } from '../../domains/messaging/people/avatar.ts'
import { accepted } from '../../shared/request-errors.ts'
import { authenticateRequests } from '../kit/authenticate-requests.ts'
import { readFormBodies } from '../kit/bodies.ts'
import type { TypedApp } from '../kit/route.ts'
import { attachmentRoutes } from './attachment-routes.ts'
import { contactRoutes } from './contact-routes.ts'
import { conversationRoutes, retentionRoutes } from './conversation-routes.ts'
import { eventRoutes } from './event-routes.ts'
import { groupRoutes } from './group-routes.ts'
import { messageRoutes } from './message-routes.ts'

const ROUTES: readonly ((app: TypedApp, deps: MessagingDeps) => void)[] = [
  contactRoutes,
  groupRoutes,
  conversationRoutes,
  messageRoutes,
  attachmentRoutes,
  retentionRoutes,
  eventRoutes,
]

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

/** Default avatars. They need no token, because browsers send none for images and the picture depends only on the path. */
function avatarRoutes(app: FastifyInstance): void {
  const schema = {
    operationId: 'getAvatar',
    summary: 'Get the default avatar of a contact or group',
    tags: ['messaging'],
    response: { 200: { description: 'An SVG image.', content: { 'image/svg+xml': { schema: { type: 'string' } } } } },
  }
  app.get<{ Params: { name: string } }>('/v1/avatars/:name', { schema }, async (request, reply) =>
    reply
      .headers({
        'cache-control': 'public, max-age=86400, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
      })
      .type('image/svg+xml; charset=utf-8')
      .send(avatarSvg(request.params.name)),
  )
}
