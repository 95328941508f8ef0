import { type Fields, isObject, textOf } from '../../platform/lib/untrusted-json.ts'
import type { ChatMessage, ContentPart } from '../../shared/message.ts'
import { RefusedField, refuse, UnknownField } from '../client-fields.ts'
import { booleanAt, fieldsAt, itemsAt, oneOf, refuseOthers, textAt } from './fields.ts'
import { stateOf } from './provider-state.ts'
import { detailOf } from './upstream-reasoning.ts'

export interface Translated {
  readonly message: ChatMessage
  readonly path: string
  readonly places?: readonly Place[]
}

type Place = readonly [place: string, source: string]
type Content = NonNullable<ChatMessage['content']>

/** The messages of one Anthropic message: its tool results first, as the API requires them to stand, then the rest. */
export function decodeMessage(value: unknown, path: string): readonly Translated[] {
  const fields = fieldsAt(value, path)
  const { role, content } = fields
  refuseOthers(fields, ['role', 'content'], path)
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    throw new RefusedField(`${path}.role`, 'must be "user", "assistant" or "system"')
  if (typeof content === 'string') return [{ message: { role, content }, path }]
  const blocks = blocksAt(content, `${path}.content`)
  if (role === 'assistant') return [{ message: decodeAssistant(blocks), path, places: placesOfCalls(blocks) }]
  const { results = [], others = [] } = Object.groupBy(blocks, ({ block }) =>
    block.type === 'tool_result' ? 'results' : 'others',
  )
  const translated = results.map((result): Translated => {
    return { message: decodeToolResult(result), path: result.path, places: [['tool_call_id', `${result.path}.tool_use_id`]] }
  })
  if (others.length === 0 && results.length > 0) return translated
  return [...translated, { message: { role, content: joined(others.map(decodePart)) }, path, places: placesOfParts(others) }]
}

export function decodeSystem(value: unknown): readonly Translated[] {
  if (value == null) return []
  if (typeof value === 'string') return [{ message: { role: 'system', content: value }, path: 'system' }]
  const parts = blocksAt(value, 'system').map(decodeText)
  return parts.length === 0 ? [] : [{ message: { role: 'system', content: joined(parts) }, path: 'system' }]
}

interface Block {
  readonly block: Fields
  readonly path: string
}

const blocksAt = (value: unknown, at: string): readonly Block[] =>
  itemsAt(value, at).map((block, index) => ({ block: fieldsAt(block, `${at}[${index}]`), path: `${at}[${index}]` }))

