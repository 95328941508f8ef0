import { Type } from 'typebox'
import { textOf } from '../../platform/lib/untrusted-json.ts'
import type { Origin } from '../../shared/original-request.ts'
import { RefusedField, type Sources, UnknownField } from '../client-fields.ts'
import { withoutNulls } from '../field-values.ts'
import type { Position } from '../reasoning-position.ts'
import { readContent } from './content.ts'
import { anyList, anyObject, byType, type Fields, isObject, listOf, optionalText, reader, text } from './fields.ts'
import { detailsOf } from './reasoning-items.ts'
import { chatName, TOOL_SEARCH } from './tools.ts'

export interface Message {
  readonly role: string
  content?: unknown
  tool_calls?: Fields[]
  reasoning_details?: Fields[]
  [field: string]: unknown
}

/** The messages so far. Items of the assistant in a row become one message, as in a completion. */
export interface Conversation {
  readonly messages: Message[]
  readonly sources: Sources
  readonly origins: Origin[]
  /** `isLoaded`: the list is the result of a search for tools. */
  readonly tools: { readonly list: readonly unknown[]; readonly at: string; readonly isLoaded: boolean }[]
  /** Namespaces of calls, and the names of the called tools. */
  readonly namespaced: string[]
}

/** Ids and states of stored items, which a model has no use for. */
const STATE = { id: optionalText, status: optionalText }
const CALLER = { caller: Type.Optional(Type.Object({ type: Type.Literal('direct') }, { additionalProperties: false })) }
const CALL = {
  ...STATE,
  ...CALLER,
  type: text,
  call_id: text,
  name: text,
  namespace: optionalText,
  // Providers sign calls with fields of their own, which must come back (GW-COMP-4).
  extra_content: Type.Optional(Type.Unknown()),
  provider_specific_fields: Type.Optional(Type.Unknown()),
}
const readOutput = reader({ ...STATE, ...CALLER, type: text, call_id: text, name: optionalText, output: Type.Unknown() })

const ROLES = ['user', 'assistant', 'system', 'developer'] as const
const readMessage = reader({
  ...STATE,
  type: optionalText,
  role: Type.Union(ROLES.map((role) => Type.Literal(role))),
  content: Type.Unknown(),
  // Newer models mark texts between calls and final texts, and want the mark back.
  phase: optionalText,
})
const readFunctionCall = reader({ ...CALL, arguments: text })
const readCustomCall = reader({ ...CALL, input: text })
const readAdditionalTools = reader({ ...STATE, type: text, role: Type.Literal('developer'), tools: anyList })
const SEARCH = { ...STATE, type: text, call_id: text, execution: Type.Literal('client') }
const readSearchCall = reader({ ...SEARCH, arguments: anyObject })
const readSearchOutput = reader({ ...SEARCH, tools: anyList })

const ITEMS: Readonly<Record<string, (item: unknown, at: string, conversation: Conversation) => void>> = {
  message: addMessage,
  function_call: (item, at, conversation) => {
    const { call_id: id, name, namespace, arguments: input, ...others } = readFunctionCall(item, at)
    if (namespace) conversation.namespaced.push(namespace, name)
    const called = { name: chatName(name, namespace), arguments: input }
    addCall({ id, type: 'function', function: called, ...ownFields(others) }, at, conversation)
  },
  function_call_output: addOutput,
  custom_tool_call: (item, at, conversation) => {
    const { call_id: id, name, namespace, input, ...others } = readCustomCall(item, at)
    if (namespace) conversation.namespaced.push(namespace, name)
    addCall({ id, type: 'custom', custom: { name: chatName(name, namespace), input }, ...ownFields(others) }, at, conversation)
  },
  custom_tool_call_output: addOutput,
  reasoning: addReasoning,
  additional_tools: (item, at, { tools }) => {
    tools.push({ list: readAdditionalTools(item, at).tools, at: `${at}.tools`, isLoaded: false })
  },
  tool_search_call: (item, at, conversation) => {
    const { call_id: id, arguments: input } = readSearchCall(item, at)
    addCall({ id, type: 'function', function: { name: TOOL_SEARCH, arguments: JSON.stringify(input) } }, at, conversation)
  },
  tool_search_output: addSearchOutput,
}

const UNKNOWN_ITEM = `must be one of ${Object.keys(ITEMS)
  .map((name) => JSON.stringify(name))
  .join(', ')}: the gateway does not read other items`

/** `before`: number of items that `conversation` has already. */
export function addInput(input: unknown, conversation: Conversation, before = 0): void {
  if (typeof input === 'string') {
    const to = push({ role: 'user', content: input }, 'input', conversation)
    conversation.sources.set(`${to}.content`, 'input')
    noteOrigin(before, conversation)
    return
  }
  if (!Array.isArray(input)) throw new RefusedField('input', input == null ? 'is required' : 'must be string or array')
  if (input.length === 0) throw new RefusedField('input', 'must have at least one item')
  for (const [index, item] of listOf(input, 'input').entries()) {
    addItem(item, `input[${index}]`, conversation)
    noteOrigin(before + index, conversation)
  }
}

function noteOrigin(index: number, { messages, origins }: Conversation): void {
  const last = origins.at(-1)
  if (origins.length < messages.length) origins.push({ from: index, to: index })
  else if (last && last !== 'system') origins[origins.length - 1] = { from: last.from, to: index }
}

