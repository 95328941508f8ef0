import { isDeepStrictEqual } from 'node:util'
import { type Fields, isObject, textOf } from '../../platform/lib/untrusted-json.ts'
import type { ChatMessage } from '../../shared/message.ts'
import { CARRIED_FIELDS, type OriginalRequest } from '../../shared/original-request.ts'
import { words } from '../known-fields.ts'
import { mergeChanges } from '../merge-changes.ts'
import { segmentsOf } from '../segments.ts'
import { UntranslatableField } from '../untranslatable.ts'
import type { UpstreamRequest } from '../upstream-dialect.ts'
import { withoutState } from './provider-state.ts'
import { contentBlocks, textBlocks } from './upstream-content.ts'
import { encodeMessages } from './upstream-messages.ts'
import { encodeParameters } from './upstream-parameters.ts'
import { encodeTools } from './upstream-tools.ts'

/** All but the changes of policies and the added texts stays as the client wrote it, also what the chat form has no place for. */
export function editBody(request: UpstreamRequest, original: OriginalRequest): Fields {
  const { governance: _, ...body } = original.body
  return {
    ...editParameters(body, request.parameters, original.parameters),
    model: request.model,
    ...editSystem(request, original),
    messages: withContext(editMessages(request, original), request, original),
  }
}

/** The fields of the chat form that a field of this API became. */
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

const becameOf = (name: string): readonly string[] => (Object.hasOwn(BECAME, name) ? BECAME[name] : undefined) ?? [name]

/** A changed field is translated back; `output_format` then stands in `output_config`. */
function editParameters(body: Fields, parameters: Fields, before: Fields): Fields {
  const isChanged = (name: string): boolean => parameters[name] !== before[name]
  const changed = Object.keys(body).filter((name) => becameOf(name).some(isChanged))
  if (changed.length === 0) return body
  const [encodedBefore, encoded] = [encodeFields(before), encodeFields(parameters)]
  const edited: Record<string, unknown> = { ...body }
  for (const name of changed) {
    const target = name === 'output_format' ? 'output_config' : name
    if (target !== name) delete edited[name]
    edited[target] = mergeChanges(body[target], encodedBefore[target], encoded[target])
  }
  return edited
}

const encodeFields = (parameters: Fields): Fields => ({ ...encodeParameters(parameters), ...encodeTools(parameters) })

function editSystem({ messages, added }: UpstreamRequest, { body, origins, messages: before }: OriginalRequest): Fields {
  const at = origins.indexOf('system')
  const system =
    messages[at] === before[at] ? body.system : mergeContent(body.system, systemBlocks(before[at]), systemBlocks(messages[at]))
  const texts = (added?.systemTexts ?? []).flatMap((text) => textBlocks(text))
  if (texts.length === 0) return system === undefined ? {} : { system }
  return { system: [...texts, ...asBlocks(system)] }
}

const systemBlocks = (message: ChatMessage | undefined): readonly Fields[] => contentBlocks(message?.content, 'system', 'text')

const asBlocks = (content: unknown): readonly unknown[] => (Array.isArray(content) ? content : textBlocks(textOf(content)))

function editMessages({ messages }: UpstreamRequest, original: OriginalRequest): readonly unknown[] {
  const items = original.body.messages as readonly Fields[]
  return segmentsOf(original, messages, items).flatMap(({ messages: { from, to }, items: [item], isChanged }) => {
    if (!isObject(item)) return [item]
    if (!isChanged) return [withoutState(item)]
    const [before, after] = [original.messages, messages].map((list) => blocksOf(list.slice(from, to)))
    const content = mergeContent(item.content, before ?? [], after ?? [])
    if (!isEdited(item.content, content)) refuseCarried(original)
    return [withoutState({ ...item, content })]
  })
}

const isEdited = (written: unknown, content: unknown): boolean =>
  !Array.isArray(written) || (Array.isArray(content) && content.length === written.length)

/** A message that is built again would lose fields that the gateway does not know. */
function refuseCarried({ carried }: OriginalRequest): void {
  if (carried.some((path) => path.startsWith('messages['))) throw new UntranslatableField(CARRIED_FIELDS)
}

const blocksOf = (messages: readonly ChatMessage[]): readonly Fields[] =>
  messages[0]?.role === 'system' ? systemBlocks(messages[0]) : encodeMessages(messages).messages.flatMap(({ content }) => content)

/** A content that was a text stays one. */
function mergeContent(written: unknown, before: readonly Fields[], after: readonly Fields[]): unknown {
  if (!Array.isArray(written)) {
    if (isDeepStrictEqual(before, after)) return written
    const [from, to] = [before, after].map(([block, ...others]) => (others.length === 0 ? block?.text : undefined))
    return typeof to === 'string' ? mergeChanges(written, from, to) : after
  }
  const places = placesOf(written, before)
  // Several texts of an assistant are one text in the chat form and cannot be separated again; unsigned thinking is not translated back.
  const isPlaced = written.every((block: Fields, index) => (places[index] ?? -1) >= 0 || hasNoText(block))
  const isComplete = places.filter((place) => place >= 0).length === before.length
  if (!isPlaced || !isComplete || before.length !== after.length) return after
  return written.map((block: Fields, index) => {
    const place = places[index] ?? -1
    return place < 0 ? block : mergeBlock(block, before[place] ?? {}, after[place] ?? {})
  })
}

function mergeBlock(written: Fields, before: Fields, after: Fields): unknown {
  if (written.type !== 'tool_result') return mergeChanges(written, before, after)
  const [from, to] = [before, after].map(({ content }) => asBlocks(content) as readonly Fields[])
  const content = mergeContent(written.content, from ?? [], to ?? [])
  return mergeChanges({ ...written, content }, { ...before, content }, { ...after, content })
}

/** A block that became none: an empty text, or one of a type that the gateway carries, which is sent only if no policy changed it. */
const hasNoText = ({ type, text }: Fields): boolean => (type === 'text' ? text === '' : !TRANSLATED.includes(textOf(type)))

const TRANSLATED = words('text image document tool_use tool_result thinking redacted_thinking')

/** For each written block, the index of the block that its translation became; -1: the chat form has no place for it. */
function placesOf(written: readonly Fields[], blocks: readonly Fields[]): readonly number[] {
  const used = new Set<number>()
  return written.map(({ type, text }) => {
    const place =
      type === 'text' && text === '' ? -1 : blocks.findIndex((block, index) => block.type === type && !used.has(index))
    if (place >= 0) used.add(place)
    return place
  })
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
