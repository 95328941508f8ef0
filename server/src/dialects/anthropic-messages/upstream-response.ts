import {
  type Fields,
  isCount,
  isObject,
  isSet,
  parseJsonObject,
  readExtraFields,
  textOf,
} from '../../platform/lib/untrusted-json.ts'
import type { Completion, Usage } from '../../shared/completion.ts'
import type { ChatMessage } from '../../shared/message.ts'
import { hasOnly, withoutNulls } from '../field-values.ts'
import { finishReasonOf } from '../finish-reason.ts'
import { words } from '../known-fields.ts'
import type { CompletionDefaults } from '../upstream-dialect.ts'
import { detailOf } from './upstream-reasoning.ts'

/** The last ones are fields of a completion that the gateway sets. */
const MESSAGE_FIELDS = words(
  'id type role model content stop_reason stop_sequence stop_details usage object created choices governance',
)
const FORBIDDEN_FIELDS = ['error', 'container'] as const
/** `cache_creation`, with the lifetimes of cache writes, is kept as it is. */
const USAGE_FIELDS = words(
  `input_tokens output_tokens cache_read_input_tokens cache_creation_input_tokens output_tokens_details
   prompt_tokens completion_tokens total_tokens prompt_tokens_details completion_tokens_details`,
)
const MAX_BLOCKS = 256
const MAX_TOKENS = 1_000_000_000

/** Undefined: malformed, also by blocks of an unknown type, which would reach the client unread or not at all. */
export function readMessage(value: Fields, defaults: CompletionDefaults): Completion | undefined {
  if (value.type !== 'message' || value.role !== 'assistant' || !Array.isArray(value.content)) return undefined
  if (value.content.length > MAX_BLOCKS || FORBIDDEN_FIELDS.some((name) => isSet(value[name]))) return undefined
  const finish_reason = finishReasonOf(value.stop_reason)
  const message = readBlocks(value.content, finish_reason === 'length', defaults)
  const usage = isSet(value.usage) ? readUsage(value.usage) : null
  const extras = readExtraFields(value, MESSAGE_FIELDS)
  if (finish_reason === undefined || !message || usage === undefined || !extras) return undefined
  const { stop_sequence: sequence, stop_details: details } = value
  const refusal = isObject(details) && typeof details.explanation === 'string' ? { refusal: details.explanation } : {}
  const complete = completeMessage({ ...message, ...refusal }, finish_reason)
  if (!complete) return undefined
  const stopDetails = isObject(details) ? readExtraFields(details, []) : undefined
  const choice = {
    index: 0,
    message: complete,
    finish_reason,
    ...(typeof sequence === 'string' && { stop_reason: sequence }),
    ...(stopDetails && { stop_details: stopDetails }),
  }
  return {
    ...withoutNulls(extras),
    id: defaults.newId('chatcmpl'),
    object: 'chat.completion',
    created: defaults.created(),
    model: defaults.model,
    choices: [choice],
    ...(usage && { usage }),
  }
}

interface Content {
  readonly text: string
  readonly calls: readonly Fields[]
  readonly thoughts: readonly string[]
  readonly details: readonly Fields[]
  readonly refusal?: string
}

/** `isCut`: a limit of tokens ended the message, so the input of a call may be the beginning of a JSON text. */
function readBlocks(blocks: readonly unknown[], isCut: boolean, defaults: CompletionDefaults): Content | undefined {
  let text = ''
  const calls: Fields[] = []
  const thoughts: string[] = []
  const details: Fields[] = []
  for (const block of blocks) {
    if (!isObject(block)) return undefined
    if (block.type === 'text') {
      if (typeof block.text !== 'string' || !hasOnly(block, ['type', 'text'])) return undefined
      text += block.text
    } else if (block.type === 'tool_use') {
      const call = readCall(block, isCut, defaults)
      if (!call) return undefined
      calls.push(call)
    } else if (block.type === 'thinking' || block.type === 'redacted_thinking') {
      const detail = detailOf(block, { characters: text.length, calls: calls.length })
      if (!detail || !hasOnly(block, ['type', 'thinking', 'signature', 'data'])) return undefined
      details.push(detail)
      if (typeof block.thinking === 'string' && block.thinking !== '') thoughts.push(block.thinking)
    } else return undefined
  }
  return { text, calls, thoughts, details }
}

function readCall(block: Fields, isCut: boolean, { newId }: CompletionDefaults): Fields | undefined {
  const { name, input, caller } = block
  const isDirect = !isSet(caller) || (isObject(caller) && caller.type === 'direct')
  const isNamed = typeof name === 'string' && (typeof block.id === 'string' || !isSet(block.id))
  if (!isNamed || !isDirect || !hasOnly(block, ['type', 'id', 'name', 'input', 'caller'])) return undefined
  const id = textOf(block.id) || newId('call')
  const json = typeof input === 'string' ? input : ''
  if (json !== '' && isCut) return { id, type: 'function', function: { name, arguments: json } }
  const value = json === '' ? input : parseJsonObject(Buffer.from(json))
  // Deep nesting would overflow the stack.
  if (!isObject(value) || !readExtraFields(value, [])) return undefined
  return { id, type: 'function', function: { name, arguments: json || JSON.stringify(value) } }
}

/** A model may say nothing, but not end with a call that is missing. */
function completeMessage({ text, calls, thoughts, details, refusal }: Content, finishReason: string): ChatMessage | undefined {
  const hasSubstitute = calls.length > 0 || details.length > 0 || refusal !== undefined
  if (finishReason === 'tool_calls' && calls.length === 0) return undefined
  return {
    role: 'assistant',
    content: text === '' && (hasSubstitute || finishReason === 'content_filter') ? null : text,
    ...(refusal !== undefined && { refusal }),
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join('\n\n') }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

/** The chat API includes cached tokens in the prompt tokens, and the Messages API excludes them. */
function readUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const input = value.input_tokens ?? 0
  const cached = value.cache_read_input_tokens ?? 0
  const written = value.cache_creation_input_tokens ?? 0
  const output = value.output_tokens ?? 0
  const extras = readExtraFields(value, USAGE_FIELDS)
  if (!isCount(input, MAX_TOKENS) || !isCount(cached, MAX_TOKENS) || !isCount(written, MAX_TOKENS)) return undefined
  if (!isCount(output, MAX_TOKENS) || input + cached + written + output > MAX_TOKENS || !extras) return undefined
  const details = value.output_tokens_details
  const thinking = isObject(details) ? details.thinking_tokens : undefined
  const prompt_tokens = input + cached + written
  return {
    ...withoutNulls(extras),
    prompt_tokens,
    completion_tokens: output,
    total_tokens: prompt_tokens + output,
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    ...(isCount(thinking, output) && { completion_tokens_details: { reasoning_tokens: thinking } }),
  }
}
