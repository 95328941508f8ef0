import type { FastifyInstance } from 'fastify'
import type { MessagingDeps } from '../door/messaging-deps.ts'
import { contactRoutes } from './contact-routes.ts'
import { groupMemberRoutes } from './group-member-routes.ts'
import { groupRoutes } from './group-routes.ts'

/** Who is there, and who belongs together. */
export function peopleRoutes(app: FastifyInstance, deps: MessagingDeps): void {
  contactRoutes(app, deps)
  groupRoutes(app, deps)
  groupMemberRoutes(app, deps)
}
