import { createParser } from 'eventsource-parser'
import type { StreamCollector } from '../../dialects/upstream-dialect.ts'
import type { StreamReader } from '../../platform/lib/http-request.ts'
import {
  type Fields,
  isObject,
  MAX_ANSWER_VALUES,
  parseJson,
  parseJsonObject,
  textOf,
} from '../../platform/lib/untrusted-json.ts'
import { withKeptNumbers } from '../../shared/free-json.ts'
import { type Rejection, readRejection } from './rejection.ts'

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

/** The status that the API has for an error of this type when it occurs before the stream. */
const STATUSES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  BadRequestError: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  insufficient_quota: 429,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
}

/** The meaning of an error in a stream: that of the same error before it. `json`: the event. Returns undefined for an outage. */
export function readErrorEvent(json: string): Rejection | undefined {
  const body = Buffer.from(json)
  const event = parseJsonObject(body)
  const error = isObject(event?.error) ? event.error : event
  if (!error) return undefined
  const known = [error.type, error.code].map(textOf).find((name) => Object.hasOwn(STATUSES, name))
  // OpenRouter and vLLM send the status as `code`.
  const status = known === undefined ? Number(error.code) : (STATUSES[known] ?? 0)
  return readRejection({ ok: false, failure: 'status', status, body })
}
