import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify'
import { auditedTransaction } from '../../domains/audit/chain/audited-transaction.ts'
import {
  findResponse,
  type IdempotencyKey,
  reserveKey,
  type StoredResponse,
  storeResponse,
} from '../../domains/messaging/idempotency/idempotency-store.ts'
import type { MessagingDeps } from '../../domains/messaging/messaging-deps.ts'
import { ERRORS, type ErrorCode, type ErrorFields, errorBody, GatehouseError } from '../../errors.ts'
import type { Tx } from '../../platform/db/database.ts'
import { inTransaction } from '../../platform/db/retried-transaction.ts'
import { canonicalJson } from '../../platform/lib/canonical-json.ts'
import type { Refusal } from '../../shared/refusal.ts'
import { accepted, invalid } from '../../shared/request-errors.ts'
import { sendError } from '../kit/error-responses.ts'
import { type Handler, handle, type TypedApp } from '../kit/route.ts'

interface Written {
  readonly status: 200 | 201 | 204
  /** undefined: no body, as with 204. */
  readonly body?: unknown
  readonly afterCommit?: () => void
}

/** `committed`: a refusal that commits the transaction, unlike one that is thrown or returned alone. */
type Outcome = Written | { readonly committed: Refusal } | Refusal

type RouteOf<S> = Omit<RouteOptions, 'schema' | 'handler'> & { readonly schema: S }
export type RequestOf<S extends FastifySchema> = Parameters<Handler<S>>[0]

interface Steps<Request, P> {
  /** Runs before the transaction: evaluates policies, stores uploads. */
  readonly prepare: (request: Request) => Promise<P | Refusal>
  /** The content of a body that `prepare` has read, to compare repeated requests with an Idempotency-Key. */
  readonly fingerprint?: (prepared: P) => unknown
  /** Runs in the transaction of the Idempotency-Key. It runs again after a deadlock. A refusal rolls the transaction back. */
  readonly write: (tx: Tx, request: Request, prepared: P) => Promise<Outcome>
  /** Frees what `prepare` has stored, if the write failed or the response was replayed. */
  readonly discard?: (prepared: P) => Promise<void>
}

type WriteRequest = Pick<FastifyRequest, 'member' | 'now' | 'method' | 'url' | 'headers' | 'body' | 'routeOptions'>

/** Registers a route that writes in one transaction: the change, its events and its Idempotency-Key. Then it sends the response. */
export function handleWrite<S extends FastifySchema>(
  app: TypedApp,
  deps: MessagingDeps,
  route: RouteOf<S>,
  write: (tx: Tx, request: RequestOf<S>) => Promise<Outcome>,
): void {
  handlePrepared(app, deps, route, { prepare: async () => undefined, write })
}

export function handlePrepared<S extends FastifySchema, P>(
  app: TypedApp,
  deps: MessagingDeps,
  route: RouteOf<S>,
  steps: Steps<RequestOf<S>, P>,
): void {
  handle(app, route, ((request, reply) => writePrepared(request, reply, deps, steps)) as Handler<S>)
}

async function writePrepared<Request extends WriteRequest, P>(
  request: Request,
  reply: FastifyReply,
  deps: MessagingDeps,
  { prepare, fingerprint, write, discard }: Steps<Request, P>,
): Promise<FastifyReply> {
  const keyFor = keysOf(request)
  const bodyKey = fingerprint ? undefined : keyFor(request.routeOptions.schema?.body === undefined ? null : request.body)
  const replayed = bodyKey && (await findReplay(deps.db, bodyKey, request.now))
  if (replayed) return send(reply, replayed)
  const prepared = accepted(await prepare(request))
  const key = bodyKey ?? keyFor(fingerprint?.(prepared))
  let isNew = false
  try {
    const result = await auditedTransaction(
      deps,
      (tx) => writeOnce(tx, key, request.now, () => write(tx, request, prepared), reply),
      inTransaction,
    )
    isNew = result.isNew
    if (isNew) deps.relay.wake()
    result.afterCommit?.()
    return send(reply, result.stored)
  } finally {
    if (!isNew) await discard?.(prepared)
  }
}

interface WriteResult extends Pick<Written, 'afterCommit'> {
  readonly stored: StoredResponse
  /** Whether this request has written; otherwise the key was in use, and `stored` is its response. */
  readonly isNew: boolean
}

async function writeOnce(
  tx: Tx,
  key: IdempotencyKey | undefined,
  now: Date,
  run: () => Promise<Outcome>,
  reply: FastifyReply,
): Promise<WriteResult> {
  if (key && !(await reserveKey(tx, key, now))) {
    const stored = await findReplay(tx, key, now)
    if (!stored) throw new Error('An Idempotency-Key could not be reserved and has no stored response')
    return { stored, isNew: false }
  }
  const result = accepted(await run())
  const written =
    'committed' in result ? { stored: storedError(result.committed) } : { ...result, stored: storedBody(reply, result) }
  if (key) await storeResponse(tx, key, written.stored)
  return { ...written, isNew: true }
}

const MAX_KEY = 255

/** Undefined without an `Idempotency-Key`. Throws a 400 for an invalid one. */
function keysOf({ member, method, url, headers }: WriteRequest): (content: unknown) => IdempotencyKey | undefined {
  const key = method === 'DELETE' ? undefined : headers['idempotency-key']
  if (key === undefined) return () => undefined
  if (typeof key !== 'string' || key.length === 0 || key.length > MAX_KEY)
    throw invalid({ param: 'Idempotency-Key', message: `must have 1 to ${MAX_KEY} characters` })
  // The same for form and JSON, and for every order of the fields.
  const hashOf = (content: unknown) => createHash('sha256').update(`${method} ${url}\n${canonicalJson(content ?? null)}`)
  return (content) => ({ member, key, fingerprint: hashOf(content).digest() })
}

/** Throws a 409 when the key was used for a different request. */
async function findReplay(db: MessagingDeps['db'], key: IdempotencyKey, now: Date): Promise<StoredResponse | undefined> {
  const stored = await findResponse(db, key, now)
  if (stored && !stored.fingerprint.equals(key.fingerprint))
    throw new GatehouseError('CONFLICT', { message: 'This Idempotency-Key was used for a different request.' })
  return stored
}

const storedBody = (reply: FastifyReply, { status, body }: Written): StoredResponse => ({
  status,
  body: body === undefined ? '' : (reply.getSerializationFunction(String(status)) as (body: unknown) => string)(body),
})

const storedError = ({ code, fields }: Refusal): StoredResponse => ({
  status: ERRORS[code].status,
  body: JSON.stringify(errorBody(code, fields)),
})

function send(reply: FastifyReply, { status, body }: StoredResponse): FastifyReply {
  if (status >= 400) return sendError(reply, ...parseError(body))
  reply.status(status)
  return body === '' ? reply.send() : reply.type('application/json; charset=utf-8').send(body)
}

/** The code and fields of a stored error. Sending them again gives the same bytes. */
function parseError(body: string): [ErrorCode, ErrorFields] {
  const { error } = JSON.parse(body) as ReturnType<typeof errorBody>
  const { code, message, param, audit_id: auditId, review_item_id: reviewItemId, details } = error
  const ids = { ...(auditId !== undefined && { auditId }), ...(reviewItemId !== undefined && { reviewItemId }) }
  return [code, { message, ...ids, ...(param !== null && { param }), ...(details !== undefined && { details }) }]
}
