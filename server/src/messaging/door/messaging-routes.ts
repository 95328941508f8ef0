import type { FastifyInstance } from 'fastify'
import { GatehouseError } from '../../errors.ts'
import { isUnavailable } from '../../lib/faults.ts'
import { attachmentRoutes } from '../attachments/attachment-routes.ts'
import { conversationRoutes } from '../conversations/conversation-routes.ts'
import { eventRoutes } from '../events/event-routes.ts'
import { messageRoutes } from '../messages/message-routes.ts'
import { avatarRoutes } from '../people/avatar-routes.ts'
import { peopleRoutes } from '../people/people-routes.ts'
import { retentionRoutes } from '../retention/retention-routes.ts'
import { readBodies } from './bodies.ts'
import type { Member } from './member.ts'
import type { MessagingDeps } from './messaging-deps.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Messaging: who calls. */
    member: Member
  }
}

/** The messaging API: who calls, and then one folder for each kind of thing. */
export async function messagingRoutes(app: FastifyInstance, deps: MessagingDeps): Promise<void> {
  // Requests are read by the routes (route.ts): the schemas are documentation.
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => JSON.stringify)
  avatarRoutes(app)
  await app.register(async (members) => {
    members.decorateRequest('member')
    readBodies(members, deps.jsonDepth)
    members.setErrorHandler((error) => {
      throw isUnavailable(error) ? new GatehouseError('UNAVAILABLE', {}, error) : error
    })
    // Before anything else is read: who has no token learns nothing, not even whether a body would have been right.
    members.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store')
      request.member = await deps.members.authenticate(request.headers.authorization)
    })
    // A body may take its caller a minute to send: a token that was revoked meanwhile sends nothing.
    members.addHook('preHandler', async (request) => {
      if (request.body !== undefined) request.member = await deps.members.authenticateAgain(request.headers.authorization)
    })
    peopleRoutes(members, deps)
    conversationRoutes(members, deps)
    messageRoutes(members, deps)
    attachmentRoutes(members, deps)
    retentionRoutes(members, deps)
    eventRoutes(members, deps)
  })
}
