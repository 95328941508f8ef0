import { type Fields, isObject, isSet, textOf } from '../../platform/lib/untrusted-json.ts'
import { MalformedStream, StreamedFields, StreamSize } from '../streamed-fields.ts'
import type { StreamCollector, StreamEffect } from '../upstream-dialect.ts'

const MAX_BLOCKS = 256
const PLAIN: ReadonlySet<string> = new Set(['type', 'text'])
const TEXT_DELTAS: Readonly<Record<string, string>> = { text_delta: 'text', thinking_delta: 'thinking' }

/** https://platform.claude.com/docs/en/build-with-claude/streaming. Unknown events and deltas are malformed: content would be lost. */
export class EventCollector implements StreamCollector {
  readonly #size = new StreamSize()
  readonly #message = new StreamedFields(this.#size)
  readonly #usage = new StreamedFields(this.#size)
  readonly #blocks = new Map<unknown, StreamedBlock>()

  get bytes(): number {
    return this.#size.bytes
  }

  get text(): string | undefined {
    if (this.#blocks.size > 1) return undefined
    const [block] = this.#blocks.values()
    return block ? block.text : ''
  }

  hasOwnNumbers({ type }: Fields): boolean {
    return type !== 'content_block_delta'
  }

  add(event: Fields, length: number): StreamEffect {
    this.#size.startEvent(length)
    switch (event.type) {
      case 'ping':
        return 'nothing'
      case 'error':
        return 'error'
      case 'message_stop':
        return 'done'
      case 'message_start':
        this.#addMessage(objectOf(event.message))
        break
      case 'content_block_start':
        this.#startBlock(event)
        break
      case 'content_block_delta':
        this.#blockOf(event).add(objectOf(event.delta))
        break
      case 'content_block_stop':
        this.#blockOf(event)
        break
      case 'message_delta': {
        const { type: _, delta, ...fields } = event
        this.#addMessage({ ...(isSet(delta) && objectOf(delta)), ...fields })
        break
      }
      default:
        throw new MalformedStream('an event has an unknown type')
    }
    return 'content'
  }

  finish(): Fields | undefined {
    if (!isSet(this.#message.get('stop_reason'))) return undefined
    const blocks = [...this.#blocks].sort(([a], [b]) => Number(a) - Number(b))
    return {
      ...this.#message.toObject(),
      content: blocks.map(([, block]) => block.toObject()),
      usage: this.#usage.toObject(),
    }
  }

  /** Later fields replace earlier ones, each count of `usage` by itself. Some servers send `message_start` twice. */
  #addMessage({ content, usage, ...fields }: Fields): void {
    if (isSet(content) && !(Array.isArray(content) && content.length === 0))
      throw new MalformedStream('a message starts with content')
    for (const name of Object.keys(fields)) this.#message.replace(name, fields[name])
    if (!isSet(usage)) return
    const counts = objectOf(usage)
    for (const name of Object.keys(counts)) this.#usage.replace(name, counts[name])
  }

  #startBlock({ index, content_block: block }: Fields): void {
    if (this.#blocks.has(index) || this.#blocks.size === MAX_BLOCKS) throw new MalformedStream('a block starts twice')
    this.#blocks.set(index, new StreamedBlock(objectOf(block), this.#size))
  }

  #blockOf({ index }: Fields): StreamedBlock {
    const block = this.#blocks.get(index)
    if (!block) throw new MalformedStream('an event belongs to no block')
    return block
  }
}

class StreamedBlock {
  readonly #fields: StreamedFields
  readonly #input: StreamedFields

  constructor(start: Fields, size: StreamSize) {
    this.#fields = new StreamedFields(size)
    this.#input = new StreamedFields(size)
    for (const name of Object.keys(start)) this.#fields.replace(name, start[name])
  }

  get text(): string | undefined {
    const isPlain = this.#fields.get('type') === 'text' && this.#fields.hasOnly(PLAIN)
    return isPlain ? textOf(this.#fields.get('text')) : undefined
  }

  add(delta: Fields): void {
    const type = textOf(delta.type)
    const text = Object.hasOwn(TEXT_DELTAS, type) ? TEXT_DELTAS[type] : undefined
    if (text !== undefined) this.#fields.join(text, delta[text])
    else if (type === 'input_json_delta') this.#input.join('json', delta.partial_json)
    // One signature follows the whole block.
    else if (type === 'signature_delta') this.#fields.keep('signature', delta.signature)
    else if (type === 'citations_delta') this.#fields.append('citations', [delta.citation])
    else throw new MalformedStream('a delta has an unknown type')
  }

  /** An input in pieces stays a text, so that no number changes. A limit of tokens may have cut it off. */
  toObject(): Fields {
    const block = this.#fields.toObject()
    const json = textOf(this.#input.get('json'))
    return json === '' ? block : { ...block, input: json }
  }
}

function objectOf(value: unknown): Fields {
  if (!isObject(value)) throw new MalformedStream('a part of an event is not an object')
  return value
}
