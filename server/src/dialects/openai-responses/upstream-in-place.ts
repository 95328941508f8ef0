import { isDeepStrictEqual } from 'node:util'
import { type Fields, isObject, parseJsonObject, textOf } from '../../platform/lib/untrusted-json.ts'
import { parseFree } from '../../shared/free-json.ts'
import type { OriginalRequest } from '../../shared/original-request.ts'
import { mergeChanges } from '../merge-changes.ts'
import { segmentsOf } from '../segments.ts'
import type { UpstreamRequest } from '../upstream-dialect.ts'
import { withChangedTools } from './tools-in-place.ts'
import { encodeMessages, type Item, readableReasoning } from './upstream-input.ts'
import { ENCRYPTED_REASONING, encodeParameters, showsReasoning } from './upstream-parameters.ts'
import { encodeTools } from './upstream-tools.ts'

/** As the client wrote it, with the changes of policies and without what no detector reads and no model needs (GW-RESP-9). */
export function editBody(request: UpstreamRequest, original: OriginalRequest): Fields {
  const { governance: _, client_metadata: _metadata, stream_options: _options, ...body } = original.body
  const edited = editParameters(body, request.parameters, original.parameters)
  return {
    ...edited,
    model: request.model,
    ...editInstructions(request, original),
    ...includeReasoning(body),
    input: withAddedItems(editInput(request, { ...original, body: edited }), request),
  }
}

/** The provider stores nothing, so a response that may be continued here must contain the whole state of its reasoning. */
function includeReasoning({ store, reasoning, include, input }: Fields): Fields {
  const included: readonly unknown[] = Array.isArray(include) ? include : []
  const items: readonly unknown[] = Array.isArray(input) ? input : []
  if (store === false || included.includes(ENCRYPTED_REASONING) || !showsReasoning(reasoning, items)) return {}
  return { include: [...included, ENCRYPTED_REASONING] }
}

/** Changed parameters are translated back, before and after the change, and the differences are written into the client's fields. */
function editParameters(body: Fields, parameters: Fields, before: Fields): Fields {
  if (areUnchanged(parameters, before)) return body
  const [from, to] = [before, parameters].map((fields) => ({ ...encodeParameters(fields), ...encodeTools(fields) }) as Fields)
  const { tools = [], ...others } = from ?? {}
  const { tools: changedTools = [], ...changed } = to ?? {}
  const names = Object.keys({ ...others, ...changed }).filter((name) => !isDeepStrictEqual(others[name], changed[name]))
  const edited = names.map((name) => [name, name in body ? mergeChanges(body[name], others[name], changed[name]) : changed[name]])
  const withOthers = { ...body, ...Object.fromEntries(edited) }
  if (isDeepStrictEqual(tools, changedTools)) return withOthers
  return withChangedTools(withOthers, tools as readonly Fields[], changedTools as readonly Fields[])
}

export const isUnchanged = ({ messages, parameters }: UpstreamRequest, original: OriginalRequest): boolean =>
  areUnchanged(parameters, original.parameters) &&
  messages.length === original.messages.length &&
  messages.every((message, index) => message === original.messages[index])

const areUnchanged = (parameters: Fields, before: Fields): boolean =>
  parameters === before || Object.keys({ ...parameters, ...before }).every((name) => parameters[name] === before[name])

function editInstructions({ messages }: UpstreamRequest, { body, origins, messages: before }: OriginalRequest): Fields {
  const at = origins.indexOf('system')
  if (at < 0 || messages[at] === before[at]) return {}
  return { instructions: mergeChanges(body.instructions, before[at]?.content, messages[at]?.content) }
}

/** Items with the changes of policies; a text that was the whole input stays one. */
function editInput({ messages }: UpstreamRequest, original: OriginalRequest): string | readonly unknown[] {
  const { input } = original.body
  const items: readonly unknown[] = typeof input === 'string' ? [{ role: 'user', content: input }] : (input as readonly unknown[])
  const segments = segmentsOf(original, messages, items)
  const isChanged = segments.some((segment) => segment.isChanged)
  const [before, after] = isChanged ? [encodeMessages(original.messages), encodeMessages(messages)] : []
  if (segments.length === 0) return items.flatMap(withoutState)
  const edited = segments.flatMap((segment) => {
    const own = segment.items.flatMap(withoutState)
    if (!segment.isChanged || !before || !after) return own
    const { from, to } = segment.messages
    // Items with tools alone have no translation among the messages.
    const [tools, others] = [own.filter(hasTools), own.filter((item) => !hasTools(item))]
    return [...tools, ...mergeItems(others, before.slice(from, to).flat(), after.slice(from, to).flat())]
  })
  const [only] = edited
  return typeof input === 'string' && edited.length === 1 && isObject(only) ? textOf(only.content) : edited
}

