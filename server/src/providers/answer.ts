import { isUtf8 } from 'node:buffer'
import type { Choice, Completion, Usage } from '../domain/completion.ts'
import type { ChatMessage } from '../domain/message.ts'

/** What stands in place of what the provider says, or said unusably. */
interface AnswerDefaults {
  /** The model the caller asked for: shown whatever the provider calls it. */
  readonly model: string
  /** The provider's own id is a word that nobody inspects. */
  readonly newId: () => string
  /** Unix seconds. */
  readonly created: () => number
}

type Fields = Readonly<Record<string, unknown>>

const FINISH_REASON = /^\w{1,64}$/
/** The API's own. Any other word is the provider's: it leaves, and is recorded, as `stop`. */
const FINISH_REASONS: ReadonlySet<string> = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])
/** Texts of a message besides `content` that policies look at and clients know. Any other field stays behind. */
const TEXT_FIELDS = ['refusal', 'reasoning_content', 'reasoning'] as const
const LOGPROBS_DEPTH = 5
/** Unix seconds until 2106: a larger number is no time. */
const MAX_CREATED = 2 ** 32
/** Of one answer; the record of an exchange adds up two of them in 31 bits. */
const MAX_TOKENS = 1_000_000_000
/** Of choices, and of a message's tool calls: more than any request can ask for, and few enough to be read one by one. */
const MAX_ITEMS = 128

/**
 * A provider's answer as a completion; undefined unless all of it is sound: valid UTF-8 and JSON, at least one choice, each a
 * whole message of the assistant with a `finish_reason`. The completion is built anew from known fields, so that nothing
 * leaves that the inspection of answers does not know.
 */
export function readCompletion(body: Buffer, defaults: AnswerDefaults): Completion | undefined {
  const answer = parse(body)
  if (!answer || !Array.isArray(answer.choices) || answer.choices.length === 0 || isSet(answer.error)) return undefined
  if (answer.choices.length > MAX_ITEMS) return undefined
  const choices: Choice[] = []
  for (const value of answer.choices) {
    const choice = readChoice(value, choices.length)
    if (!choice || choices.some(({ index }) => index === choice.index)) return undefined
    choices.push(choice)
  }
  const usage = isSet(answer.usage) ? readUsage(answer.usage) : null
  if (usage === undefined) return undefined
  return {
    id: defaults.newId(),
    object: 'chat.completion',
    created: isCount(answer.created, MAX_CREATED) && answer.created > 0 ? answer.created : defaults.created(),
    model: defaults.model,
    choices,
    ...(usage && { usage }),
  }
}

function parse(body: Buffer): Fields | undefined {
  if (!isUtf8(body)) return undefined
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function readChoice(value: unknown, position: number): Choice | undefined {
  if (!isObject(value) || !isObject(value.message)) return undefined
  const { finish_reason: finished, logprobs } = value
  const index = value.index ?? position
  if (!isCount(index, MAX_ITEMS - 1) || typeof finished !== 'string' || !FINISH_REASON.test(finished)) return undefined
  if (finished === 'error') return undefined // OpenRouter's way to report a failure with status 200
  const finish_reason = FINISH_REASONS.has(finished) ? finished : 'stop'
  const message = readMessage(value.message, finish_reason)
  if (!message) return undefined
  if (!isSet(logprobs)) return { index, message, finish_reason }
  return isObject(logprobs) && isShallow(logprobs, LOGPROBS_DEPTH) ? { index, message, finish_reason, logprobs } : undefined
}

function readMessage(value: Fields, finishReason: string): ChatMessage | undefined {
  if (value.role !== 'assistant') return undefined
  const message: Record<string, unknown> = { role: 'assistant', content: value.content }
  for (const name of TEXT_FIELDS) {
    const text = value[name]
    if (!isSet(text)) continue
    if (typeof text !== 'string') return undefined
    message[name] = text
  }
  if (isSet(value.tool_calls)) {
    const calls = readToolCalls(value.tool_calls)
    if (!calls) return undefined
    if (calls.length > 0) message.tool_calls = calls
  }
  if (isSet(value.function_call)) {
    const call = readFunction(value.function_call)
    if (!call) return undefined
    message.function_call = call
  }
  if (typeof value.content === 'string') return message as ChatMessage
  if (isSet(value.content)) return undefined
  // Without content: a call of a tool, a refusal, or what a content filter left.
  const silent = 'tool_calls' in message || 'function_call' in message || 'refusal' in message
  if (!silent && finishReason !== 'content_filter') return undefined
  message.content = silent ? null : ''
  return message as ChatMessage
}

function readToolCalls(value: unknown): unknown[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_ITEMS) return undefined
  const calls: unknown[] = []
  for (const call of value as unknown[]) {
    if (!isObject(call) || typeof call.id !== 'string') return undefined
    const type = call.type ?? 'function'
    const body = type === 'function' ? readFunction(call.function) : type === 'custom' ? readCustom(call.custom) : undefined
    if (!body) return undefined
    calls.push({ id: call.id, type, [type as string]: body })
  }
  return calls
}

const readFunction = (value: unknown) =>
  isObject(value) && typeof value.name === 'string' && typeof value.arguments === 'string'
    ? { name: value.name, arguments: value.arguments }
    : undefined

const readCustom = (value: unknown) =>
  isObject(value) && typeof value.name === 'string' && typeof value.input === 'string'
    ? { name: value.name, input: value.input }
    : undefined

/** Absent counts are 0, an absent total is the sum; anything but whole numbers that an answer can have is malformed. */
function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const prompt_tokens = value.prompt_tokens ?? 0
  const completion_tokens = value.completion_tokens ?? 0
  if (!isCount(prompt_tokens, MAX_TOKENS) || !isCount(completion_tokens, MAX_TOKENS - prompt_tokens)) return undefined
  const total_tokens = value.total_tokens ?? prompt_tokens + completion_tokens
  return isCount(total_tokens, MAX_TOKENS) ? { prompt_tokens, completion_tokens, total_tokens } : undefined
}

/** The answer for an Application without the extension `tools`: content is a string there (gateway-api.md), and nothing is called. */
export const withoutTools = (completion: Completion): Completion => ({ ...completion, choices: completion.choices.map(spoken) })

function spoken(choice: Choice): Choice {
  const { tool_calls, function_call, ...message } = choice.message
  const called = tool_calls !== undefined || function_call !== undefined
  if (!called && typeof message.content === 'string') return choice
  const isCall = choice.finish_reason === 'tool_calls' || choice.finish_reason === 'function_call'
  return {
    ...choice,
    message: { ...message, content: message.content ?? '' },
    finish_reason: isCall ? 'stop' : choice.finish_reason,
  }
}

const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const isSet = (value: unknown): boolean => value !== undefined && value !== null
const isCount = (value: unknown, most: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most

/** Deep nesting would overflow the stack of whoever serialises it again. */
const isShallow = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' || value === null || (levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1)))
