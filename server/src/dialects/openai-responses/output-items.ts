import { parseJsonObject, readExtraFields } from '../../platform/lib/untrusted-json.ts'
import type { Choice, Completion } from '../../shared/completion.ts'
import { parseFree } from '../../shared/free-json.ts'
import { ownFieldsOfCalls, without } from '../field-values.ts'
import { type Fields, isObject } from './fields.ts'
import type { CallItem, MessageItem, OutputItem, RefusalPart, Status, TextPart } from './items.ts'
import { reasoningItems, type Thought } from './reasoning-items.ts'
import { TOOL_SEARCH, type ToolName, type ToolNames } from './tools.ts'

/** `chatcmpl-1f2e` → `1f2e` */
export const idSuffix = (id: string): string => id.replace(/^[a-z]+[-_]/, '')

/** The items of the first choice (a request cannot ask for more), and fields that no item has, by their place in the completion. */
export function outputOf(
  { id, choices }: Completion,
  toolNames: ToolNames,
  isIncomplete: boolean,
): { output: readonly OutputItem[]; extras: Fields } {
  const [choice] = choices
  if (!choice) return { output: [], extras: {} }
  const suffix = idSuffix(id)
  const { message } = choice
  const reasoning = reasoningItems(message, suffix)
  const calls = Array.isArray(message.tool_calls) ? (message.tool_calls as readonly Fields[]) : []
  const items = inOrder(
    reasoning.items,
    messageItems(choice, suffix, reasoning.items),
    calls.map((call, index) => callItem(call, suffix, index, toolNames)),
  )
  const last = items.length - 1
  // Only the last item can be cut off. Reasoning has no status.
  const output = items.map((item, index) => {
    const status: Status = isIncomplete && index === last ? 'incomplete' : 'completed'
    return item.type === 'reasoning' ? item : { ...item, status }
  })
  return { output, extras: extrasOf(choice, reasoning.extras) }
}

interface Said {
  readonly item: MessageItem
  readonly characters: number
}

function inOrder(thoughts: readonly Thought[], said: readonly Said[], calls: readonly CallItem[]): readonly OutputItem[] {
  const items: OutputItem[] = []
  let [spoken, called] = [0, 0]
  for (const { item, ...before } of thoughts) {
    while (before.characters > (said[spoken]?.characters ?? Number.POSITIVE_INFINITY)) items.push(...itemsAt(said, spoken++))
    items.push(...calls.slice(called, before.calls), item)
    called = Math.max(called, before.calls)
  }
  return [...items, ...said.slice(spoken).map(({ item }) => item), ...calls.slice(called)]
}

const itemsAt = (said: readonly Said[], index: number): readonly MessageItem[] =>
  said.slice(index, index + 1).map(({ item }) => item)

/** The message as items: one, or one for each piece of a text with reasoning in it. Data about parts of the text keeps it whole. */
function messageItems(choice: Choice, suffix: string, thoughts: readonly Thought[]): readonly Said[] {
  const { content, annotations, phase } = choice.message
  const whole = messageItem(choice, suffix)
  if (!whole) return []
  const marked: MessageItem = { ...whole, ...(typeof phase === 'string' && { phase }) }
  const text = typeof content === 'string' ? content : ''
  const isWhole = isFilled(annotations) || isObject(choice.logprobs)
  const cuts = thoughts.map(({ characters }) => characters).filter((cut) => cut > 0 && cut < text.length)
  if (isWhole || cuts.length === 0) return [{ item: marked, characters: 0 }]
  const starts = [0, ...new Set(cuts.toSorted((a, b) => a - b))]
  return starts.map((start, index) => {
    const piece: TextPart = { type: 'output_text', text: text.slice(start, starts[index + 1]), annotations: [], logprobs: [] }
    const others = index === starts.length - 1 ? marked.content.slice(1) : []
    const id = index === 0 ? marked.id : `${marked.id}_${index}`
    return { characters: start, item: { ...marked, id, content: [piece, ...others] } }
  })
}

