import { finishReasonOf } from '../../dialects/finish-reason.ts'
import { withTextContent } from '../../dialects/openai-chat/content-parts.ts'
import type { CompletionDefaults } from '../../dialects/upstream-dialect.ts'
import { type Fields, isCount, isObject, isSet, readExtraFields, textOf } from '../../platform/lib/untrusted-json.ts'
import type { Choice, Completion, Usage } from '../../shared/completion.ts'
import type { ChatMessage } from '../../shared/message.ts'
import { countsOf } from '../../shared/usage.ts'

const USAGE_FIELDS = ['prompt_tokens', 'completion_tokens', 'total_tokens']

/** The usage of a response: its own, in `x_groq` (Groq), or in a choice (Moonshot). */
function usageIn({ usage, x_groq: groq, choices }: Fields): unknown {
  if (isSet(usage)) return usage
  if (isObject(groq) && isSet(groq.usage)) return groq.usage
  return Array.isArray(choices) ? choices.find((choice: Fields) => isSet(choice.usage))?.usage : undefined
}

/** Returns undefined if a count is not valid (`countsOf`). Other fields of the provider are kept. */
function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const counts = countsOf(value, value.prompt_tokens, value.completion_tokens)
  const extras = readExtraFields(value, USAGE_FIELDS)
  return counts && extras && { ...counts, ...extras }
}

const TEXT_FIELDS = ['refusal', 'reasoning_content', 'reasoning'] as const
/** A message with one of these fields is complete without content. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const
/** Sound and pictures. No detector reads them, so a response that holds them is malformed. */
const UNREADABLE_FIELDS = ['audio', 'images'] as const
/** Fields that are validated one by one or set by the gateway. All other fields of the same object are extra fields of the provider. */
const RESPONSE_FIELDS = ['id', 'object', 'created', 'model', 'choices', 'usage', 'error', 'governance']
const CHOICE_FIELDS = ['index', 'message', 'finish_reason', 'logprobs', 'delta', 'usage']
const MESSAGE_FIELDS = ['role', 'content', 'tool_calls', 'function_call', ...UNREADABLE_FIELDS]
/** The bytes of an alternative token: content, token, top_logprobs, alternative, bytes. */
const LOGPROBS_DEPTH = 6
/** Unix seconds, in the year 2106. A larger number is not a time. */
const MAX_CREATED = 2 ** 32
/** Maximum number of choices, and of tool calls in a message. No request can ask for more. */
const MAX_ITEMS = 128

/** undefined: malformed (decision 0006). Extra fields of the provider are kept, and stage 10 inspects their texts. */
export function readCompletion(response: Fields, defaults: CompletionDefaults): Completion | undefined {
  if (!Array.isArray(response.choices) || response.choices.length === 0 || isSet(response.error)) return undefined
  if (response.choices.length > MAX_ITEMS) return undefined
  const choices: Choice[] = []
  for (const value of response.choices) {
    const choice = readChoice(value, choices.length, defaults)
    if (!choice || choices.some(({ index }) => index === choice.index)) return undefined
    choices.push(choice)
  }
  const reported = usageIn(response)
  const usage = isSet(reported) ? readUsage(reported) : null
  const extras = readExtraFields(response, RESPONSE_FIELDS)
  if (usage === undefined || !extras) return undefined
  return {
    ...extras,
    id: defaults.newId('chatcmpl'),
    object: 'chat.completion',
    created: isCount(response.created, MAX_CREATED) && response.created > 0 ? response.created : defaults.created(),
    model: defaults.model,
    choices,
    ...(usage && { usage }),
  }
}

function readChoice(value: unknown, position: number, defaults: CompletionDefaults): Choice | undefined {
  if (!isObject(value) || !isObject(value.message)) return undefined
  const { logprobs } = value
  const index = value.index ?? position
  const finish_reason = finishReasonOf(value.finish_reason)
  if (!isCount(index, MAX_ITEMS - 1) || finish_reason === undefined) return undefined
  const sent = Array.isArray(value.message.content) ? withTextContent(value.message) : value.message
  const message = sent && readMessage(sent, finish_reason, defaults)
  const extras = readExtraFields(value, CHOICE_FIELDS)
  if (!message || !extras) return undefined
  if (!isSet(logprobs)) return { ...extras, index, message, finish_reason, ...(logprobs === null && { logprobs }) }
  const isValid = isObject(logprobs) && isShallow(logprobs, LOGPROBS_DEPTH)
  return isValid ? { ...extras, index, message, finish_reason, logprobs } : undefined
}

