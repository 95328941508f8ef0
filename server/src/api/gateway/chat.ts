import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify'
import { BETA_HEADER, readBetas } from '../../dialects/anthropic-messages/upstream.ts'
import type { ClientDialect, DecodeContext, DecodedRequest, ResponseEncoder, UseOfStore } from '../../dialects/client-dialect.ts'
import { isEmpty } from '../../dialects/field-values.ts'
import { splitUnknown, type UnknownField } from '../../dialects/known-fields.ts'
import { takeOut } from '../../dialects/take-out.ts'
import { chatWithApprovalWait, type PipelineDeps } from '../../pipeline/pipeline.ts'
import type { PipelineResult } from '../../pipeline/pipeline-result.ts'
import type { IncomingRequest, ParseContext, Parsed } from '../../pipeline/request.ts'
import type { Problem } from '../../platform/lib/schema.ts'
import { type Fields, isObject } from '../../platform/lib/untrusted-json.ts'
import { CARRIED_FIELDS, UNKNOWN_FIELD } from '../../shared/original-request.ts'
import type { Application, UnknownFields } from '../../shared/principal.ts'
import { hasLargeBody, LARGE_BODY } from '../kit/large-bodies.ts'
import { auditIdOf } from '../kit/request-id.ts'
import { handle, type TypedApp } from '../kit/route.ts'
import { refusedField } from './chat-fields.ts'
import { type ChatLimits, parseChat } from './chat-request.ts'
import { EarlyResponse } from './early-response.ts'
import { headerValues, withGovernanceHeaders } from './governance-headers.ts'
import { invalid, withClientField } from './request-fields.ts'
import { abortOnClose, sendChatResult } from './send-response.ts'

export interface ChatDeps extends PipelineDeps {
  readonly chatLimits: ChatLimits
}

export async function chat(
  reply: FastifyReply,
  incoming: Omit<IncomingRequest, 'endpoint' | 'parse'>,
  dialect: ClientDialect,
  deps: ChatDeps,
): Promise<unknown> {
  let encoder: ResponseEncoder | undefined
  let fieldOf = (param: string): string => param
  const parseBody = parserOf(dialect, deps)
  const parse: IncomingRequest['parse'] = (...parameters) => {
    const decoded = parseBody(...parameters)
    encoder = decoded.encoder
    fieldOf = decoded.fieldOf
    return decoded.parsed
  }
  const { raw } = reply.request
  const parseAll = dialect.name === 'anthropic-messages' ? withBetas(raw, parse) : parse
  const early = new EarlyResponse(reply, () => encoder)
  const received = { ...incoming, early, endpoint: 'chat', parse: withGovernanceHeaders(raw, parseAll) } as const
  const result = await chatWithApprovalWait(received, deps).catch((cause: unknown) => early.fail(cause))
  if (!result) return undefined
  const named = withClientParam(result, fieldOf)
  return early.hasBegun ? early.finish(named) : sendChatResult(reply, named, encoder)
}

/** `parse` for the body together with the features that the client's header asks for (GW-ANT-11). */
const withBetas =
  (request: Pick<IncomingMessage, 'rawHeaders'>, parse: IncomingRequest['parse']): IncomingRequest['parse'] =>
  (...parameters) => {
    const betas = readBetas(headerValues(request, BETA_HEADER))
    if (!betas) return invalid({ param: BETA_HEADER, message: WRONG_BETAS })
    const parsed = parse(...parameters)
    const source = parsed.ok ? parsed.request.source : undefined
    if (!parsed.ok || !source || betas.length === 0) return parsed
    return { ok: true, request: { ...parsed.request, source: { ...source, betas } } }
  }

const WRONG_BETAS = 'must be at most 32 names that end in a date, with at most 4 digits before it, separated by commas'

/** A result whose error names the client's field: a provider's refusal names one of the chat. */
function withClientParam(result: PipelineResult, fieldOf: (param: string) => string): PipelineResult {
  const { error } = result
  const param = error?.fields?.param
  if (!error || typeof param !== 'string' || fieldOf(param) === param) return result
  const { message } = error.fields ?? {}
  const named = message === undefined ? {} : { message: message.replace(param, fieldOf(param)) }
  return { ...result, error: { ...error, fields: { ...error.fields, ...named, param: fieldOf(param) } } }
}

interface ParsedBody {
  readonly parsed: Parsed
  readonly fieldOf: (param: string) => string
  readonly encoder?: ResponseEncoder
}

const NOT_STORED = 'is a field that the gateway does not know, so it cannot store the response: send store: false'

