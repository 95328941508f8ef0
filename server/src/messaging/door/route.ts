import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TProperties, type TSchema, Type } from 'typebox'
import { isStorable } from '../../applications/shapes.ts'
import type { Tx } from '../../db/database.ts'
import { ERRORS, type ErrorCode, type ErrorFields, errorBody } from '../../errors.ts'
import { sendError } from '../../http/error-replies.ts'
import { reader } from './bodies.ts'
import { documented, type QueryOf, type RouteDocs } from './docs.ts'
import { findGiven, fingerprintOf, type Given, keepGiven, keyIn, type Once, takeKey } from './idempotency.ts'
import type { Member } from './member.ts'
import type { MessagingDeps } from './messaging-deps.ts'
import type { Kind } from './pace.ts'
import { notFound } from './refusals.ts'
import { inTransaction } from './transaction.ts'

/** One request, understood: who calls, and what for. */
export interface Call<Body = undefined, Query = Record<never, never>> {
  readonly member: Member
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly body: Body
  readonly now: Date
  /** Where this server is found, for absolute URLs (http/public-base.ts). */
  readonly base: string
  /** As it came: for uploads, streams and what goes on after the answer. */
  readonly request: FastifyRequest
}

/** What a write answers. Refusals that must be kept, and told again to a repeated request, are answers too: see `refusal`. */
export interface Answer {
  readonly status: number
  /** undefined: none, as with 204. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Once it is durable. */
  readonly after?: () => void
}

/** A refusal as an answer: unlike one that is thrown, what was written with it stays. */
export const refusal = (code: ErrorCode, fields: ErrorFields = {}, after?: () => void): Answer => ({
  status: ERRORS[code].status,
  body: errorBody(code, fields),
  ...(after && { after }),
})

export interface ReadRoute<Q extends TProperties, D extends MessagingDeps> {
  readonly method: 'GET'
  readonly path: string
  readonly docs: RouteDocs<Q>
  /** What it returns is sent as JSON; streams write to `reply` and return it. */
  readonly handle: (call: Call<undefined, QueryOf<Q>>, deps: D, reply: FastifyReply) => Promise<unknown>
}

/** A route that changes nothing. */
export function readRoute<D extends MessagingDeps, Q extends TProperties = Record<never, never>>(
  app: FastifyInstance,
  deps: D,
  { method, path, docs, handle }: ReadRoute<Q, D>,
): void {
  const readQuery = reader(Type.Object(docs.query ?? ({} as Q)))
  app.route({
    method,
    url: path,
    schema: documented(path, docs),
    handler: async (request, reply) => {
      reply.headers(deps.pace.admit(request.member, 'call'))
      const query = readQuery(request.query) as QueryOf<Q>
      return handle({ ...callOf(request, deps), query, body: undefined }, deps, reply)
    },
  })
}

export interface WriteRoute<B extends TSchema, P, Q extends TProperties, D extends MessagingDeps> {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly docs: RouteDocs<Q>
  /** Absent: a body is not read, or by `prepare` (uploads). */
  readonly body?: B
  readonly kind?: Kind
  /** Before the transaction: policies, uploads. What a body that it read comes to is told by `fingerprint`. */
  readonly prepare?: (call: Call<Static<B>, QueryOf<Q>>, deps: D) => Promise<P>
  readonly fingerprint?: (prepared: P) => unknown
  /** Inside the transaction that the Idempotency-Key is kept in; it may run again after a deadlock. */
  readonly write: (tx: Tx, call: Call<Static<B>, QueryOf<Q>>, prepared: P, deps: D) => Promise<Answer>
  /** What was prepared is not needed: the write failed, or had been answered before. */
  readonly discard?: (prepared: P, deps: D) => Promise<void>
}

/** A route that changes something: all of it, its events and its Idempotency-Key in one transaction. */
export function writeRoute<
  D extends MessagingDeps,
  B extends TSchema,
  P = undefined,
  Q extends TProperties = Record<never, never>,
