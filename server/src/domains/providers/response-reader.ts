import { createParser } from 'eventsource-parser'
import { readBedrockEvent } from '../../dialects/anthropic-messages/bedrock.ts'
import type { StreamCollector } from '../../dialects/upstream-dialect.ts'
import { EventStreamDecoder } from '../../platform/lib/aws-event-stream.ts'
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

export interface ResponseReader extends StreamReader {
  readonly rejection: Rejection | undefined
  /** The collected response; undefined: the stream ended too early. */
  finish(): Fields | undefined
}

export type StreamFormat = 'server-sent-events' | 'aws-event-stream'

export const STREAM_TYPES: Readonly<Record<StreamFormat, RegExp>> = {
  'server-sent-events': /^text\/event-stream(?:\s*;|\s*$)/i,
  'aws-event-stream': /^application\/vnd\.amazon\.eventstream(?:\s*;|\s*$)/i,
}

/** `maxBytes`: of the content, without the framing. */
export const openReader = (format: StreamFormat, collector: StreamCollector, maxBytes: number): ResponseReader =>
  format === 'aws-event-stream' ? new AwsEventReader(collector, maxBytes) : new EventReader(collector, maxBytes)

type Effect = ReturnType<StreamReader['write']>

/** Throws if the event is against the rules of the collector. */
function collect(collector: StreamCollector, event: Fields, length: number, maxBytes: number): Effect {
  const effect = collector.add(event, length)
  if (effect === 'error') return 'error_event'
  if (collector.bytes > maxBytes) return 'too_large'
  if (effect === 'done') return 'done'
  return effect === 'content' ? 'progress' : 'idle'
}

class AwsEventReader implements ResponseReader {
  rejection: Rejection | undefined
  readonly #decoder: EventStreamDecoder
  readonly #collector: StreamCollector
  readonly #maxBytes: number

  constructor(collector: StreamCollector, maxBytes: number) {
    // An event is JSON in base64 in JSON.
    this.#decoder = new EventStreamDecoder(2 * maxBytes)
    this.#collector = collector
    this.#maxBytes = maxBytes
  }

  write(chunk: Buffer): Effect {
    const { messages, failure } = this.#decoder.push(chunk)
    let effect: Effect = 'idle'
    for (const message of messages) {
      const next = this.#read(readBedrockEvent(message))
      if (next !== 'idle') effect = next
      if (next !== 'idle' && next !== 'progress') return next
    }
    return failure ?? effect
  }

  finish(): Fields | undefined {
    return this.#decoder.isAtEnd && !this.rejection ? this.#collector.finish() : undefined
  }

  #read(event: ReturnType<typeof readBedrockEvent>): Effect {
    if (event.kind === 'malformed') return 'malformed'
    if (event.kind === 'failed') {
      this.rejection = readRejection({ ok: false, failure: 'status', status: event.status })
      return 'error_event'
    }
    try {
      return collect(this.#collector, event.event, event.length, this.#maxBytes)
    } catch {
      return 'malformed'
    }
  }
}

/** A shorter event is not copied to count its values. */
const parseEvent = (data: string): Fields => {
  const event = data.length > MAX_ANSWER_VALUES ? parseJson(Buffer.from(data)) : JSON.parse(data)
  if (!isObject(event)) throw new TypeError('An event is not an object, or holds too many values.')
  return event
}

const DONE = '[DONE]'

export class EventReader implements ResponseReader {
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
    const effect = collect(this.#collector, kept, data.length, this.#maxBytes)
    if (effect === 'error_event') this.#errorEvent = data
    if (effect !== 'idle') this.#effect = effect
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
