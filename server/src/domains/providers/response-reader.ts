import { readBedrockEvent } from '../../dialects/anthropic-messages/bedrock.ts'
import type { StreamCollector } from '../../dialects/upstream-dialect.ts'
import { EventStreamDecoder } from '../../platform/lib/aws-event-stream.ts'
import type { StreamReader } from '../../platform/lib/http-request.ts'
import type { Fields } from '../../platform/lib/untrusted-json.ts'
import { EventReader } from './event-reader.ts'
import { type Rejection, readRejection } from './rejection.ts'

export interface ResponseReader extends StreamReader {
  /** The meaning of the error that the provider reported in the stream; undefined for an outage. */
  readonly rejection: Rejection | undefined
  /** The collected response; undefined: the stream ended too early. */
  finish(): Fields | undefined
}

/** How a provider frames the events of a streamed response. */
export type StreamFormat = 'server-sent-events' | 'aws-event-stream'

/** The media types of responses that are streams. */
export const STREAM_TYPES: Readonly<Record<StreamFormat, RegExp>> = {
  'server-sent-events': /^text\/event-stream(?:\s*;|\s*$)/i,
  'aws-event-stream': /^application\/vnd\.amazon\.eventstream(?:\s*;|\s*$)/i,
}

/** `maxBytes`: of the content, without the framing. */
export const openReader = (format: StreamFormat, collector: StreamCollector, maxBytes: number): ResponseReader =>
  format === 'aws-event-stream' ? new AwsEventReader(collector, maxBytes) : new EventReader(collector, maxBytes)

type Effect = ReturnType<StreamReader['write']>

/** Reads the bytes of a response of InvokeModelWithResponseStream. `collector` reads the meaning of the events. */
class AwsEventReader implements StreamReader {
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
      const effect = this.#collector.add(event.event, event.length)
      if (effect === 'error') return 'error_event'
      if (this.#collector.bytes > this.#maxBytes) return 'too_large'
      if (effect === 'done') return 'done'
      return effect === 'content' ? 'progress' : 'idle'
    } catch {
      // Against the rules of the collector.
      return 'malformed'
    }
  }
}
