import type { Member } from '../../domains/messaging/people/member.ts'
import type { RequestKind } from '../../domains/messaging/people/user-rate-limiter.ts'
import { type Api, type Documented, type Inputs, type RouteDocs, route, type Target } from '../kit/route.ts'
import { checkForms } from '../kit/validation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    member: Member
    /** Messaging API: the time of everything that the request stores. */
    now: Date
  }
  interface FastifyContextConfig {
    /** The limit that counts the request. Default: other. */
    readonly requestKind?: RequestKind
  }
}

const MESSAGING: Api = {
  tag: 'messaging',
  security: [{ accessToken: [] }],
  errors: {
    400: 'VALIDATION_ERROR, with the field in `param`',
    401: 'AUTH_INVALID_KEY or AUTH_KEY_REVOKED: not a valid access token',
    429: 'RATE_LIMITED, with Retry-After',
    503: 'UNAVAILABLE',
  },
  bodyErrors: { 413: 'PAYLOAD_TOO_LARGE', 415: 'UNSUPPORTED_MEDIA_TYPE: neither a form nor JSON' },
  consumes: ['application/x-www-form-urlencoded', 'application/json'],
  validatorCompiler: checkForms,
}

export const UNKNOWN_GROUP = { 404: 'NOT_FOUND: the group does not exist, or the caller is not a member' }
export const UNKNOWN_CONVERSATION = { 404: 'NOT_FOUND: the conversation does not exist, or the caller is not a member' }
export const UNKNOWN_MESSAGE = {
  404: 'NOT_FOUND: the message does not exist, or the caller is not a member of its conversation',
}

export const operation = <const T extends Target, D extends Omit<RouteDocs, 'operationId'>>(
  target: T,
  operationId: string,
  docs: D,
) => route(MESSAGING, target, { operationId, query: {}, ...docs }) as unknown as Documented<Inputs<T, D>>
