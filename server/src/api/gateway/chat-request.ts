import { type Static, Type } from 'typebox'
import { CHAT_MESSAGE_FIELDS } from '../../dialects/openai-chat/known-fields.ts'
import { EMPTY_REQUEST, type Parsed } from '../../pipeline/request.ts'
import { checker, type Problem } from '../../platform/lib/schema.ts'
import type { Fields } from '../../platform/lib/untrusted-json.ts'
import { unreadableFile } from '../../shared/file-fields.ts'
import type { ChatMessage, ContentPart } from '../../shared/message.ts'
import { largestLimit, MOST_TOKENS, type OutputLimit, readOutputLimits } from '../../shared/output-limits.ts'
import type { Application, Extension } from '../../shared/principal.ts'
import { fieldProblem, passedOn, withoutNulls } from './chat-fields.ts'
import { GovernanceUser, identifier, identityOf, invalid, optional, PATTERNS, sessionId } from './request-fields.ts'

const number = (minimum: number, maximum: number) => optional(Type.Number({ minimum, maximum }))
const count = optional(Type.Integer({ minimum: 1, maximum: MOST_TOKENS }))

/** Free text of the provider, a signature for example; it is scanned like any other text. */
const toolId = Type.String({ maxLength: 16_384 })
const toolName = Type.String({ maxLength: 256 })

const called = Type.Object({ name: toolName, arguments: Type.String() })
const FunctionCall = Type.Object(
  { id: toolId, type: optional(Type.Literal('function')), function: called },
  { title: 'FunctionCall' },
)
const custom = Type.Object({ name: toolName, input: Type.String() })
const CustomCall = Type.Object({ id: toolId, type: Type.Literal('custom'), custom }, { title: 'CustomCall' })

const Part = Type.Object({ type: Type.String({ pattern: '^[a-z_]{1,32}$' }), text: optional(Type.String()) })

/** Roles and contents beyond the contract pass here; `extensionProblem` checks them. */
const Message = Type.Object(
  {
    role: Type.Union((['system', 'user', 'assistant', 'developer', 'tool'] as const).map((role) => Type.Literal(role))),
    content: Type.Optional(Type.Union([Type.String(), Type.Null(), Type.Array(Part, { minItems: 1 })])),
    name: optional(Type.String({ maxLength: 256 })),
    tool_call_id: optional(toolId),
    tool_calls: optional(Type.Array(Type.Union([FunctionCall, CustomCall]))),
    refusal: optional(Type.String()),
    audio: Type.Optional(Type.Null({ description: 'Audio is not supported yet.' })),
  },
  {
    title: 'ChatMessage',
    description:
      'Tools, content parts and the developer role need the extension of that name. Other fields, such as `reasoning_content` or `extra_content`, are passed to the provider unchanged; their texts are inspected like all others.',
  },
)

/** GW-CHAT-1 to GW-CHAT-5, then OpenAI's other fields, validated loosely (GW-CHAT-7). */
const FIELDS = {
  model: optional(identifier()),
  messages: Type.Array(Message, { minItems: 1 }),
  temperature: number(0, 2),
  max_tokens: count,
  stream: optional(Type.Boolean()),
  governance: optional(
    Type.Object(
      {
        user: optional(GovernanceUser),
        session_id: sessionId,
        dry_run: optional(Type.Boolean()),
        review_item_id: optional(Type.String({ minLength: 1, maxLength: 64 })),
        wait_for_approval_seconds: optional(Type.Integer({ minimum: 0, maximum: 120 })),
      },
      { title: 'ChatGovernance' },
    ),
  ),
  max_completion_tokens: count,
  n: optional(Type.Integer({ minimum: 1, maximum: 16 })),
  top_p: number(0, 1),
  presence_penalty: number(-2, 2),
  frequency_penalty: number(-2, 2),
  seed: optional(Type.Integer()),
  stop: optional(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 16 })])),
  logprobs: optional(Type.Boolean()),
  top_logprobs: optional(Type.Integer({ minimum: 0, maximum: 20 })),
  logit_bias: optional(Type.Record(Type.String({ pattern: '^\\d{1,9}$' }), Type.Number())),
  response_format: optional(Type.Object({ type: Type.String({ maxLength: 64 }) })),
  stream_options: optional(Type.Object({ include_usage: optional(Type.Boolean()) })),
  user: optional(Type.String({ maxLength: 256 })),
  metadata: optional(Type.Record(Type.String(), Type.Unknown())),
  reasoning_effort: optional(Type.String({ pattern: '^[a-z]{1,16}$' })),
  service_tier: optional(Type.String({ pattern: '^[a-z]{1,16}$' })),
  parallel_tool_calls: optional(Type.Boolean()),
  tools: optional(Type.Array(Type.Object({ type: Type.String({ maxLength: 64 }) }), { maxItems: 256 })),
  tool_choice: optional(Type.Union([Type.String({ maxLength: 64 }), Type.Object({ type: Type.String({ maxLength: 64 }) })])),
}
export const ChatBody = Type.Object(FIELDS, {
  title: 'ChatCompletionRequest',
  description:
    'Other fields are passed to the provider unchanged, and their texts are inspected like all others. Fields that the gateway cannot govern yet are refused by name (`audio`, `web_search_options`, `functions`, fields that choose another model …).',
})
type Body = Static<typeof ChatBody>
type BodyMessage = Static<typeof Message>

