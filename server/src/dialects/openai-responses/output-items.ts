import type { Choice, Completion } from '../../domain/completion.ts'
import { type Fields, isObject } from './fields.ts'
import type { CustomCallItem, FunctionCallItem, MessageItem, OutputItem, RefusalPart, Status, TextPart } from './items.ts'
import { reasoningItems } from './reasoning-output.ts'

/** `chatcmpl-1f2e` → `1f2e` */
export const idSuffix = (id: string): string => id.replace(/^[a-z]+[-_]/, '')

/** The items of the first choice (a request cannot ask for more), and fields that no item has, by their place in the completion. */
export function outputOf({ id, choices }: Completion, isIncomplete: boolean): { output: readonly OutputItem[]; extras: Fields } {
  const [choice] = choices
  if (!choice) return { output: [], extras: {} }
  const suffix = idSuffix(id)
  const { message } = choice
  const reasoning = reasoningItems(message, suffix)
  const written = messageItem(choice, suffix)
  const calls = Array.isArray(message.tool_calls) ? (message.tool_calls as readonly Fields[]) : []
  const items = [...reasoning.items, ...(written ? [written] : []), ...calls.map((call, index) => callItem(call, suffix, index))]
  const last = items.length - 1
  // Only the last item can be cut off. Reasoning and custom calls have no status.
  const output = items.map((item, index) => {
    const status: Status = isIncomplete && index === last ? 'incomplete' : 'completed'
    return item.type === 'message' || item.type === 'function_call' ? { ...item, status } : item
  })
  return { output, extras: extrasOf(choice, reasoning.extras) }
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
function callItem(call: Fields, suffix: string, index: number): FunctionCallItem | CustomCallItem {
  const { extra_content, provider_specific_fields } = call
  const own = {
    ...(extra_content !== undefined && { extra_content }),
    ...(provider_specific_fields !== undefined && { provider_specific_fields }),
  }
  if (call.type === 'custom') {
    const { name, input } = call.custom as { name: string; input: string }
    return { id: `ctc_${suffix}_${index}`, type: 'custom_tool_call', call_id: call.id, name, input, ...own }
  }
  const { name, arguments: input } = call.function as { name: string; arguments: string }
  const id = `fc_${suffix}_${index}`
  return { id, type: 'function_call', status: 'completed', call_id: call.id, name, arguments: input, ...own }
}

/** Fields of the choice and its message that have no place in an item. */
function extrasOf(choice: Choice, reasoningExtras: Fields): Fields {
  const { index: _index, message, finish_reason: _reason, logprobs, ...ofChoice } = choice
  const { role: _role, content: _content, refusal: _refusal, tool_calls, annotations, ...others } = message
  const { reasoning: _text, reasoning_content: _other, reasoning_details: _details, ...ofMessage } = others
  const otherAnnotations = listOf(annotations).filter((item) => !isCitation(item))
  const callExtras = listOf(tool_calls).map(extrasOfCall)
  const ofLogprobs = isObject(logprobs) ? without(logprobs, ['content']) : {}
  return filled({
    choice: filled({ ...ofChoice, logprobs: filled(ofLogprobs) }),
    message: filled({
      ...ofMessage,
      ...reasoningExtras,
      annotations: otherAnnotations,
      tool_calls: callExtras.some(isNotEmpty) ? callExtras : [],
    }),
  })
}

function extrasOfCall(call: unknown): Fields {
  if (!isObject(call)) return {}
  const inner = isObject(call.function) ? call.function : isObject(call.custom) ? call.custom : {}
  const known = ['id', 'type', 'function', 'custom', 'extra_content', 'provider_specific_fields']
  return { ...without(call, known), ...without(inner, ['name', 'arguments', 'input']) }
}

const without = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
const isNotEmpty = (value: unknown): boolean => (isObject(value) ? Object.keys(value).length > 0 : isFilled(value))
/** The fields that are neither absent nor empty. */
const filled = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => isNotEmpty(value)))
