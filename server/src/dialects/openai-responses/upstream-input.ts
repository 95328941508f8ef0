import { type Fields, isObject, isSet, textOf } from '../../platform/lib/untrusted-json.ts'
import type { ChatMessage } from '../../shared/message.ts'
import { isEmpty } from '../field-values.ts'
import { allowOnly, UntranslatableField } from '../untranslatable.ts'
import { placedItems, RESPONSES_FORMAT, stateOf } from './reasoning-items.ts'
import { inputContent, outputParts } from './upstream-content.ts'

export interface Item extends Fields {
  readonly type: string
}

const ASSISTANT_FIELDS = [
  ...['role', 'content', 'refusal', 'tool_calls', 'annotations', 'phase'],
  // Reasoning is sent only with this provider's encrypted state (reasoningOf).
  ...['reasoning_content', 'reasoning', 'reasoning_details'],
]

/** Each message becomes items at its place, system and developer messages too: the API accepts them everywhere. */
export function encodeInput(messages: readonly ChatMessage[]): readonly Item[] {
  const items = encodeMessages(messages).flat()
  if (items.length === 0) throw new UntranslatableField('messages', 'invalid_messages')
  return items
}

export function encodeMessages(messages: readonly ChatMessage[]): readonly (readonly Item[])[] {
  const calls = callsOf(messages)
  return messages.map((message, index) => itemsOf(message, `messages[${index}]`, calls))
}

interface Call {
  readonly name: string
  readonly isCustom: boolean
}

function callsOf(messages: readonly ChatMessage[]): ReadonlyMap<string, Call> {
  const calls = new Map<string, Call>()
  for (const call of messages.flatMap(({ tool_calls: list }) => (Array.isArray(list) ? (list as unknown[]) : []))) {
    if (!isObject(call)) continue
    const isCustom = call.type === 'custom'
    const called = isCustom ? call.custom : call.function
    calls.set(textOf(call.id), { name: isObject(called) ? textOf(called.name) : '', isCustom })
  }
  return calls
}

function itemsOf(message: ChatMessage, at: string, calls: ReadonlyMap<string, Call>): readonly Item[] {
  const { role, content } = message
  if (role === 'assistant') return assistantItems(message, at)
  if (role === 'tool') return [resultItem(message, at, calls)]
  allowOnly(message, ['role', 'content'], at)
  return [{ type: 'message', role, content: inputContent(content, `${at}.content`) }]
}

function resultItem(message: ChatMessage, at: string, calls: ReadonlyMap<string, Call>): Item {
  allowOnly(message, ['role', 'content', 'name', 'tool_call_id', 'cache_control'], at)
  const { content, name, tool_call_id: call_id } = message
  const call = calls.get(textOf(call_id))
  // The name repeats that of the call.
  if (!isEmpty(name) && call?.name !== name) throw new UntranslatableField(`${at}.name`)
  const type = call?.isCustom ? 'custom_tool_call_output' : 'function_call_output'
  return { type, call_id, output: inputContent(content, `${at}.content`) }
}

function assistantItems(message: ChatMessage, at: string): readonly Item[] {
  allowOnly(message, ASSISTANT_FIELDS, at)
  const { content, tool_calls: list } = message
  const calls = (Array.isArray(list) ? list : []).map((call, index) => callItem(call, `${at}.tool_calls[${index}]`))
  const annotations = annotationsOf(message.annotations, `${at}.annotations`)
  const items: Item[] = []
  const say = (parts: readonly Fields[]) => void items.push(...messageItems(parts, message))
  let text = typeof content === 'string' ? content : ''
  const before = { characters: 0, calls: 0 }
  for (const { item, characters, calls: count } of reasoningOf(message.reasoning_details)) {
    // Annotations count from the beginning of the text, so it stays whole.
    const length = annotations.length > 0 ? 0 : Math.max(0, characters - before.characters)
    say(textParts(text.slice(0, length), []))
    items.push(...calls.slice(before.calls, count), item)
    text = text.slice(length)
    before.characters += length
    before.calls = Math.max(before.calls, count)
  }
  const parts = Array.isArray(content) ? outputParts(content, `${at}.content`) : []
  say([...textParts(text, annotations), ...parts, ...refusalParts(message.refusal)])
  // The phase has no other place than a message.
  if (isSet(message.phase) && !items.some(({ type }) => type === 'message')) say([EMPTY_TEXT])
  return [...items, ...calls.slice(before.calls)]
}

const EMPTY_TEXT = { type: 'output_text', text: '', annotations: [] }

const messageItems = (content: readonly Fields[], { phase }: ChatMessage): readonly Item[] =>
  content.length === 0 ? [] : [{ type: 'message', role: 'assistant', content, ...(isSet(phase) && { phase }) }]

const textParts = (text: string, annotations: readonly Fields[]): readonly Fields[] =>
  text === '' ? [] : [{ type: 'output_text', text, annotations }]

const refusalParts = (refusal: unknown): readonly Fields[] =>
  typeof refusal === 'string' && refusal !== '' ? [{ type: 'refusal', refusal }] : []

function annotationsOf(value: unknown, at: string): readonly Fields[] {
  if (isSet(value) && !Array.isArray(value)) throw new UntranslatableField(at, 'invalid_messages')
  return ((value as readonly unknown[] | undefined) ?? []).map((annotation, index) => {
    if (!isObject(annotation) || annotation.type !== 'url_citation' || !isObject(annotation.url_citation)) {
      throw new UntranslatableField(`${at}[${index}].type`, 'invalid_messages')
    }
    return { type: 'url_citation', ...annotation.url_citation }
  })
}

function callItem(call: unknown, at: string): Item {
  if (!isObject(call)) throw new UntranslatableField(at, 'invalid_messages')
  const { id: call_id, type = 'function', function: called, custom } = call
  allowOnly(call, ['id', 'type', 'index', String(type)], at)
  if (type === 'function' && isObject(called)) {
    allowOnly(called, ['name', 'arguments'], `${at}.function`)
    return { type: 'function_call', call_id, name: called.name, arguments: called.arguments }
  }
  if (type !== 'custom' || !isObject(custom)) throw new UntranslatableField(`${at}.type`, 'invalid_messages')
  allowOnly(custom, ['name', 'input'], `${at}.custom`)
  return { type: 'custom_tool_call', call_id, name: custom.name, input: custom.input }
}

/** The entries of this API. Some clients return encrypted state without its format. */
function reasoningOf(details: unknown) {
  const isOwn = (detail: unknown) => isObject(detail) && (detail.format ?? RESPONSES_FORMAT) === RESPONSES_FORMAT
  const placed = Array.isArray(details) ? placedItems(details.filter(isOwn)) : undefined
  return (placed ?? []).flatMap(({ item, ...place }) => readableReasoning(item).map((sent) => ({ ...place, item: sent })))
}

/** The provider accepts encrypted state, or text of a provider with this API: no summary alone, and no reasoning of other APIs. */
export function readableReasoning({ format, signature: _, ...item }: Fields): readonly Item[] {
  if ((stateOf({ ...item, format }).format ?? RESPONSES_FORMAT) !== RESPONSES_FORMAT) return []
  const isReadable = isSet(item.encrypted_content) || (isSet(item.content) && isSet(format))
  return isReadable ? [{ ...item, type: 'reasoning' }] : []
}
