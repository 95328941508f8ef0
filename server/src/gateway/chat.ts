import type { FastifyReply } from 'fastify'
import type { ClientDialect, ResponseEncoder } from '../dialects/client-dialect.ts'
import type { Application } from '../domain/principal.ts'
import { chatWithApprovalWait, type PipelineDeps } from '../pipeline/pipeline.ts'
import type { PipelineResult } from '../pipeline/pipeline-result.ts'
import type { IncomingRequest, Parsed } from '../pipeline/request.ts'
import { type ChatLimits, parseChat } from './chat-request.ts'
import { withGovernanceHeaders } from './governance-headers.ts'
import { invalid, withClientField } from './request-fields.ts'
import { sendChatResult } from './send-response.ts'

export interface ChatDeps extends PipelineDeps {
  readonly chatLimits: ChatLimits
}

/** Runs a chat whose request and response are in `dialect`, and sends the response. */
export async function chat(
  reply: FastifyReply,
  incoming: Omit<IncomingRequest, 'endpoint' | 'parse'>,
  dialect: ClientDialect,
  deps: ChatDeps,
): Promise<unknown> {
  let encoder: ResponseEncoder | undefined
  let fieldOf = (param: string): string => param
  const parseBody = parserOf(dialect, deps)
  const parse: IncomingRequest['parse'] = (body, application) => {
    const decoded = parseBody(body, application)
    encoder = decoded.encoder
    fieldOf = decoded.fieldOf
    return decoded.parsed
  }
  const received = { ...incoming, endpoint: 'chat', parse: withGovernanceHeaders(reply.request.raw, parse) } as const
  const result = await chatWithApprovalWait(received, deps)
  return sendChatResult(reply, withClientParam(result, fieldOf), encoder)
}

/** A result whose error names the client's field: a provider's refusal names one of the chat. */
function withClientParam(result: PipelineResult, fieldOf: (param: string) => string): PipelineResult {
  const { error } = result
  const param = error?.fields?.param
  if (!error || typeof param !== 'string' || fieldOf(param) === param) return result
  return { ...result, error: { ...error, fields: { ...error.fields, param: fieldOf(param) } } }
}

interface ParsedBody {
  readonly parsed: Parsed
  readonly fieldOf: (param: string) => string
  readonly encoder?: ResponseEncoder
}

/** Parses a body in `dialect`. */
export const parserOf =
  (dialect: ClientDialect, { chatLimits }: Pick<ChatDeps, 'chatLimits'>) =>
  (body: unknown, application: Application): ParsedBody => {
    const decoded = dialect.decode(body)
    if (!decoded.ok) return { parsed: invalid(decoded.problem), fieldOf: (param) => param }
    const { fieldOf, encoder } = decoded
    return {
      parsed: withClientField(parseChat(decoded.chat, application, { ...chatLimits, textParts: dialect.hasTextParts }), fieldOf),
      fieldOf,
      encoder,
    }
  }
