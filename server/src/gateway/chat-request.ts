import { type Static, Type } from 'typebox'
import { type ChatMessage, unreadableFile } from '../domain/message.ts'
import type { Application, Extension } from '../domain/principal.ts'
import { checker } from '../lib/schema.ts'
import { EMPTY_REQUEST, type Parsed } from '../pipeline/request.ts'
import { GovernanceUser, identifier, identityOf, invalid, optional, PATTERNS, sessionId } from './request-fields.ts'

const number = (minimum: number, maximum: number) => optional(Type.Number({ minimum, maximum }))
const count = optional(Type.Integer({ minimum: 1, maximum: 10_000_000 }))

/** Roles and contents beyond the contract are let through here and answered for by `extensionProblem`. */
const Message = Type.Object(
  {
    role: Type.Union((['system', 'user', 'assistant', 'developer', 'tool'] as const).map((role) => Type.Literal(role))),
    content: Type.Optional(
      Type.Union([
        Type.String(),
        Type.Null(),
        Type.Array(Type.Object({ type: Type.String({ pattern: '^[a-z_]{1,32}$' }), text: Type.Optional(Type.String()) }), {
          minItems: 1,
        }),
      ]),
    ),
    name: Type.Optional(Type.String({ maxLength: 256 })),
    tool_call_id: Type.Optional(Type.String({ pattern: '^[\\w.:-]{1,128}$' })),
    tool_calls: Type.Optional(
      Type.Array(
        Type.Object({
          id: Type.String({ pattern: '^[\\w.:-]{1,128}$' }),
          type: Type.Literal('function'),
          function: Type.Object({ name: Type.String({ maxLength: 256 }), arguments: Type.String() }),
        }),
        { minItems: 1 },
      ),
    ),
  },
  { description: 'gateway-api.md, ChatMessage. Tools, content parts and the developer role need the extension of that name.' },
)

/** gateway-api.md, POST /v1/chat/completions; then OpenAI's other fields, validated loosely (decisions.md §2.3). */
export const ChatBody = Type.Object({
  model: optional(identifier()),
  messages: Type.Array(Message, { minItems: 1 }),
  temperature: number(0, 2),
  max_tokens: count,
  stream: optional(Type.Boolean()),
  governance: optional(
    Type.Object({
      user: optional(GovernanceUser),
      session_id: sessionId,
      dry_run: optional(Type.Boolean()),
      review_item_id: optional(Type.String({ minLength: 1, maxLength: 64 })),
      wait_for_approval_seconds: optional(Type.Integer({ minimum: 0, maximum: 120 })),
    }),
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
  tools: optional(Type.Array(Type.Object({ type: Type.String({ pattern: '^[a-z_]{1,32}$' }) }), { maxItems: 256 })),
  tool_choice: optional(
    Type.Union([Type.String({ maxLength: 64 }), Type.Object({ type: Type.String({ pattern: '^[a-z_]{1,32}$' }) })]),
  ),
})
type Body = Static<typeof ChatBody>
type BodyMessage = Static<typeof Message>

/** Goes to the provider as it came. Any other field is ignored, so nothing unread leaves the gateway. */
const PASSED_ON = [
  'temperature',
  'n',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'stop',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'response_format',
  'user',
  'metadata',
  'reasoning_effort',
  'service_tier',
  'parallel_tool_calls',
  'tools',
  'tool_choice',
] as const

const check = checker(ChatBody, PATTERNS)

export interface ChatLimits {
  readonly messages: number
  readonly contentBytes: number
}

export function parseChat(body: unknown, application: Application, limits: ChatLimits): Parsed {
  const checked = check(body)
  if (!checked.ok) return invalid(checked.problem)
  const { value } = checked
  const problem = sizeProblem(value, limits) ?? extensionProblem(value, application.settings.extensions) ?? fileProblem(value)
  if (problem) return invalid(problem)
  const { governance } = value
  return {
    ok: true,
    request: {
      ...EMPTY_REQUEST,
      ...identityOf(governance),
      messages: value.messages.map(known),
      model: value.model ?? '',
      parameters: passedOn(value),
      maxTokens: value.max_completion_tokens ?? value.max_tokens ?? undefined,
      stream: value.stream ?? false,
      includeUsage: value.stream_options?.include_usage ?? false,
      dryRun: governance?.dry_run ?? false,
      reviewItemId: governance?.review_item_id ?? undefined,
      waitSeconds: governance?.wait_for_approval_seconds ?? 0,
    },
  }
}

function sizeProblem({ messages }: Body, limits: ChatLimits) {
  if (messages.length > limits.messages) return { param: 'messages', message: `must not have more than ${limits.messages} items` }
  const large = messages.findIndex(({ content }) => textBytes(content) > limits.contentBytes)
  return large < 0
    ? undefined
    : { param: `messages[${large}].content`, message: `must not be larger than ${limits.contentBytes} bytes` }
}

const textBytes = (content: BodyMessage['content']): number =>
  typeof content === 'string'
    ? Buffer.byteLength(content)
    : (content ?? []).reduce((sum, part) => sum + Buffer.byteLength(part.text ?? ''), 0)

/** A file that says it is text must be readable as such, or no detector could read it. */
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

/** Off, an extension is a 400 that names the setting which opens it (decisions.md §2.3). */
function extensionProblem(body: Body, extensions: readonly Extension[]) {
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
    if ((message.role === 'tool' || message.tool_calls || message.tool_call_id) && closed('tools')) {
      return needs(message.role === 'tool' ? `${at}.role` : `${at}.tool_calls`, 'tools')
    }
    if (Array.isArray(message.content) && closed('content_parts')) return needs(`${at}.content`, 'content_parts')
    if (message.content == null && !message.tool_calls)
      return { param: `${at}.content`, message: 'is required and must be string' }
  }
  return undefined
}

/** Only fields that the schema knows: what detectors and policies did not see does not travel. */
function known({ role, content, name, tool_calls, tool_call_id }: BodyMessage): ChatMessage {
  return {
    role,
    content: content ?? null,
    ...(name === undefined ? {} : { name }),
    ...(tool_calls === undefined ? {} : { tool_calls }),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
  }
}

function passedOn(body: Body): Record<string, unknown> {
  const parameters: Record<string, unknown> = {}
  for (const name of PASSED_ON) if (body[name] != null) parameters[name] = body[name]
  // Newer models know only this one; older servers only max_tokens: what the caller wrote is what the provider gets.
  const limit = body.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens'
  if (body[limit] != null) parameters[limit] = body[limit]
  return parameters
}