export const parserOf =
  (dialect: ClientDialect, { chatLimits }: Pick<ChatDeps, 'chatLimits'>) =>
  (body: unknown, application: Application, { written = body, history = [] }: ParseContext = {}): ParsedBody => {
    const { unknown_fields, responses } = application.settings
    const decoded = decodeCarrying(dialect, body, unknown_fields, { storing: responses.store, history })
    if (!decoded.ok) return { parsed: invalid(decoded.problem), fieldOf: (param) => param }
    const { fieldOf, encoder, origins, bodyOf = (sent) => sent, unknown, carried, store } = decoded
    const lost = store?.toStored && carried.find(({ path, value }) => path.startsWith('input[') && !isEmpty(value))
    if (lost) return { parsed: invalid({ param: lost.path, message: NOT_STORED }), fieldOf: (param) => param }
    const paths = carried.map(({ path }) => path)
    const source = { dialect: dialect.name, body: bodyOf(written as Fields), origins, unknown, carried: paths }
    const parsed = parseChat(decoded.chat, application, { ...chatLimits, textParts: dialect.hasTextParts })
    const complete: Parsed = parsed.ok ? { ok: true, request: { ...parsed.request, source } } : parsed
    return { parsed: withClientField(withStore(complete, store, chatLimits), fieldOf), fieldOf, encoder }
  }

/** The stored conversation may be as large as a request. */
function withStore(parsed: Parsed, store: UseOfStore | undefined, limits: ChatLimits): Parsed {
  if (!parsed.ok || !store) return parsed
  const { previousId: responseId, toStored } = store
  const size = { maxBytes: limits.bodyBytes, maxResponses: limits.messages }
  const continues = responseId === undefined ? undefined : { responseId, ...size }
  return { ok: true, request: { ...parsed.request, continues, toStored } }
}

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
  Promise.try(() => authenticator.authenticate(authorizationOf(headers))).then(
    ({ ok }) => ok,
    () => false,
  )

export function incomingOf(request: FastifyRequest, reply: FastifyReply): Omit<IncomingRequest, 'endpoint' | 'parse'> {
  const userToken = request.headers['x-gateway-user-token']
  return {
    requestId: request.id,
    auditId: auditIdOf(request),
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

/** Most blocks, items and untranslatable fields that one request may carry: the body is decoded once for each. */
const MAX_CARRIED = 32

type Decoded = Extract<DecodedRequest, { readonly ok: true }>
type Refused = Extract<DecodedRequest, { readonly ok: false }>

/** `unknown`: paths of all unknown fields. `carried`: those that the chat form has no place for. */
type CarryingRequest = (Decoded & { readonly unknown: readonly string[]; readonly carried: readonly UnknownField[] }) | Refused

/** Unknown fields become a parameter that detectors read (GW-FID-4). Only a provider of the same API gets them, in their places. */
function decodeCarrying(
  dialect: ClientDialect,
  body: unknown,
  unknownFields: UnknownFields,
  context: DecodeContext,
): CarryingRequest {
  const { unknown, body: known } = splitUnknown(body, dialect.known)
  const problem = unknownProblem(unknown, unknownFields)
  if (problem) return { ok: false, problem }
  const paths = unknown.map(({ path }) => path)
  // The chat form is the body itself, so it has them in their places.
  if (dialect.name === 'openai-chat') return withCarried(dialect.decode(body, context), paths, [])
  // No provider gets the governance block.
  const carried = unknown.filter(({ at }) => !/^governance(?:\.|$)/.test(at))
  if (unknownFields !== 'carry') return withCarried(dialect.decode(known, context), paths, carried)
  return decodeAll(dialect, known, context, paths, carried)
}

function unknownProblem(unknown: readonly UnknownField[], unknownFields: UnknownFields): Problem | undefined {
  for (const { at, path, name, value } of unknown) {
    // Inside other objects these names have other meanings.
    const refused = at === '' ? refusedField({ [name]: value }, '') : undefined
    if (refused) return refused
    if (unknownFields === 'refuse') return { param: path, message: UNKNOWN_FIELD }
  }
  return undefined
}

/** Also carries blocks and items of unknown types, and fields that the dialect knows and cannot translate. */
function decodeAll(
  dialect: ClientDialect,
  body: unknown,
  context: DecodeContext,
  paths: readonly string[],
  unknown: readonly UnknownField[],
): CarryingRequest {
  const carried = [...unknown]
  for (let rest = body, left = MAX_CARRIED; ; left--) {
    const decoded = dialect.decode(rest, context)
    if (decoded.ok || !decoded.unknownField || left === 0) return withCarried(decoded, paths, carried)
    const { path, placeholder } = decoded.unknownField
    const field = takeOut(rest, path, placeholder)
    if (!field || refusedField({ [path]: field.value }, '')) return decoded
    const dot = path.lastIndexOf('.')
    carried.push({ at: path.slice(0, Math.max(dot, 0)), path, name: path.slice(dot + 1), value: field.value })
    rest = field.rest
  }
}

function withCarried(decoded: DecodedRequest, unknown: readonly string[], carried: readonly UnknownField[]): CarryingRequest {
  if (!decoded.ok || carried.length === 0) return decoded.ok ? { ...decoded, unknown, carried } : decoded
  const fields = carried.map(({ name, value }) => ({ [name]: value }))
  const chat = isObject(decoded.chat) ? { ...decoded.chat, [CARRIED_FIELDS]: fields } : decoded.chat
  const first = carried.find(({ value }) => !isEmpty(value))
  const fieldOf = (param: string): string => (param.startsWith(CARRIED_FIELDS) ? (first?.path ?? param) : decoded.fieldOf(param))
  const all = [...new Set([...unknown, ...carried.map(({ path }) => path)])]
  return { ...decoded, chat, fieldOf, unknown: all, carried }
}
