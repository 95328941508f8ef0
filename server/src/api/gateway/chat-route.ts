import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify'
import type { ClientDialect } from '../../dialects/client-dialect.ts'
import type { IncomingRequest } from '../../pipeline/request.ts'
import { hasLargeBody, LARGE_BODY } from '../kit/large-bodies.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import { type ChatDeps, chat } from './chat.ts'
import { abortOnClose } from './send-response.ts'

const NO_BODY = new Uint8Array()

type RouteDocs = Omit<RouteOptions, 'schema' | 'handler'> & { readonly schema: FastifySchema }
type Send = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>

export const chatRoute = (app: TypedApp, docs: RouteDocs, dialect: ClientDialect, deps: ChatDeps): void =>
  largeBodyRoute(app, docs, (request, reply) => chat(reply, incomingOf(request, reply), dialect, deps), deps, dialect)

/** A route with the body limit of chats. Stage 1 refuses a request without a valid key at once, before its body is read. */
export function largeBodyRoute(
  app: TypedApp,
  docs: RouteDocs,
  send: Send,
  deps: ChatDeps,
  { errorBody }: Pick<ClientDialect, 'errorBody'> = {},
): void {
  const refuseUnknown = async (request: FastifyRequest, reply: FastifyReply) =>
    (await hasKey(request, deps)) ? undefined : send(request, reply)
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: () => void) =>
    hasLargeBody(request) ? refuseUnknown(request, reply) : done()
  const config = { ...LARGE_BODY, ...(errorBody && { errorBody }) }
  handle(app, { ...docs, config, bodyLimit: deps.chatLimits.bodyBytes, onRequest }, send)
}

/** Also false if the database does not respond; the pipeline then answers with that error. */
const hasKey = ({ headers }: FastifyRequest, { authenticator }: ChatDeps): Promise<boolean> =>
  authenticator.authenticate(authorizationOf(headers)).then(
    ({ ok }) => ok,
    () => false,
  )

export function incomingOf(request: FastifyRequest, reply: FastifyReply): Omit<IncomingRequest, 'endpoint' | 'parse'> {
  const userToken = request.headers['x-gateway-user-token']
  return {
    requestId: request.id,
    authorization: authorizationOf(request.headers),
    userToken: Array.isArray(userToken) ? userToken.join() : userToken,
    body: (request.body as Uint8Array | undefined) ?? NO_BODY,
    clientSignal: () => abortOnClose(reply),
  }
}

/** Whether a client of the Messages API of Anthropic sends the request. */
export const isAnthropicClient = ({ 'anthropic-version': version, 'x-api-key': key }: IncomingHttpHeaders): boolean =>
  version !== undefined || (typeof key === 'string' && key.startsWith('gk_'))

/** The Authorization header, or the key of a client that sends it without a scheme (GW-ANT-2). */
const authorizationOf = ({ authorization, 'x-api-key': key }: IncomingHttpHeaders): string | undefined =>
  authorization ?? (typeof key === 'string' ? `Bearer ${key}` : undefined)