function messageItem(choice: Choice, suffix: string): MessageItem | undefined {
  const { content, refusal, tool_calls, reasoning, reasoning_content, reasoning_details } = choice.message
  const hasRefusal = typeof refusal === 'string' && refusal !== ''
  const hasOthers = hasRefusal || [tool_calls, reasoning, reasoning_content, reasoning_details].some(isFilled)
  const text = typeof content === 'string' ? content : ''
  if (text === '' && hasOthers && !hasRefusal) return undefined
  const parts: (TextPart | RefusalPart)[] = []
  if (text !== '' || !hasRefusal) parts.push(textPart(text, choice))
  if (hasRefusal) parts.push({ type: 'refusal', refusal })
  return { id: `msg_${suffix}`, type: 'message', role: 'assistant', status: 'completed', content: parts }
}

const isFilled = (value: unknown): boolean => value != null && value !== '' && !(Array.isArray(value) && value.length === 0)

function textPart(text: string, { message, logprobs }: Choice): TextPart {
  const list = isObject(logprobs) && Array.isArray(logprobs.content) ? (logprobs.content as readonly unknown[]) : []
  const annotations = listOf(message.annotations).filter(isCitation)
  return {
    type: 'output_text',
    text,
    annotations: annotations.map(({ type, url_citation }) => ({ type, ...(url_citation as Fields) })),
    logprobs: list,
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const isCitation = (value: unknown): value is Fields =>
  isObject(value) && value.type === 'url_citation' && isObject(value.url_citation)

/** A call keeps the provider's id: its result refers to it. */
function callItem(call: Fields, suffix: string, index: number, toolNames: ToolNames): CallItem {
  const { id: call_id, extra_content, provider_specific_fields } = call
  const own = {
    ...(extra_content !== undefined && { extra_content }),
    ...(provider_specific_fields !== undefined && { provider_specific_fields }),
  }
  const status = 'completed'
  if (call.type === 'custom') {
    const { name, input } = call.custom as { name: string; input: string }
    const id = `ctc_${suffix}_${index}`
    return { id, type: 'custom_tool_call', status, call_id, ...namesOf(name, toolNames), input, ...own }
  }
  const { name, arguments: input } = call.function as { name: string; arguments: string }
  const query = toolNames.get(name) === TOOL_SEARCH ? parseJsonObject(Buffer.from(input), parseFree) : undefined
  // Deep nesting would overflow the stack when the response is serialised.
  const search = query && readExtraFields(query, [])
  if (search) {
    const id = `tsc_${suffix}_${index}`
    return { id, type: 'tool_search_call', status, call_id, execution: 'client', arguments: search, ...own }
  }
  const id = `fc_${suffix}_${index}`
  return { id, type: 'function_call', status, call_id, ...namesOf(name, toolNames), arguments: input, ...own }
}

function namesOf(name: string, toolNames: ToolNames): Exclude<ToolName, string> | { readonly name: string } {
  const own = toolNames.get(name)
  return own === undefined || own === TOOL_SEARCH ? { name } : own
}

function extrasOf(choice: Choice, reasoningExtras: Fields): Fields {
  const { index: _index, message, finish_reason: _reason, logprobs, ...ofChoice } = choice
  const { role: _role, content: _content, refusal: _refusal, tool_calls, annotations, ...others } = message
  const { reasoning: _text, reasoning_content: _other, reasoning_details: _details, phase: _phase, ...ofMessage } = others
  const otherAnnotations = listOf(annotations).filter((item) => !isCitation(item))
  const ofLogprobs = isObject(logprobs) ? without(logprobs, ['content']) : {}
  return filled({
    choice: filled({ ...ofChoice, logprobs: filled(ofLogprobs) }),
    message: filled({
      ...ofMessage,
      ...reasoningExtras,
      annotations: otherAnnotations,
      tool_calls: ownFieldsOfCalls(tool_calls),
    }),
  })
}

const isNotEmpty = (value: unknown): boolean => (isObject(value) ? Object.keys(value).length > 0 : isFilled(value))
const filled = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => isNotEmpty(value)))
