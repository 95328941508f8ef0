import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { auditedTransaction } from '../../domains/audit/chain/audited-transaction.ts'
import {
  findResponse,
  type IdempotencyKey,
  reserveKey,
  type StoredResponse,
  storeResponse,
} from '../../domains/messaging/idempotency/idempotency-store.ts'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import type { Member } from '../../domains/messaging/people/member.ts'
import type { RequestKind } from '../../domains/messaging/people/user-rate-limiter.ts'
import { ERRORS, type ErrorCode, type ErrorFields, errorBody } from '../../errors.ts'
import type { Tx } from '../../platform/db/database.ts'
import { inTransaction } from '../../platform/db/retried-transaction.ts'
import { isStorable } from '../../platform/lib/fields.ts'
import { notFound } from '../../shared/refusals.ts'
import { sendError } from '../kit/error-responses.ts'
import { type Api, type RouteDocs as Docs, type QueryOf, route, type Target } from '../kit/route.ts'
import { reader } from '../kit/validation.ts'
import { fingerprintOf, idempotencyKeyIn, replay } from './idempotency.ts'

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
}

/** Documentation of a messaging route. */
export type RouteDocs<Q extends TProperties = TProperties> = Omit<Docs, 'query' | 'body'> & { readonly query?: Q }

/** Method, URL and OpenAPI schema. The schema only documents: the routes check queries and bodies themselves. */
const documented = (target: Target, docs: RouteDocs, body?: TSchema) =>
  route(MESSAGING, target, { ...docs, ...(body && { body }) })

/** A request to the messaging API, with a checked query and body. */
export interface MessagingRequest<Body = undefined, Query = Record<never, never>> {
  readonly member: Member
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  readonly now: Date
  /** Base URL of this server, for absolute URLs (api/kit/public-base.ts). */
  readonly base: string
  /** The HTTP request, for uploads and streams. */
  readonly http: FastifyRequest
}

/** The response of a write route. */
export interface MessagingResponse {
  readonly status: number
  /** Sent as JSON. undefined: no body, as with 204. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Called after the commit. */
  readonly afterCommit?: () => void
}

/** An error as a response. Unlike a thrown error, it commits the transaction and is sent again if the request is repeated. */
export const refusal = (code: ErrorCode, fields: ErrorFields = {}, afterCommit?: () => void): MessagingResponse => ({
  status: ERRORS[code].status,
  body: errorBody(code, fields),
  ...(afterCommit && { afterCommit }),
})

export type Route = (app: FastifyInstance, deps: MessagingDeps) => void

interface ReadRoute<Q extends TProperties> {
  readonly target: Extract<Target, `GET ${string}`>
  readonly docs: RouteDocs<Q>
  /** Returns the JSON of the response, or `reply` after writing a stream to it. */
  readonly handle: (
    request: MessagingRequest<undefined, QueryOf<Q>>,
    deps: MessagingDeps,
    reply: FastifyReply,
  ) => Promise<unknown>
}

export const readRoute =
  <Q extends TProperties = Record<never, never>>({ target, docs, handle }: ReadRoute<Q>): Route =>
  (app, deps) => {
    const readQuery = reader(Type.Object(docs.query ?? ({} as Q)))
    app.route({
      ...documented(target, docs),
      handler: async (http, reply) => {
        reply.headers(await deps.userRateLimiter.admit(http.member, 'other'))
        const query = readQuery(http.query) as QueryOf<Q>
        return handle({ ...requestOf(http, deps), query, body: undefined }, deps, reply)
      },
    })
  }

interface WriteRoute<B extends TSchema, P, Q extends TProperties> {
  readonly target: Target
  readonly docs: RouteDocs<Q>
  /** undefined: no body, or a body that `prepare` reads (uploads). */
  readonly body?: B
  readonly kind?: RequestKind
  /** Runs before the transaction: evaluates policies, stores uploads. */
  readonly prepare?: (request: MessagingRequest<Static<B>, QueryOf<Q>>, deps: MessagingDeps) => Promise<P>
  /** The content of a body that `prepare` has read, to compare repeated requests with an Idempotency-Key. */
  readonly fingerprint?: (prepared: P) => unknown
  /** Runs in the transaction of the Idempotency-Key. It runs again after a deadlock. */
  readonly write: (
    tx: Tx,
    request: MessagingRequest<Static<B>, QueryOf<Q>>,
    prepared: P,
    deps: MessagingDeps,
  ) => Promise<MessagingResponse>
  /** Frees what `prepare` has stored, if the write failed or the response was replayed. */
  readonly discard?: (prepared: P, deps: MessagingDeps) => Promise<void>
}

