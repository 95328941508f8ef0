import { createParser } from 'eventsource-parser'
import type { StreamCollector } from '../../dialects/upstream-dialect.ts'
import type { StreamReader } from '../../platform/lib/http-request.ts'
import { type Fields, isObject, MAX_ANSWER_VALUES, parseJson } from '../../platform/lib/untrusted-json.ts'
import { withKeptNumbers } from '../../shared/free-json.ts'
import { readErrorEvent } from './error-event.ts'
import type { Rejection } from './rejection.ts'

/** A shorter event is not copied to count its values. */
const parseEvent = (data: string): Fields => {
  const event = data.length > MAX_ANSWER_VALUES ? parseJson(Buffer.from(data)) : JSON.parse(data)
  if (!isObject(event)) throw new TypeError('An event is not an object, or holds too many values.')
  return event
}

/** The last event of the OpenAI API and of many proxies. */
const DONE = '[DONE]'

type Effect = ReturnType<StreamReader['write']>

/** Reads the bytes of an event stream: UTF-8, lines, events, JSON. `collector` reads the meaning of the events. */
export class EventReader implements StreamReader {
  /** JSON of the event with which the provider reported an error. It is matched against closed lists, but never shown. */
  #errorEvent: string | undefined
  readonly #collector: StreamCollector
  readonly #maxBytes: number
  /** Removes a byte order mark, joins characters that are split between chunks, and refuses invalid ones. */
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  readonly #parser
  #effect: Effect = 'idle'
  #hasReturn = false

  constructor(collector: StreamCollector, maxBytes: number) {
    this.#collector = collector
    this.#maxBytes = maxBytes
    this.#parser = createParser({
      onEvent: ({ data }) => this.#read(data),
      onError: ({ type }) => {
        // Unknown fields are ignored, as the standard demands.
        if (type === 'max-buffer-size-exceeded') this.#effect = 'too_large'
      },
      maxBufferSize: maxBytes,
    })
  }

  get rejection(): Rejection | undefined {
    return this.#errorEvent === undefined ? undefined : readErrorEvent(this.#errorEvent)
  }

  write(chunk: Buffer): Effect {
    this.#effect = 'idle'
    try {
      this.#parser.feed(this.#withLineFeeds(this.#decoder.decode(chunk, { stream: true })))
    } catch {
      // Not UTF-8, not JSON, nested too deeply, or against the rules of the collector.
      return 'malformed'
    }
    return this.#effect
  }

  /** The collected response; undefined: the stream ended too early. A last event without an empty line counts. */
  finish(): Fields | undefined {
    try {
      this.#parser.feed('\n\n')
      return this.#errorEvent ? undefined : this.#collector.finish()
    } catch {
      return undefined
    }
  }

  #read(data: string): void {
    if (data === '' || (this.#effect !== 'idle' && this.#effect !== 'progress')) return
    if (data === DONE) {
      this.#effect = 'done'
      return
    }
    const event = parseEvent(data)
    const kept = this.#collector.hasOwnNumbers(event) ? withKeptNumbers(event, data) : event
    const effect = this.#collector.add(kept, data.length)
    if (effect === 'error') {
      this.#errorEvent = data
      this.#effect = 'error_event'
    } else if (this.#collector.bytes > this.#maxBytes) this.#effect = 'too_large'
    else if (effect === 'done') this.#effect = 'done'
    else if (effect === 'content') this.#effect = 'progress'
  }

  /** The parser takes time in proportion to the square of a chunk's lines if they end in carriage returns. */
  #withLineFeeds(text: string): string {
    const rest = this.#hasReturn && text.startsWith('\n') ? text.slice(1) : text
    if (text !== '') this.#hasReturn = text.endsWith('\r')
    return rest.includes('\r') ? rest.replaceAll(/\r\n?/g, '\n') : rest
  }
}