const check = checker(ChatBody, PATTERNS)

export interface ChatLimits {
  readonly bodyBytes: number
  readonly messages: number
  readonly contentBytes: number
  /** Whether texts in parts need no extension. */
  readonly textParts?: boolean | undefined
}

export function parseChat(body: unknown, application: Application, limits: ChatLimits): Parsed {
  const checked = check(body)
  if (!checked.ok) return invalid(checked.problem)
  const { value } = checked
  const oversize = sizeProblem(value, limits)
  if (oversize) return oversize
  const outputLimits = readOutputLimits(value)
  const problem =
    fieldProblem(value) ??
    limitProblem(outputLimits) ??
    extensionProblem(value, application.settings.extensions, limits) ??
    fileProblem(value)
  if (problem) return invalid(problem)
  const { governance } = value
  return {
    ok: true,
    request: {
      ...EMPTY_REQUEST,
      ...identityOf(governance),
      messages: value.messages.map(message),
      model: value.model ?? '',
      parameters: passedOn(value),
      maxTokens: largestLimit(outputLimits, 'tokens'),
      stream: value.stream ?? false,
      dryRun: governance?.dry_run ?? false,
      reviewItemId: governance?.review_item_id ?? undefined,
      waitSeconds: governance?.wait_for_approval_seconds ?? 0,
    },
  }
}

/** Limits that the schema does not have. Some servers read 0 or -1 as no limit, and policies and budgets must not count less than they make. */
function limitProblem(limits: readonly OutputLimit[]): Problem | undefined {
  const wrong = limits.find(({ count }) => count === undefined)
  return wrong && { param: wrong.path, message: `must be an integer from 1 to ${MOST_TOKENS}` }
}

function sizeProblem({ messages }: Body, limits: ChatLimits): Parsed | undefined {
  if (messages.length > limits.messages)
    return tooLarge('messages', `${limits.messages} items`, 'GATEHOUSE_MAX_MESSAGES', limits.messages)
  const large = messages.findIndex(({ content }) => textBytes(content) > limits.contentBytes)
  if (large < 0) return undefined
  return contentTooLarge(`messages[${large}].content`, limits)
}

export const contentTooLarge = (param: string, { contentBytes }: ChatLimits): Parsed =>
  tooLarge(param, `${contentBytes} bytes`, 'GATEHOUSE_MAX_CONTENT_BYTES', contentBytes)

const tooLarge = (param: string, most: string, setting: string, limit: number): Parsed => ({
  ok: false,
  code: 'PAYLOAD_TOO_LARGE',
  problem: { param, message: `${param}: must not be larger than ${most} (${setting}).`, details: { setting, limit } },
})

const textBytes = (content: BodyMessage['content']): number =>
  typeof content === 'string'
    ? Buffer.byteLength(content)
    : (content ?? []).reduce((sum, part) => sum + Buffer.byteLength(part.text ?? ''), 0)

/** A file declared as text must be decodable, because detectors scan its text. */
function fileProblem({ messages }: Body) {
  for (const [index, { content }] of messages.entries()) {
    if (!Array.isArray(content)) continue
    for (const [at, part] of content.entries()) {
      const problem = unreadableFile(part)
      if (problem) return { param: `messages[${index}].content[${at}].${problem.path}`, message: problem.message }
    }
  }
  return undefined
}

/** GW-CHAT-17 */
function extensionProblem(body: Body, extensions: readonly Extension[], { textParts = false }: ChatLimits) {
  const closed = (extension: Extension) => !extensions.includes(extension)
  const needs = (param: string, extension: Extension) => ({
    param,
    message: `needs the extension "${extension}" in the Application's settings (extensions: [${extension}])`,
  })
  if (closed('tools')) {
    const field = (['tools', 'tool_choice', 'parallel_tool_calls'] as const).find((name) => body[name] != null)
    if (field) return needs(field, 'tools')
  }
  for (const [index, message] of body.messages.entries()) {
    const at = `messages[${index}]`
    if (message.role === 'developer' && closed('developer_role')) return needs(`${at}.role`, 'developer_role')
    if ((message.role === 'tool' || message.tool_calls?.length || message.tool_call_id) && closed('tools'))
      return needs(message.role === 'tool' ? `${at}.role` : `${at}.tool_calls`, 'tools')
    const isOpen = textParts && Array.isArray(message.content) && message.content.every(({ type }) => type === 'text')
    if (Array.isArray(message.content) && !isOpen && closed('content_parts')) return needs(`${at}.content`, 'content_parts')
    if (message.content == null && !SILENT_FIELDS.some((name) => (message as Fields)[name]))
      return { param: `${at}.content`, message: 'is required and must be string' }
  }
  return undefined
}

/** A message with one of them may have no content: clients send completions back in the history. */
const SILENT_FIELDS = ['tool_calls', 'function_call', 'refusal', 'reasoning_content', 'reasoning', 'reasoning_details'] as const

const message = ({ role, content, ...others }: BodyMessage): ChatMessage => ({
  role,
  content: Array.isArray(content) ? content.map(part) : (content ?? null),
  ...withoutNulls(others, CHAT_MESSAGE_FIELDS),
})

function part({ text, ...others }: { readonly type: string; readonly text?: string | null }): ContentPart {
  return text == null ? others : { ...others, text }
}
