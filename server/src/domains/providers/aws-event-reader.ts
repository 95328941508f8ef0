import { readBedrockEvent } from '../../dialects/anthropic-messages/bedrock-events.ts'
import type { StreamCollector } from '../../dialects/upstream-dialect.ts'
import { EventStreamDecoder } from '../../platform/lib/aws-event-stream.ts'
import type { StreamReader } from '../../platform/lib/http-request.ts'
import type { Fields } from '../../platform/lib/untrusted-json.ts'
import { type Rejection, readRejection } from './rejection.ts'

type Effect = ReturnType<StreamReader['write']>

/** Reads the bytes of a response of InvokeModelWithResponseStream. `collector` reads the meaning of the events. */
export class AwsEventReader implements StreamReader {
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
