import type { ChatMessage } from '../../domain/message.ts'
import type { OriginalRequest } from '../../domain/original-request.ts'
import { type Fields, isObject, textOf } from '../../lib/untrusted-json.ts'
import { type Segment, segmentsOf } from '../segments.ts'
import type { UpstreamRequest } from '../upstream-dialect.ts'
import { contentBlocks, textBlocks } from './upstream-content.ts'
import { FAILED } from './failed-tool.ts'
import type { Block } from './upstream-fields.ts'
import { encodeMessages } from './upstream-messages.ts'
import { encodeParameters } from './upstream-parameters.ts'
import { encodeTools } from './upstream-tools.ts'

/**
 * The body of a client of this API with the changes of policies and the added texts. All else stays as the client wrote it: the order of
 * fields and blocks, `cache_control`, numbers, and everything that the chat form has no place for.
 */
export function editBody(request: UpstreamRequest, original: OriginalRequest): Fields {
  const { governance: _, ...body } = original.body
  return {
    ...editParameters(body, request.parameters, original.parameters),
    model: request.model,
    ...editSystem(request, original),
    messages: withContext(editMessages(request, original), request, original),
  }
}

/** The fields of the chat form that a field of this API became. Fields that became none are not listed. */
const BECAME: Readonly<Record<string, readonly string[]>> = {
  max_tokens: ['max_tokens'],
  stop_sequences: ['stop'],
  metadata: ['user'],
  thinking: ['reasoning_effort'],
  output_config: ['reasoning_effort', 'response_format'],
  output_format: ['response_format'],
  tools: ['tools'],
  tool_choice: ['tool_choice', 'parallel_tool_calls'],
}

/** A field with a changed text is translated back; its new value may stand in another field (`output_config` for `output_format`). */
function editParameters(body: Fields, parameters: Fields, before: Fields): Fields {
  const isChanged = (name: string): boolean => parameters[name] !== before[name]
  const changed = Object.keys(body).filter((name) => (BECAME[name] ?? [name]).some(isChanged))
  if (changed.length === 0) return body
  const { tools, tool_choice } = encodeTools(parameters)
  const encoded: Fields = { ...encodeParameters(parameters), ...(tools && { tools }), ...(tool_choice && { tool_choice }) }
  const edited: Record<string, unknown> = { ...body }
  for (const name of changed) {
    const target = name === 'output_format' ? 'output_config' : name
    if (target !== name) delete edited[name]
    edited[target] = name === 'tools' ? placeTools(body.tools, encoded.tools) : encoded[target]
  }
  return edited
}

/** Tools keep their fields that the chat form has no place for. */
const placeTools = (written: unknown, encoded: unknown): unknown =>
  Array.isArray(written) && Array.isArray(encoded)
    ? encoded.map((tool: Fields, index) => ({ ...(written[index] as Fields), ...tool }))
    : encoded

/** The system prompt: the texts of policies come first. */
function editSystem({ messages, added }: UpstreamRequest, { body, origins, messages: before }: OriginalRequest): Fields {
  const at = origins.indexOf('system')
  const message = messages[at]
  const system = message === undefined || message === before[at] ? body.system : placeContent(body.system, systemBlocks(message))
  const texts = (added?.systemTexts ?? []).flatMap((text) => textBlocks(text))
  if (texts.length === 0) return system === undefined ? {} : { system }
  return { system: [...texts, ...asBlocks(system)] }
}

const systemBlocks = ({ content }: ChatMessage): readonly Block[] => contentBlocks(content, 'system', 'text')

const asBlocks = (content: unknown): readonly unknown[] =>
  Array.isArray(content) ? content : textBlocks(textOf(content))

function editMessages({ messages }: UpstreamRequest, original: OriginalRequest): readonly unknown[] {
  const items = original.body.messages as readonly Fields[]
  return segmentsOf(original, messages, items).flatMap((segment) =>
    segment.isChanged ? editItem(segment, messages) : segment.items,
  )
}

/** One message of this API, from the messages of the chat form that it became. */
function editItem({ messages: { from, to }, items }: Segment, messages: readonly ChatMessage[]): readonly unknown[] {
  const item = items[0] as Fields
  const changed = messages.slice(from, to)
  const first = changed[0]
  const blocks =
    first?.role === 'system' ? systemBlocks(first) : encodeMessages(changed).messages.flatMap(({ content }) => content)
  return [{ ...item, content: placeContent(item.content, blocks) }]
}

/** Changed blocks in the places of those that they were made from. A content that was a text stays one. */
function placeContent(written: unknown, blocks: readonly Block[]): unknown {
  if (!Array.isArray(written)) return blocks.length === 1 && blocks[0]?.type === 'text' ? blocks[0].text : blocks
  const left = new Map<string, Block[]>()
  for (const block of blocks) {
    const type = textOf(block.type)
    left.set(type, [...(left.get(type) ?? []), block])
  }
  const placed = written.map((block: Fields) => {
    const next = isEmptyText(block) ? undefined : left.get(textOf(block.type))?.shift()
    return next ? placeBlock(block, next) : block
  })
  // Several texts of an assistant are one text in the chat form, and cannot be told apart any more.
  const isComplete = written.length - written.filter(isEmptyText).length === blocks.length
  return isComplete && [...left.values()].every((list) => list.length === 0) ? placed : blocks
}

/** The chat form has no empty texts. */
const isEmptyText = ({ type, text }: Fields): boolean => type === 'text' && text === ''

function placeBlock(written: Fields, block: Block): Fields {
  if (block.type !== 'tool_result') return { ...written, ...block }
  const { content } = block
  return { ...written, ...block, content: placeContent(written.content, withoutMark(written, asBlocks(content) as Block[])) }
}

/** The chat form marks a failed call by a text, this API by a field. */
function withoutMark({ is_error: isError }: Fields, blocks: readonly Block[]): readonly Block[] {
  const [first, ...others] = blocks
  if (isError !== true || !first) return blocks
  const text = textOf(first.text)
  if (!text.startsWith(FAILED)) return blocks
  return text === FAILED ? others : [{ ...first, text: text.slice(FAILED.length) }, ...others]
}

/** The context is the last block of the last message that a user wrote: see added-texts.ts. */
function withContext(items: readonly unknown[], { added }: UpstreamRequest, original: OriginalRequest): readonly unknown[] {
  if (!added || added.context === '') return items
  const block = { type: 'text', text: added.context }
  const origin = original.origins[original.messages.findLastIndex(({ role }) => role === 'user')]
  if (origin === undefined || origin === 'system') return [...items, { role: 'user', content: [block] }]
  return items.map((item, index) =>
    index === origin.from && isObject(item) ? { ...item, content: [...asBlocks(item.content), block] } : item,
  )
}
