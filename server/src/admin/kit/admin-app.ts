import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify'
import type { Operator } from '../../domain/operator.ts'

/** Fastify with handlers that know the types of their schemas. */
export type AdminApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    /** Admin API: the authenticated operator. */
    operator: Operator
    /** Admin API, routes within a Workspace: its id (`ws_…`). */
    workspaceId: string
  }
}
