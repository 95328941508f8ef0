import type { IncomingMessage } from 'node:http'
import type { FastifyReply } from 'fastify'
import { BETA_HEADER, readBetas } from '../../dialects/anthropic-messages/upstream.ts'
import type { ClientDialect, ResponseEncoder, UseOfStore } from '../../dialects/client-dialect.ts'
import { isEmpty } from '../../dialects/field-values.ts'
import { errorBody } from '../../errors.ts'
import { chatWithApprovalWait, type PipelineDeps } from '../../pipeline/pipeline.ts'
import type { PipelineResult } from '../../pipeline/pipeline-result.ts'
import type { IncomingRequest, ParseContext, Parsed } from '../../pipeline/request.ts'
import type { Fields } from '../../platform/lib/untrusted-json.ts'
import type { Application } from '../../shared/principal.ts'
import { decodeCarrying } from './carried-fields.ts'
import { type ChatLimits, parseChat } from './chat-request.ts'
import { EarlyResponse } from './early-response.ts'
import { headerValues, withGovernanceHeaders } from './governance-headers.ts'
import { invalid, withClientField } from './request-fields.ts'
import { sendChatResult } from './send-response.ts'

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
  const early = new EarlyResponse(reply, () => encoder, dialect.errorBody ?? errorBody)
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