const hasTools = (item: unknown): boolean => isObject(item) && item.type === 'additional_tools'

/** Without the state of a store and log probabilities: no detector reads them. None for reasoning that the provider cannot read. */
function withoutState(written: unknown): readonly unknown[] {
  if (!isObject(written)) return [written]
  const { status: _, ...item } = written
  if (item.type === 'reasoning') return readableReasoning(item)
  const { id: _id, ...kept } = item
  return [Array.isArray(kept.content) ? { ...kept, content: kept.content.map(withoutLogprobs) } : kept]
}

function withoutLogprobs(part: unknown): unknown {
  if (!isObject(part) || !('logprobs' in part)) return part
  const { logprobs: _, ...kept } = part
  return kept
}

/** Items that cannot be told from each other any longer are replaced by their translations. */
function mergeItems(written: readonly unknown[], before: readonly Item[], after: readonly Item[]): readonly unknown[] {
  if (isDeepStrictEqual(before, after)) return written
  const isAligned = written.length === before.length && before.length === after.length
  if (!isAligned || !written.every((item, index) => isSameKind(item, before[index]))) return after
  return written.map((item, index) => mergeItem(item as Fields, before[index] ?? {}, after[index] ?? {}))
}

/** In the chat form, a search for tools is a call of a function, and its result that of a call. */
const SEARCH_TYPES: ReadonlyMap<unknown, unknown> = new Map([
  ['tool_search_call', 'function_call'],
  ['tool_search_output', 'function_call_output'],
])

function isSameKind(written: unknown, item: Item | undefined): boolean {
  if (!isObject(written)) return false
  const { type = 'message' } = written
  return (SEARCH_TYPES.get(type) ?? type) === item?.type
}

function mergeItem(written: Fields, before: Fields, after: Fields): unknown {
  // Its tools were changed with those of the request, and `textsAgree` compares the rest.
  if (written.type === 'tool_search_output') return written
  if (written.type === 'tool_search_call') {
    return { ...written, arguments: mergeChanges(written.arguments, parsed(before.arguments), parsed(after.arguments)) }
  }
  const name = 'output' in before ? 'output' : 'content'
  if (!(name in before)) return mergeChanges(written, before, after)
  const content = mergeContent(written[name], before[name], after[name])
  return mergeChanges({ ...written, [name]: content }, { ...before, [name]: content }, { ...after, [name]: content })
}

const parsed = (json: unknown): unknown => parseJsonObject(Buffer.from(textOf(json)), parseFree)

/** A single text part is a text in the chat form. */
function mergeContent(written: unknown, before: unknown, after: unknown): unknown {
  if (isDeepStrictEqual(before, after)) return written
  if (!Array.isArray(written)) return mergeChanges(written, before, textIfOnly(before, after))
  const [part] = written
  if (written.length === 1 && typeof before === 'string' && typeof after === 'string' && isObject(part)) {
    return [{ ...part, text: mergeChanges(part.text, before, after) }]
  }
  return mergeChanges(written, before, after)
}

/** The only text of `after` if `before` is its translation from a text. */
function textIfOnly(before: unknown, after: unknown): unknown {
  if (typeof before === 'string' || !Array.isArray(after) || after.length !== 1) return after
  const [part]: unknown[] = after
  return isObject(part) && typeof part.text === 'string' ? part.text : after
}

/** Texts of policies come first; the context is the end of the last message that a user wrote: see added-texts.ts. */
function withAddedItems(input: string | readonly unknown[], { added }: UpstreamRequest): string | readonly unknown[] {
  if (!added) return input
  const { systemTexts, context } = added
  const items = context === '' ? input : withContext(input, context)
  if (systemTexts.length === 0) return items
  const first = systemTexts.map((content) => ({ type: 'message', role: 'system', content }))
  return [...first, ...(typeof items === 'string' ? [{ type: 'message', role: 'user', content: items }] : items)]
}

function withContext(input: string | readonly unknown[], context: string): string | readonly unknown[] {
  if (typeof input === 'string') return `${input}\n\n${context}`
  const at = input.findLastIndex((item) => isObject(item) && item.role === 'user')
  if (at < 0) return [...input, { type: 'message', role: 'user', content: context }]
  return input.map((item, index) =>
    index === at && isObject(item) ? { ...item, content: appended(item.content, context) } : item,
  )
}

const appended = (content: unknown, context: string): unknown =>
  Array.isArray(content) ? [...content, { type: 'input_text', text: context }] : `${textOf(content)}\n\n${context}`
