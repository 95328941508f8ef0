import { type TSchema, Type } from 'typebox'
import { type Api, route } from '../kit/route.ts'
import { ChatBody } from './chat-request.ts'
import { CHAT_ERRORS, ChatHeaders, GATEWAY, GovernanceBlock, header, jsonOrEvents, type Path } from './gateway-schemas.ts'
import { optional } from './request-fields.ts'

const anyObject = Type.Object({}, { additionalProperties: true })
const textOr = (other: TSchema, description: string) =>
  Type.Union([Type.String(), Type.Array(other, { minItems: 1 })], { description })

const Turn = Type.Object(
  {
    role: Type.Union([Type.Literal('user'), Type.Literal('assistant')]),
    content: textOr(
      anyObject,
      'A text, or blocks: `text`, `image`, `document`, `tool_use`, `tool_result`, `thinking` and `redacted_thinking`.',
    ),
  },
  { title: 'AnthropicMessage' },
)

const Tool = Type.Object(
  { name: Type.String(), description: optional(Type.String()), input_schema: anyObject },
  { title: 'AnthropicTool', additionalProperties: true },
)

/** Documentation: the dialect validates requests (dialects/anthropic-messages). */
const COUNTED = {
  model: ChatBody.properties.model,
  messages: Type.Array(Turn, { minItems: 1 }),
  system: Type.Optional(
    Type.Union([Type.String(), Type.Array(anyObject), Type.Null()], { description: 'A text, or `text` blocks.' }),
  ),
  tools: optional(
    Type.Array(Tool, { description: 'Tools that your program runs. The Application needs the extension `tools`.' }),
  ),
  tool_choice: optional(anyObject),
  thinking: optional(anyObject),
  governance: ChatBody.properties.governance,
}

const AnthropicBody = Type.Object(
  {
    ...COUNTED,
    max_tokens: Type.Integer({ minimum: 1 }),
    stream: ChatBody.properties.stream,
    temperature: ChatBody.properties.temperature,
    top_p: ChatBody.properties.top_p,
    top_k: optional(Type.Integer({ minimum: 1 })),
    stop_sequences: optional(Type.Array(Type.String(), { maxItems: 16 })),
    metadata: optional(Type.Object({ user_id: optional(Type.String()) })),
    output_config: optional(anyObject),
    service_tier: optional(Type.Union([Type.Literal('auto'), Type.Literal('standard_only')])),
  },
  { description: 'Fields, blocks and tool types that the gateway cannot govern are refused by name.' },
)

const CountTokensBody = Type.Object(COUNTED, { description: 'The fields of a message. `max_tokens` may be missing.' })

const AnthropicFields = {
  id: Type.String(),
  type: Type.Literal('message'),
  role: Type.Literal('assistant'),
  model: Type.String(),
  content: Type.Array(anyObject, { description: '`text`, `thinking`, `redacted_thinking` and `tool_use` blocks.' }),
  stop_reason: Type.Union([Type.String(), Type.Null()], {
    description: '`end_turn`, `max_tokens`, `stop_sequence`, `tool_use` or `refusal`.',
  }),
  stop_sequence: Type.Union([Type.String(), Type.Null()]),
  usage: Type.Object(
    { input_tokens: Type.Integer(), output_tokens: Type.Integer() },
    {
      title: 'AnthropicUsage',
      additionalProperties: true,
      description: 'Cached tokens are counted in addition to `input_tokens`.',
    },
  ),
}

const ANTHROPIC_HEADERS = Type.Object({
  'anthropic-version': header(
    '`2023-06-01`. It distinguishes this API from the messaging API, and so does a key in `x-api-key`.',
  ),
  ...ChatHeaders.properties,
})
const ANTHROPIC: Api = { ...GATEWAY, security: [{ applicationKey: [] }, { anthropicKey: [] }] }

export const anthropicMessagesRoute = (path: Path) =>
  route(ANTHROPIC, `POST ${path}`, {
    operationId: 'createAnthropicMessage',
    summary: 'Create a governed message with the Messages API of Anthropic',
    description:
      'Compatible with the Messages API of Anthropic, for requests with the header `anthropic-version` or with a key in `x-api-key`. All other requests to this path belong to the messaging API (`sendMessage`). Errors have the envelope of that API: `type: error`, `error` with our fields, and `request_id`.',
    headers: ANTHROPIC_HEADERS,
    body: AnthropicBody,
    answers: {
      200: jsonOrEvents(
        'The message, or with `stream: true` its events.',
        Type.Object({ ...AnthropicFields, governance: GovernanceBlock }),
        'Events from `message_start` to `message_stop`.',
      ),
    },
    errors: CHAT_ERRORS,
  })

export const countTokensRoute = (path: Path) =>
  route(ANTHROPIC, `POST ${path}/count_tokens`, {
    operationId: 'countAnthropicTokens',
    summary: 'Estimate the tokens of a message',
    description: 'The estimate of the gateway. Policies decide on the message as in a dry run, and no provider is called.',
    headers: ANTHROPIC_HEADERS,
    body: CountTokensBody,
    answers: { 200: Type.Object({ input_tokens: Type.Integer() }) },
    errors: CHAT_ERRORS,
  })