/** A route that writes: the change, its events and its Idempotency-Key are one transaction. */
export const writeRoute =
  <B extends TSchema, P = undefined, Q extends TProperties = Record<never, never>>(definition: WriteRoute<B, P, Q>): Route =>
  (app, deps) => {
    const { target, docs, body, kind = 'other' } = definition
    const readBody = body && reader(body)
    const readQuery = reader(Type.Object(docs.query ?? ({} as Q)))
    app.route({
      ...documented(target, docs, body),
      handler: async (http, reply) => {
        reply.headers(await deps.userRateLimiter.admit(http.member, kind))
        const key = http.method === 'DELETE' ? undefined : idempotencyKeyIn(http.headers)
        const query = readQuery(http.query) as QueryOf<Q>
        const request = { ...requestOf(http, deps), query, body: readBody?.(http.body) as Static<B> }
        return respond(definition, request, key, deps, reply)
      },
    })
  }

async function respond<B extends TSchema, P, Q extends TProperties>(
  definition: WriteRoute<B, P, Q>,
  request: MessagingRequest<Static<B>, QueryOf<Q>>,
  key: string | undefined,
  deps: MessagingDeps,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { member, http, now } = request
  const keyFor = (content: unknown): IdempotencyKey | undefined =>
    key === undefined ? undefined : { member, key, fingerprint: fingerprintOf(http.method, http.url, content) }

  const bodyKey = definition.fingerprint ? undefined : keyFor(request.body)
  const replayed = bodyKey && replay(await findResponse(deps.db, bodyKey, now), bodyKey.fingerprint)
  if (replayed) return send(reply, replayed)
  const prepared = (await definition.prepare?.(request, deps)) as P
  let written = false
  try {
    const result = await writeOnce(bodyKey ?? keyFor(definition.fingerprint?.(prepared)), definition, request, prepared, deps)
    if ('replayed' in result) return send(reply, result.replayed)
    written = true
    deps.relay.wake()
    result.response.afterCommit?.()
    return send(reply, result.stored, result.response.headers)
  } finally {
    if (!written) await definition.discard?.(prepared, deps)
  }
}

type WriteResult =
  | { readonly response: MessagingResponse; readonly stored: StoredResponse }
  | { readonly replayed: StoredResponse }

/** Writes in a transaction, or returns the stored response if the key is in use. */
const writeOnce = <B extends TSchema, P, Q extends TProperties>(
  idempotencyKey: IdempotencyKey | undefined,
  definition: WriteRoute<B, P, Q>,
  request: MessagingRequest<Static<B>, QueryOf<Q>>,
  prepared: P,
  deps: MessagingDeps,
): Promise<WriteResult> =>
  auditedTransaction<WriteResult>(
    deps,
    async (tx) => {
      if (idempotencyKey && !(await reserveKey(tx, idempotencyKey, request.now))) {
        const replayed = replay(await findResponse(tx, idempotencyKey, request.now), idempotencyKey.fingerprint)
        if (!replayed) throw new Error('An Idempotency-Key could not be reserved and has no stored response')
        return { replayed }
      }
      const response = await definition.write(tx, request, prepared, deps)
      const stored = { status: response.status, body: response.body === undefined ? '' : JSON.stringify(response.body) }
      if (idempotencyKey) await storeResponse(tx, idempotencyKey, stored)
      return { response, stored }
    },
    inTransaction,
  )

/** Sends a response. Repeated requests get the same bytes. */
function send(reply: FastifyReply, { status, body }: StoredResponse, headers: MessagingResponse['headers'] = {}): FastifyReply {
  reply.status(status).headers(headers)
  if (body === '') return reply.send()
  if (status < 400) return reply.type('application/json; charset=utf-8').serializer(asString).send(body)
  return sendError(reply, ...parseError(body))
}

/** The code and fields of a stored error. Sending them again gives the same bytes. */
function parseError(body: string): [ErrorCode, ErrorFields] {
  const { error } = JSON.parse(body) as ReturnType<typeof errorBody>
  const { code, message, param, audit_id: auditId, review_item_id: reviewItemId, details } = error
  const ids = { ...(auditId !== undefined && { auditId }), ...(reviewItemId !== undefined && { reviewItemId }) }
  return [code, { message, ...ids, ...(param !== null && { param }), ...(details !== undefined && { details }) }]
}

const asString = (body: unknown): string => body as string

function requestOf(http: FastifyRequest, { clock }: MessagingDeps): Omit<MessagingRequest, 'query' | 'body'> {
  const params = http.params as Record<string, string>
  if (!Object.values(params).every(isStorable)) throw notFound()
  return { member: http.member, params, now: clock.now(), base: http.base, http }
}
