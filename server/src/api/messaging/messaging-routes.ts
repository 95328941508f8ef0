import type { FastifyInstance } from 'fastify'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import type { Member } from '../../domains/messaging/people/member.ts'
import { GatehouseError } from '../../errors.ts'
import { isUnavailable } from '../../platform/lib/unavailable.ts'
import { readFormBodies } from '../kit/bodies.ts'
import { attachmentRoutes } from './attachment-routes.ts'
import { avatarRoutes } from './avatar-routes.ts'
import { contactRoutes } from './contact-routes.ts'
import { conversationRoutes } from './conversation-routes.ts'
import { deleteAttachmentRoute } from './delete-attachment-route.ts'
import { eventRoutes } from './event-routes.ts'
import { groupMemberRoutes } from './group-member-routes.ts'
import { groupRoutes } from './group-routes.ts'
import { messageRoutes } from './message-routes.ts'
import { retentionRoutes } from './retention-routes.ts'
import type { Route } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated user of a messaging request. */
    member: Member
  }
}

const ROUTES: readonly Route[] = [
  ...contactRoutes,
  ...groupRoutes,
  ...groupMemberRoutes,
  ...conversationRoutes,
  ...messageRoutes,
  ...attachmentRoutes,
  deleteAttachmentRoute,
  ...retentionRoutes,
  ...eventRoutes,
]

/** The messaging API: authenticates users, reads bodies and registers the routes of each folder. */
export async function messagingRoutes(app: FastifyInstance, deps: MessagingDeps): Promise<void> {
  // The routes check requests themselves (api/route.ts); the schemas are documentation.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  avatarRoutes(app)
  await app.register(async (members) => {
    members.decorateRequest('member')
    readFormBodies(members, deps.jsonDepth)
    members.setErrorHandler((error) => {
      throw isUnavailable(error) ? new GatehouseError('UNAVAILABLE', {}, error) : error
    })
    // Authenticates before reading the body, so that a client without a token cannot learn whether its body is valid.
    members.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      request.member = await deps.members.authenticate(request.headers.authorization)
    })
    // Reading a body takes up to a minute. The token may have been revoked in that time.
    members.addHook('preHandler', async (request) => {
      if (request.body !== undefined) request.member = await deps.members.authenticateAgain(request.headers.authorization)
    })
    for (const route of ROUTES) route(members, deps)
  })
}
