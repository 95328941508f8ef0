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
/** Texts of a message besides `content`. */
const TEXT_FIELDS = ['refusal', 'reasoning_content', 'reasoning'] as const
/** A message with one of them and without content is whole. */
const REASONING_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_details'] as const
/** Sound and pictures: no detector reads them, so an answer that holds them is not let through. */
const UNREADABLE_FIELDS = ['audio', 'images'] as const
/** What is read one by one, or is the gateway's own; everything else in its place is the provider's and goes along, read. */
const OWN_OF_ANSWER = ['id', 'object', 'created', 'model', 'choices', 'usage', 'error', 'governance']
const OWN_OF_CHOICE = ['index', 'message', 'finish_reason', 'logprobs', 'delta']
const OWN_OF_MESSAGE = ['role', 'content', 'tool_calls', 'function_call', ...UNREADABLE_FIELDS]
const OWN_OF_USAGE = ['prompt_tokens', 'completion_tokens', 'total_tokens']
/** Of the provider's own fields in one place: levels, and values in all. */
const MAX_LEVELS = 16
const MAX_VALUES = 32_768
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor'])
const LOGPROBS_DEPTH = 5
/** Unix seconds until 2106: a larger number is no time. */
const MAX_CREATED = 2 ** 32
/** Of one answer; the record of an exchange adds up two of them in 31 bits. */
const MAX_TOKENS = 1_000_000_000
/** Of choices, and of a message's tool calls: more than any request can ask for, and few enough to be read one by one. */
const MAX_ITEMS = 128

/**
 * A provider's answer as a completion; undefined unless all of it is sound: valid UTF-8 and JSON, at least one choice, each a
 * whole message of the assistant with a `finish_reason`. Fields that are the provider's own (its state in tool loops, citations,
 * details of usage) go along: the inspection of answers reads whatever stands in them (domain/completion.ts, partsOf).
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
  const others = carried(answer, OWN_OF_ANSWER)
  if (usage === undefined || !others) return undefined
  return {
    ...others,
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
  const others = carried(value, OWN_OF_CHOICE)
  if (!message || !others) return undefined
  if (!isSet(logprobs)) return { ...others, index, message, finish_reason }
  const sound = isObject(logprobs) && isShallow(logprobs, LOGPROBS_DEPTH)
  return sound ? { ...others, index, message, finish_reason, logprobs } : undefined
}

function readMessage(value: Fields, finishReason: string): ChatMessage | undefined {
  const others = carried(value, OWN_OF_MESSAGE)
  if (value.role !== 'assistant' || !others || UNREADABLE_FIELDS.some((name) => isSet(value[name]))) return undefined
  if (TEXT_FIELDS.some((name) => isSet(value[name]) && typeof value[name] !== 'string')) return undefined
  const message: Record<string, unknown> = { role: 'assistant', content: value.content, ...others }
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
  // Without content: a call of a tool, a refusal, reasoning that was cut off, or what a content filter left.
  const silent = SILENT_FIELDS.some((name) => isSet(message[name]))
  if (!silent && finishReason !== 'content_filter') return undefined
  message.content = silent ? null : ''
  return message as ChatMessage
}

const SILENT_FIELDS = ['tool_calls', 'function_call', 'refusal', ...REASONING_FIELDS] as const

/** What stands in `value` beside the fields named; undefined when it is too much, too deep, or could reach a prototype. */
function carried(value: Fields, own: readonly string[]): Fields | undefined {
  const others = Object.entries(value).filter(([name]) => !own.includes(name))
  const values = { left: MAX_VALUES }
  const sound = others.every(([name, field]) => !FORBIDDEN_KEYS.has(name) && isSound(field, MAX_LEVELS, values))
  return sound ? Object.fromEntries(others) : undefined
}

function isSound(value: unknown, levels: number, values: { left: number }): boolean {
  if (values.left-- === 0) return false
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  return Object.entries(value).every(([name, field]) => !FORBIDDEN_KEYS.has(name) && isSound(field, levels - 1, values))
}

function readToolCalls(value: unknown): unknown[] | undefined {
  if (!Array.isArray(value) || value.length > MAX_ITEMS) return undefined
  const calls: unknown[] = []
  for (const call of value as unknown[]) {
    if (!isObject(call) || typeof call.id !== 'string') return undefined
    const type = call.type ?? 'function'
    const body = type === 'function' ? readFunction(call.function) : type === 'custom' ? readCustom(call.custom) : undefined
    const others = carried(call, ['id', 'type', 'index', 'function', 'custom'])
    if (!body || !others) return undefined
    calls.push({ id: call.id, type, [type as string]: body, ...others })
  }
  return calls
}

const readFunction = (value: unknown) => readCall(value, 'arguments')
const readCustom = (value: unknown) => readCall(value, 'input')

function readCall(value: unknown, input: 'arguments' | 'input'): Fields | undefined {
  if (!isObject(value) || typeof value.name !== 'string' || typeof value[input] !== 'string') return undefined
  const others = carried(value, ['name', input])
  return others && { name: value.name, [input]: value[input], ...others }
}

/** Absent counts are 0, an absent total is the sum; anything but whole numbers that an answer can have is malformed. */
function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const prompt_tokens = value.prompt_tokens ?? 0
  const completion_tokens = value.completion_tokens ?? 0
  if (!isCount(prompt_tokens, MAX_TOKENS) || !isCount(completion_tokens, MAX_TOKENS - prompt_tokens)) return undefined
  const total_tokens = value.total_tokens ?? prompt_tokens + completion_tokens
  const others = carried(value, OWN_OF_USAGE)
  return others && isCount(total_tokens, MAX_TOKENS) ? { prompt_tokens, completion_tokens, total_tokens, ...others } : undefined
}

/** The answer for an Application without the extension `tools`: content is a string there (GW-CHAT-17), and nothing is called. */
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