/** The messages of stored items, which the client cannot name one by one. */
export function addHistory(items: readonly Fields[], conversation: Conversation): void {
  for (const [index, item] of items.entries()) {
    addItem(item, 'previous_response_id', conversation)
    noteOrigin(index, conversation)
  }
}

function addItem(item: unknown, at: string, conversation: Conversation): void {
  const fields = isObject(item) ? withoutNulls(item) : item
  const isShort = isObject(fields) && fields.type === undefined && fields.role !== undefined
  const typed = isShort ? { ...fields, type: 'message' } : fields
  if (isObject(typed) && typed.type === 'item_reference') {
    throw new RefusedField(`${at}.type`, 'must not be "item_reference": the gateway stores no items; send the item itself')
  }
  const type = isObject(typed) ? typed.type : undefined
  if (typeof type === 'string' && !Object.hasOwn(ITEMS, type)) throw new UnknownField(at, UNKNOWN_ITEM, NO_ITEM)
  byType(ITEMS, typed, at, 'the gateway does not read other items')(typed, at, conversation)
}

const NO_ITEM = { type: 'reasoning', summary: [] }

/** Returns its path in the chat. */
function push(message: Message, at: string, { messages, sources }: Conversation): string {
  const to = `messages[${messages.length}]`
  sources.set(to, at)
  messages.push(message)
  return to
}

function lastOfAssistant({ messages }: Conversation): Message | undefined {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? last : undefined
}

const pathOfLast = ({ messages }: Conversation): string => `messages[${messages.length - 1}]`

function addMessage(item: unknown, at: string, conversation: Conversation): void {
  const { role, content, phase } = readMessage(item, at)
  const open = role === 'assistant' ? lastOfAssistant(conversation) : undefined
  const isNew = open === undefined || 'content' in open
  const to = isNew ? push({ role }, at, conversation) : pathOfLast(conversation)
  if (phase !== undefined) {
    if (role !== 'assistant') throw new RefusedField(`${at}.phase`, 'must be on a message of the assistant')
    Object.assign(conversation.messages.at(-1) ?? {}, { phase })
    conversation.sources.set(`${to}.phase`, `${at}.phase`)
  }
  conversation.sources.set(`${to}.content`, `${at}.content`)
  Object.assign(conversation.messages.at(-1) ?? {}, readContent(content, `${at}.content`, to, conversation.sources))
}

function addCall(call: Fields, at: string, conversation: Conversation): void {
  const to = lastOfAssistant(conversation) ? pathOfLast(conversation) : push({ role: 'assistant' }, at, conversation)
  const message = conversation.messages.at(-1)
  if (!message) return
  message.tool_calls ??= []
  const path = `${to}.tool_calls[${message.tool_calls.length}]`
  const { sources } = conversation
  if (message.tool_calls.length === 0) sources.set(`${to}.tool_calls`, `${at}.type`)
  for (const place of [path, `${path}.function`, `${path}.custom`]) sources.set(place, at)
  sources.set(`${path}.id`, `${at}.call_id`)
  message.tool_calls.push(call)
}

const ownFields = ({ extra_content, provider_specific_fields }: Fields): Fields =>
  withoutNulls({ extra_content, provider_specific_fields })

function addOutput(item: unknown, at: string, conversation: Conversation): void {
  const { call_id, name, output } = readOutput(item, at)
  const message: Message = { role: 'tool', tool_call_id: call_id, ...(name !== undefined && { name }) }
  const to = push(message, at, conversation)
  const { sources } = conversation
  sources.set(`${to}.role`, `${at}.type`)
  sources.set(`${to}.tool_call_id`, `${at}.call_id`)
  sources.set(`${to}.content`, `${at}.output`)
  Object.assign(message, readContent(output, `${at}.output`, to, sources))
}

/** The tools that a search has found are tools of the request from then on; the model reads their names as the result. */
function addSearchOutput(item: unknown, at: string, conversation: Conversation): void {
  const { call_id, tools: list } = readSearchOutput(item, at)
  conversation.tools.push({ list, at: `${at}.tools`, isLoaded: true })
  const content = JSON.stringify({ tools: list.flatMap(namesOfFound) })
  const to = push({ role: 'tool', tool_call_id: call_id, content }, at, conversation)
  conversation.sources.set(`${to}.tool_call_id`, `${at}.call_id`)
}

function namesOfFound(tool: unknown): readonly unknown[] {
  if (!isObject(tool)) return []
  if (!Array.isArray(tool.tools)) return [tool.name]
  return tool.tools.map((inner: unknown) => isObject(inner) && chatName(textOf(inner.name), tool.name))
}

const positionIn = ({ content, tool_calls: calls = [] }: Message): Position => ({
  characters: typeof content === 'string' ? content.length : 0,
  calls: calls.length,
})

/** Reasoning belongs to the content or the calls that follow it. Calls stay in one message, because their results follow together. */
function addReasoning(item: unknown, at: string, conversation: Conversation): void {
  const last = lastOfAssistant(conversation)
  const isOpen = last !== undefined && (!('content' in last) || 'tool_calls' in last)
  const details = detailsOf(item, at, isOpen ? positionIn(last) : { characters: 0, calls: 0 })
  if (details.length === 0) return
  const to = isOpen ? pathOfLast(conversation) : push({ role: 'assistant' }, at, conversation)
  const message = conversation.messages.at(-1)
  if (!message) return
  message.reasoning_details ??= []
  for (const detail of details) message.reasoning_details.push(detail)
  conversation.sources.set(`${to}.reasoning_details`, at)
}