function decodeAssistant(blocks: readonly Block[]): ChatMessage {
  const parts = blocks.filter(({ block }) => block.type === 'text').map(decodeText)
  const calls = blocks.filter(({ block }) => block.type === 'tool_use').map(decodeToolUse)
  const unknown = blocks.find(({ block }) => !ASSISTANT_BLOCKS.has(textOf(block.type)))
  if (unknown) throw unknownBlock(unknown.path, `must be one of ${[...ASSISTANT_BLOCKS].join(', ')}`)
  return {
    role: 'assistant',
    content: parts.length > 0 ? parts.map(({ text }) => text).join('') : null,
    ...decodeThinking(blocks),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

const placesOfCalls = (blocks: readonly Block[]): readonly Place[] =>
  blocks
    .filter(({ block }) => block.type === 'tool_use')
    .flatMap(({ path }, index): Place[] => [
      [`tool_calls[${index}]`, path],
      [`tool_calls[${index}].function`, path],
      [`tool_calls[${index}].function.arguments`, `${path}.input`],
    ])

const placesOfParts = (blocks: readonly Block[]): readonly Place[] =>
  blocks.flatMap(({ path }, index): Place[] => [
    [`content[${index}]`, path],
    [`content[${index}].image_url`, `${path}.source`],
    [`content[${index}].file`, `${path}.source`],
    [`content[${index}].file.filename`, `${path}.title`],
  ])

const ASSISTANT_BLOCKS: ReadonlySet<string> = new Set(['text', 'tool_use', 'thinking', 'redacted_thinking'])

/** Signed blocks are kept unchanged and in their place for the provider that signed them. Unsigned ones are a chat provider's reasoning. */
function decodeThinking(blocks: readonly Block[]): Fields {
  const unsigned: string[] = []
  const signed: Fields[] = []
  const position = { characters: 0, calls: 0 }
  for (const { block, path } of blocks) {
    if (block.type === 'text') position.characters += textAt(block.text, `${path}.text`).length
    else if (block.type === 'tool_use') position.calls += 1
    else {
      refuseOthers(block, block.type === 'thinking' ? ['type', 'thinking', 'signature'] : ['type', 'data'], path)
      if (block.type === 'thinking' && textAt(block.signature ?? '', `${path}.signature`) === '')
        unsigned.push(textAt(block.thinking, `${path}.thinking`))
      else signed.push(detailOf(block, position) ?? refuse(path, 'must be a thinking block as the API returned it'))
    }
  }
  return {
    ...(unsigned.length > 0 && { reasoning_content: unsigned.join('\n') }),
    ...(signed.length > 0 && { reasoning_details: signed }),
  }
}

function decodeToolUse({ block, path }: Block): Fields {
  refuseOthers(block, ['type', 'id', 'name', 'input', 'caller', ...Object.keys(stateOf(block))], path)
  if (block.caller != null) {
    const { type, ...others } = fieldsAt(block.caller, `${path}.caller`)
    refuseOthers(others, [], `${path}.caller`)
    oneOf(type, ['direct'], `${path}.caller.type`)
  }
  return {
    id: textAt(block.id, `${path}.id`),
    type: 'function',
    function: {
      name: textAt(block.name, `${path}.name`),
      arguments: JSON.stringify(fieldsAt(block.input ?? {}, `${path}.input`)),
    },
    ...stateOf(block),
  }
}

/** The chat form has no mark for a tool that failed, so the text says it. */
const FAILED = 'Error: '

function decodeToolResult({ block, path }: Block): ChatMessage {
  refuseOthers(block, ['type', 'tool_use_id', 'content', 'is_error'], path)
  const { content } = block
  const isError = booleanAt(block.is_error, `${path}.is_error`)
  const parts =
    typeof content === 'string' ? [{ type: 'text', text: content }] : blocksAt(content ?? [], `${path}.content`).map(decodePart)
  return {
    role: 'tool',
    tool_call_id: textAt(block.tool_use_id, `${path}.tool_use_id`),
    content: isError ? asFailed(joined(parts)) : joined(parts),
  }
}

function asFailed(content: Content): Content {
  if (typeof content === 'string') return FAILED + content
  const [first, ...others] = content
  return first?.type === 'text'
    ? [{ ...first, text: `${FAILED}${first.text}` }, ...others]
    : [{ type: 'text', text: FAILED }, ...content]
}

/** One text is a text. Several stay parts, because detectors also read the texts of parts without a break between them. */
const joined = (parts: readonly ContentPart[]): Content =>
  parts.length <= 1 && parts.every(({ type }) => type === 'text') ? (parts[0]?.text ?? '') : parts

function decodePart(part: Block): ContentPart {
  if (part.block.type === 'text') return decodeText(part)
  if (part.block.type === 'image') return decodeImage(part)
  if (part.block.type === 'document') return decodeDocument(part)
  throw unknownBlock(part.path, 'must be "text", "image", "document" or "tool_result"')
}

const unknownBlock = (path: string, message: string): UnknownField => new UnknownField(path, message, { type: 'text', text: '' })

function decodeText({ block, path }: Block): { readonly type: 'text'; readonly text: string } {
  if (block.type !== 'text') throw new RefusedField(`${path}.type`, 'must be "text"')
  const { citations } = block
  refuseOthers(block, ['type', 'text', ...(Array.isArray(citations) && citations.length === 0 ? ['citations'] : [])], path)
  return { type: 'text', text: textAt(block.text, `${path}.text`) }
}

function decodeImage({ block, path }: Block): ContentPart {
  refuseOthers(block, ['type', 'source'], path)
  const source = fieldsAt(block.source, `${path}.source`)
  refuseOthers(source, source.type === 'url' ? ['type', 'url'] : ['type', 'media_type', 'data'], `${path}.source`)
  const url = source.type === 'url' ? textAt(source.url, `${path}.source.url`) : dataUrl(source, `${path}.source`)
  return { type: 'image_url', image_url: { url } }
}

/** `{"enabled": false}`: the gateway reads no citations. */
const isDisabled = (citations: unknown): boolean =>
  isObject(citations) && Object.entries(citations).every(([name, value]) => name === 'enabled' && value === false)

function decodeDocument({ block, path }: Block): ContentPart {
  const citations = isDisabled(block.citations) ? ['citations'] : []
  refuseOthers(block, ['type', 'source', 'title', ...citations], path)
  const source = fieldsAt(block.source, `${path}.source`)
  refuseOthers(source, ['type', 'media_type', 'data'], `${path}.source`)
  const filename = block.title == null ? 'document' : textAt(block.title, `${path}.title`)
  if (source.type === 'text') {
    // The chat form has no place for it, so no detector reads it.
    oneOf(source.media_type ?? 'text/plain', ['text/plain'], `${path}.source.media_type`)
    const data = Buffer.from(textAt(source.data, `${path}.source.data`)).toString('base64')
    return { type: 'file', file: { filename, file_data: `data:text/plain;base64,${data}` } }
  }
  return { type: 'file', file: { filename, file_data: dataUrl(source, `${path}.source`) } }
}

function dataUrl(source: Fields, path: string): string {
  if (source.type !== 'base64') throw new RefusedField(`${path}.type`, 'must be a source that the gateway can read')
  return `data:${textAt(source.media_type, `${path}.media_type`)};base64,${textAt(source.data, `${path}.data`)}`
}