>(app: FastifyInstance, deps: D, route: WriteRoute<B, P, Q, D>): void {
  const { method, path, docs, body, kind = 'call' } = route
  const readBody = body && reader(body)
  const readQuery = reader(Type.Object(docs.query ?? ({} as Q)))
  app.route({
    method,
    url: path,
    schema: documented(path, docs, body),
    handler: async (request, reply) => {
      reply.headers(deps.pace.admit(request.member, kind))
      const key = method === 'DELETE' ? undefined : keyIn(request.headers)
      const query = readQuery(request.query) as QueryOf<Q>
      const call = { ...callOf(request, deps), query, body: readBody?.(request.body) as Static<B> }
      const once = (content: unknown): Once | undefined =>
        key === undefined ? undefined : { member: call.member, key, fingerprint: fingerprintOf(method, request.url, content) }

      const asked = route.fingerprint ? undefined : once(call.body)
      const before = asked && (await findGiven(deps.db, asked, call.now))
      if (before) return send(reply, before)
      const prepared = (await route.prepare?.(call, deps)) as P
      let kept = false
      try {
        const done = await written(asked ?? once(route.fingerprint?.(prepared)), route, call, prepared, deps)
        kept = !('replayed' in done)
        if (!('replayed' in done)) {
          deps.relay.wake()
          done.answer.after?.()
        }
        return 'replayed' in done ? send(reply, done.replayed) : send(reply, done.given, done.answer.headers)
      } finally {
        if (!kept) await route.discard?.(prepared, deps)
      }
    },
  })
}

type Done = { readonly answer: Answer; readonly given: Given } | { readonly replayed: Given }

function written<B extends TSchema, P, Q extends TProperties, D extends MessagingDeps>(
  once: Once | undefined,
  { write }: WriteRoute<B, P, Q, D>,
  call: Call<Static<B>, QueryOf<Q>>,
  prepared: P,
  deps: D,
): Promise<Done> {
  return inTransaction(deps.db, async (tx): Promise<Done> => {
    if (once && !(await takeKey(tx, once, call.now))) {
      const replayed = await findGiven(tx, once, call.now)
      if (!replayed) throw new Error('an Idempotency-Key is neither free nor taken')
      return { replayed }
    }
    const answer = await write(tx, call, prepared, deps)
    const given = { status: answer.status, body: answer.body === undefined ? '' : JSON.stringify(answer.body) }
    if (once) await keepGiven(tx, once, given)
    return { answer, given }
  })
}

/** Byte for byte, the first time and again. */
function send(reply: FastifyReply, { status, body }: Given, headers: Answer['headers'] = {}): FastifyReply {
  reply.status(status).headers(headers)
  if (body === '') return reply.send()
  if (status < 400) return reply.type('application/json; charset=utf-8').serializer(asItIs).send(body)
  return sendError(reply, ...refusalIn(body))
}

/** The envelope read back: writing it again gives the same bytes. */
function refusalIn(body: string): [ErrorCode, ErrorFields] {
  const { error } = JSON.parse(body) as ReturnType<typeof errorBody>
  const { code, message, param, audit_id: auditId, review_item_id: reviewItemId, details } = error
  const ids = { ...(auditId !== undefined && { auditId }), ...(reviewItemId !== undefined && { reviewItemId }) }
  return [code, { message, ...ids, ...(param !== null && { param }), ...(details !== undefined && { details }) }]
}

const asItIs = (body: unknown): string => body as string

function callOf(request: FastifyRequest, { clock }: MessagingDeps): Omit<Call, 'query' | 'body'> {
  const params = request.params as Record<string, string>
  if (!Object.values(params).every(isStorable)) throw notFound('thing')
  return {
    member: request.member,
    params,
    now: clock.now(),
    base: request.base,
    request,
  }
}