function readMessage(value: Fields, finishReason: string, defaults: CompletionDefaults): ChatMessage | undefined {
  const extras = readExtraFields(value, MESSAGE_FIELDS)
  if (value.role !== 'assistant' || !extras || UNREADABLE_FIELDS.some((name) => isSet(value[name]))) return undefined
  if (TEXT_FIELDS.some((name) => isSet(value[name]) && typeof value[name] !== 'string')) return undefined
  const message: Record<string, unknown> = { role: 'assistant', content: value.content, ...extras }
  if (isSet(value.tool_calls)) {
    const calls = readToolCalls(value.tool_calls, defaults)
    if (!calls) return undefined
    if (calls.length > 0) message.tool_calls = calls
  }
  if (isSet(value.function_call)) {
    const call = readCall(value.function_call, 'arguments')
    if (!call) return undefined
    message.function_call = call
  }
  if (value.content === '' && isSet(value.refusal) && value.refusal !== '') message.content = null
  if (typeof value.content === 'string') return message as ChatMessage
  if (isSet(value.content)) return undefined
  const hasSubstitute = CONTENT_SUBSTITUTES.some((name) => isSet(message[name]))
  // A model may say nothing, but not end with a call that is missing.
  if (!hasSubstitute && CALL_REASONS.has(finishReason)) return undefined
  message.content = hasSubstitute ? null : ''
  return message as ChatMessage
}

const CONTENT_SUBSTITUTES = ['tool_calls', 'function_call', 'refusal', ...REASONING_FIELDS] as const

const CALL_REASONS: ReadonlySet<string> = new Set(['tool_calls', 'function_call'])

function readToolCalls(value: unknown, { newId }: CompletionDefaults): unknown[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_ITEMS) return undefined
  const calls: unknown[] = []
  for (const call of value as unknown[]) {
    if (!isObject(call) || (isSet(call.id) && typeof call.id !== 'string')) return undefined
    const type = call.type ?? 'function'
    const input = type === 'function' ? 'arguments' : type === 'custom' ? 'input' : undefined
    const body = input && readCall(call[type as string], input)
    const extras = readExtraFields(call, ['id', 'type', 'index', 'function', 'custom'])
    if (!body || !extras) return undefined
    calls.push({ id: textOf(call.id) || newId('call'), type, [type as string]: body, ...extras })
  }
  return calls
}

function readCall(value: unknown, input: 'arguments' | 'input'): Fields | undefined {
  if (!isObject(value) || typeof value.name !== 'string' || typeof value[input] !== 'string') return undefined
  const extras = readExtraFields(value, ['name', input])
  return extras && { name: value.name, [input]: value[input], ...extras }
}

/** Removes tool calls, for Applications without the extension `tools` (GW-CHAT-17). Every content but that of a refusal is a string. */
export const removeToolCalls = (completion: Completion): Completion => ({
  ...completion,
  choices: completion.choices.map(removeChoiceToolCalls),
})

function removeChoiceToolCalls(choice: Choice): Choice {
  const { tool_calls, function_call, ...message } = choice.message
  const hasCalls = tool_calls !== undefined || function_call !== undefined
  const isRefusal = choice.finish_reason === 'content_filter' || (isSet(message.refusal) && message.refusal !== '')
  const content = message.content ?? (isRefusal ? null : '')
  if (!hasCalls && content === message.content) return choice
  const finish_reason = CALL_REASONS.has(choice.finish_reason) ? 'stop' : choice.finish_reason
  return { ...choice, message: { ...message, content }, finish_reason }
}

/** Deep nesting would overflow the stack when the value is serialised. */
const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' || value === null || (levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1)))
