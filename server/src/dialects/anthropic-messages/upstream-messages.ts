import { keepNumbers } from '../../platform/lib/json-numbers.ts'
import { type Fields, isObject, parseJsonObject, readExtraFields, textOf } from '../../platform/lib/untrusted-json.ts'
import type { ChatMessage } from '../../shared/message.ts'
import { isEmpty } from '../field-values.ts'
import { allowOnly, UntranslatableField } from '../untranslatable.ts'
import { cacheControl, contentBlocks, textBlocks } from './upstream-content.ts'
import { thinkingBlocks } from './upstream-reasoning.ts'

export interface AnthropicMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Fields[]
}

const isSystem = ({ role }: ChatMessage): boolean => role === 'system' || role === 'developer'

/** System messages at the start become `system`. Later messages of one role become one, with its tool results first, as the API requires. */
export function encodeMessages(messages: readonly ChatMessage[]) {
  const first = messages.findIndex((message) => !isSystem(message))
  const count = first < 0 ? messages.length : first
  const callNames = namesOfCalls(messages)
  const turns: { role: 'user' | 'assistant'; results: Fields[]; others: Fields[] }[] = []
  for (const [offset, message] of messages.slice(count).entries()) {
    const at = `messages[${count + offset}]`
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const blocks = blocksOf(message, at, callNames)
    if (blocks.length === 0) continue
    if (turns.at(-1)?.role !== role) turns.push({ role, results: [], others: [] })
    const turn = turns.at(-1)?.[message.role === 'tool' ? 'results' : 'others']
    for (const block of blocks) turn?.push(block)
  }
  if (turns.length === 0) throw new UntranslatableField('messages', 'invalid_messages')
  return {
    system: messages.slice(0, count).flatMap((message, index) => systemBlocks(message, `messages[${index}]`)),
    messages: turns.map(({ role, results, others }): AnthropicMessage => ({ role, content: [...results, ...others] })),
  }
}

const ASSISTANT_FIELDS = [
  ...['role', 'content', 'refusal', 'tool_calls'],
  // Without signatures, reasoning cannot be sent (upstream-reasoning.ts).
  ...['reasoning_content', 'reasoning', 'reasoning_details'],
  // A mark of the Responses API that only its models read.
  'phase',
]

function systemBlocks(message: ChatMessage, at: string): readonly Fields[] {
  allowOnly(message, ['role', 'content'], at)
  return contentBlocks(message.content, `${at}.content`, 'text')
}

function blocksOf(message: ChatMessage, at: string, callNames: ReadonlyMap<string, string>): readonly Fields[] {
  switch (message.role) {
    case 'assistant':
      return assistantBlocks(message, at)
    case 'tool':
      return [resultBlock(message, at, callNames)]
    case 'user':
      allowOnly(message, ['role', 'content'], at)
      return contentBlocks(message.content, `${at}.content`, 'text and files')
    default:
      return laterSystemBlocks(message, at)
  }
}

/** A system message after the start keeps its place as a marked text of the user: not all models accept system messages there. */
const laterSystemBlocks = (message: ChatMessage, at: string): readonly Fields[] =>
  systemBlocks(message, at).map((block) => ({ ...block, text: `<system>\n${block.text}\n</system>` }))

function assistantBlocks(message: ChatMessage, at: string): readonly Fields[] {
  allowOnly(message, ASSISTANT_FIELDS, at)
  const { content, refusal, tool_calls: toolCalls } = message
  const calls = (Array.isArray(toolCalls) ? toolCalls : []).map((call, index) => callBlock(call, `${at}.tool_calls[${index}]`))
  const blocks: Fields[] = []
  let text = typeof content === 'string' ? content : ''
  const before = { characters: 0, calls: 0 }
  for (const { block, characters, calls: count } of thinkingBlocks(message.reasoning_details)) {
    const length = Math.max(0, characters - before.characters)
    blocks.push(...textBlocks(text.slice(0, length)), ...calls.slice(before.calls, count), block)
    text = text.slice(length)
    before.characters += length
    before.calls = Math.max(before.calls, count)
  }
  const parts = Array.isArray(content) ? contentBlocks(content, `${at}.content`, 'text') : []
  const refusals = typeof refusal === 'string' ? textBlocks(refusal) : []
  return [...blocks, ...textBlocks(text), ...parts, ...refusals, ...calls.slice(before.calls)]
}

function callBlock(call: unknown, at: string): Fields {
  if (!isObject(call) || (call.type ?? 'function') !== 'function' || !isObject(call.function)) {
    throw new UntranslatableField(`${at}.type`, 'invalid_messages')
  }
  allowOnly(call, ['id', 'type', 'index', 'function'], at)
  allowOnly(call.function, ['name', 'arguments'], `${at}.function`)
  const { name, arguments: text } = call.function
  return { type: 'tool_use', id: toolUseId(call.id), name, input: readArguments(text, `${at}.function.arguments`) }
}

/** A model that calls a tool without arguments may have written an empty text. */
function readArguments(text: unknown, at: string): Fields {
  if (isEmpty(text)) return {}
  const written = textOf(text)
  const value = parseJsonObject(Buffer.from(written))
  // Deep nesting would overflow the stack.
  if (value && readExtraFields(value, [])) return keepNumbers(written, value).written as Fields
  throw new UntranslatableField(at, 'invalid_messages')
}

function resultBlock(message: ChatMessage, at: string, callNames: ReadonlyMap<string, string>): Fields {
  allowOnly(message, ['role', 'content', 'name', 'tool_call_id', 'cache_control'], at)
  const { content, name, tool_call_id: id } = message
  // The name repeats that of the call.
  if (!isEmpty(name) && callNames.get(textOf(id)) !== name) throw new UntranslatableField(`${at}.name`)
  const blocks = contentBlocks(content, `${at}.content`, 'text and files')
  return {
    type: 'tool_result',
    tool_use_id: toolUseId(id),
    ...(blocks.length > 0 && { content: typeof content === 'string' ? content : blocks }),
    ...cacheControl(message),
  }
}

/** The API accepts only these ids. Others are encoded, so that calls of other providers in the history stay paired with their results. */
const toolUseId = (id: unknown): string => {
  const text = textOf(id)
  return /^[\w-]{1,200}$/.test(text) ? text : `hex-${Buffer.from(text).toString('hex')}`
}

function namesOfCalls(messages: readonly ChatMessage[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { tool_calls: calls } of messages) {
    for (const call of Array.isArray(calls) ? (calls as unknown[]) : []) {
      if (isObject(call) && isObject(call.function)) names.set(textOf(call.id), textOf(call.function.name))
    }
  }
  return names
}
