import { parserOf } from '../../../src/api/gateway/chat.ts'
import { anthropicMessages } from '../../../src/dialects/anthropic-messages/anthropic-messages.ts'
import { bedrockUpstream } from '../../../src/dialects/anthropic-messages/bedrock.ts'
import { anthropicUpstream } from '../../../src/dialects/anthropic-messages/upstream.ts'
import type { ClientDialect } from '../../../src/dialects/client-dialect.ts'
import { openaiChat } from '../../../src/dialects/openai-chat/openai-chat.ts'
import { openaiResponses } from '../../../src/dialects/openai-responses/openai-responses.ts'
import { responsesUpstream } from '../../../src/dialects/openai-responses/upstream.ts'
import type { UpstreamDialect } from '../../../src/dialects/upstream-dialect.ts'
import { openaiUpstream } from '../../../src/domains/providers/adapters.ts'
import type { GatewayRequest } from '../../../src/pipeline/request.ts'
import { parseJsonKeepingNumbers } from '../../../src/platform/lib/json.ts'
import type { Fields } from '../../../src/platform/lib/untrusted-json.ts'
import { type Application, DEFAULT_LIMITS, DEFAULT_SETTINGS, type UnknownFields } from '../../../src/shared/principal.ts'
import type { Api } from './request-bodies.ts'

export const CLIENTS: Readonly<Record<Api, ClientDialect>> = {
  'openai-chat': openaiChat,
  'anthropic-messages': anthropicMessages,
  'openai-responses': openaiResponses,
}
export const API_OF_PATH: Readonly<Record<string, Api>> = {
  '/v1/chat/completions': 'openai-chat',
  '/v1/messages': 'anthropic-messages',
  '/v1/responses': 'openai-responses',
}
export const UPSTREAMS: Readonly<Record<Api | 'bedrock', UpstreamDialect>> = {
  'openai-chat': openaiUpstream,
  'anthropic-messages': anthropicUpstream,
  'openai-responses': responsesUpstream,
  bedrock: bedrockUpstream(undefined),
}
export const UPSTREAM_MODEL = 'upstream-model'

const application = (unknown_fields: UnknownFields): Application => ({
  id: 'app_1',
  workspaceId: 'ws_1',
  name: 'test',
  settings: { ...DEFAULT_SETTINGS, unknown_fields, extensions: ['tools', 'content_parts', 'developer_role'] },
  limits: DEFAULT_LIMITS,
  models: null,
  providers: null,
  defaultModel: null,
  ceiling: 'restricted',
})
const chatLimits = { bodyBytes: 1e7, messages: 1_000, contentBytes: 1e7 }

export type Decoded =
  | { readonly ok: true; readonly request: GatewayRequest; readonly written: Fields; readonly fieldOf: (param: string) => string }
  | { readonly ok: false; readonly message: string }

/** Reads a body as the server does. */
export function decode(api: Api, body: string, unknownFields: UnknownFields): Decoded {
  const json = parseJsonKeepingNumbers(Buffer.from(body), 32)
  if (!json.ok) return { ok: false, message: json.problem }
  const { parsed, fieldOf } = parserOf(CLIENTS[api], { chatLimits })(json.value, application(unknownFields), {
    written: json.written,
  })
  if (!parsed.ok) return { ok: false, message: `${parsed.problem.param}: ${parsed.problem.message}` }
  return { ok: true, request: parsed.request, written: json.written as Fields, fieldOf }
}

/** The body that a provider gets when no policy changes the request. */
export const encode = (upstream: UpstreamDialect, { messages, parameters, source }: GatewayRequest) =>
  upstream.encode({
    model: UPSTREAM_MODEL,
    stream: false,
    messages,
    parameters,
    original: source && { ...source, messages, parameters },
  })
