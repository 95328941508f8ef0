import { type Fields, isObject, isSet, textOf } from '../../platform/lib/untrusted-json.ts'
import type { StreamCollector, StreamEffect } from '../upstream-dialect.ts'

/** Events that end the stream. They hold the whole response, so no delta has to be read. */
const LAST_EVENTS: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed', 'error'])
const OTHER_CONTENT = /\.delta$|^response\.output_text\.annotation/
const PINGS: ReadonlySet<string> = new Set(['keepalive', 'ping'])

/** The response object of the last event (https://platform.openai.com/docs/api-reference/responses-streaming). Some servers leave its output empty. */
export class ResponseCollector implements StreamCollector {
  /** Of the only text part; the event that ends the stream has the whole response. */
  text: string | undefined = ''
  readonly #items = new Map<unknown, unknown>()
  #deltaBytes = 0
  #itemBytes = 0
  #lastBytes = 0
  #response: Fields | undefined

  get bytes(): number {
    return Math.max(this.#deltaBytes, this.#itemBytes, this.#lastBytes)
  }

  hasOwnNumbers({ type }: Fields): boolean {
    return type === 'response.output_item.done' || LAST_EVENTS.has(textOf(type))
  }

  add(event: Fields, length: number): StreamEffect {
    const type = textOf(event.type)
    if (!LAST_EVENTS.has(type)) {
      this.#deltaBytes += Buffer.byteLength(textOf(event.delta))
      if (this.text !== undefined) this.text = withDelta(this.text, type, event)
      if (type === 'response.output_item.done') {
        this.#items.set(event.output_index, event.item)
        this.#itemBytes += length
      }
      return PINGS.has(type) ? 'nothing' : 'content'
    }
    this.#lastBytes = length
    if (type === 'error') this.#response = failedResponse(event)
    else if (isObject(event.response) && event.response.status === type.slice('response.'.length)) this.#response = event.response
    return 'done'
  }

  finish(): Fields | undefined {
    const output = this.#response?.output ?? []
    if (!this.#response || !Array.isArray(output) || output.length > 0) return this.#response
    const items = [...this.#items].sort(([a], [b]) => Number(a) - Number(b)).map(([, item]) => item)
    return { ...this.#response, output: items }
  }
}

/** Undefined: the response has other content, or a second text. */
function withDelta(text: string, type: string, { delta, item, part, output_index, content_index }: Fields): string | undefined {
  if (type === 'response.output_item.added')
    return isObject(item) && item.type === 'message' && output_index === 0 ? text : undefined
  if (type === 'response.content_part.added') {
    return isObject(part) && part.type === 'output_text' && content_index === 0 ? text : undefined
  }
  if (type === 'response.output_text.delta') return text + textOf(delta)
  return OTHER_CONTENT.test(type) ? undefined : text
}

const failedResponse = (event: Fields): Fields => {
  const { code, message } = isObject(event.error) ? event.error : event
  return {
    object: 'response',
    status: 'failed',
    error: { code: isSet(code) ? textOf(code) : '', message: textOf(message) },
    output: [],
  }
}
