import { isUtf8 } from 'node:buffer'
import { crc32 } from 'node:zlib'

export interface EventStreamMessage {
  /** The headers with a text as their value, for example `:event-type`. Others are left out. */
  readonly headers: ReadonlyMap<string, string>
  readonly payload: Buffer
}

/** `malformed`: the bytes are not an event stream. `too_large`: a message exceeds a limit. */
export type EventStreamFailure = 'malformed' | 'too_large'

const PRELUDE_BYTES = 12
const CRC_BYTES = 4
const MAX_HEADER_BYTES = 131_072
const MAX_MESSAGE_BYTES = 16 * 1_048_576
/** Bytes of a header's value by its type: true, false, byte, short, int, long, bytes, text, time, UUID. undefined: two bytes of length precede it. */
const VALUE_BYTES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16]
const TEXT_TYPE = 7

/**
 * Splits the bytes of `application/vnd.amazon.eventstream` into messages and verifies their checksums:
 * https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html#streaming-event-stream. Never throws. After a failure, it
 * returns the same failure for all further bytes. In memory are at most one message and one chunk.
 */
export class EventStreamDecoder {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #size = 0
  /** Bytes that the next step needs: a prelude, or a message whose prelude was read. */
  #needed = PRELUDE_BYTES
  #failure: EventStreamFailure | undefined

  constructor(maxMessageBytes = MAX_MESSAGE_BYTES) {
    this.#maxBytes = maxMessageBytes
  }

  /** Whether the bytes so far end with a message. */
  get isAtEnd(): boolean {
    return this.#failure === undefined && this.#size === 0
  }

  /** The messages that the chunk completes, and the failure after them, if there is one. */
  push(chunk: Buffer): { readonly messages: readonly EventStreamMessage[]; readonly failure?: EventStreamFailure } {
    const messages: EventStreamMessage[] = []
    if (this.#failure === undefined && chunk.length > 0) {
      this.#chunks.push(chunk)
      this.#size += chunk.length
      while (this.#failure === undefined && this.#size >= this.#needed) this.#step(messages)
      // A view would keep the memory of the whole chunk.
      if (messages.length > 0) this.#chunks = this.#chunks.map((rest) => Buffer.from(rest))
    }
    return this.#failure === undefined ? { messages } : { messages, failure: this.#failure }
  }

  #step(messages: EventStreamMessage[]): void {
    const [first, ...others] = this.#chunks
    const bytes = first && others.length === 0 ? first : Buffer.concat(this.#chunks, this.#size)
    this.#chunks = [bytes]
    if (this.#needed === PRELUDE_BYTES) this.#readPrelude(bytes)
    else this.#readMessage(bytes, messages)
  }

  #readMessage(bytes: Buffer, messages: EventStreamMessage[]): void {
    const message = readMessage(bytes.subarray(0, this.#needed))
    if (message) messages.push(message)
    else this.#fail('malformed')
    const rest = bytes.subarray(this.#needed)
    this.#chunks = rest.length > 0 ? [rest] : []
    this.#size = rest.length
    this.#needed = PRELUDE_BYTES
  }

  #readPrelude(bytes: Buffer): void {
    const total = bytes.readUInt32BE(0)
    const headers = bytes.readUInt32BE(4)
    const isIntact = crc32(bytes.subarray(0, 8)) === bytes.readUInt32BE(8)
    if (isIntact && (total > this.#maxBytes || headers > MAX_HEADER_BYTES)) this.#fail('too_large')
    else if (!isIntact || total < PRELUDE_BYTES + headers + CRC_BYTES) this.#fail('malformed')
    else this.#needed = total
  }

  #fail(failure: EventStreamFailure): void {
    this.#failure = failure
    this.#chunks = []
  }
}

/** `bytes`: a complete message with a valid prelude. Returns undefined if its checksum or its headers are wrong. */
function readMessage(bytes: Buffer): EventStreamMessage | undefined {
  const end = bytes.length - CRC_BYTES
  if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) return undefined
  const payloadAt = PRELUDE_BYTES + bytes.readUInt32BE(4)
  const headers = readHeaders(bytes.subarray(PRELUDE_BYTES, payloadAt))
  return headers && { headers, payload: Buffer.from(bytes.subarray(payloadAt, end)) }
}

function readHeaders(bytes: Buffer): ReadonlyMap<string, string> | undefined {
  const headers = new Map<string, string>()
  let at = 0
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0)
    const type = bytes[nameEnd]
    if (nameEnd === at + 1 || type === undefined || type >= VALUE_BYTES.length) return undefined
    const fixed = VALUE_BYTES[type]
    const valueAt = nameEnd + 1 + (fixed === undefined ? 2 : 0)
    if (valueAt > bytes.length) return undefined
    const valueEnd = valueAt + (fixed ?? bytes.readUInt16BE(nameEnd + 1))
    if (valueEnd > bytes.length) return undefined
    const name = bytes.subarray(at + 1, nameEnd)
    const value = bytes.subarray(valueAt, valueEnd)
    if (!isUtf8(name) || (type === TEXT_TYPE && !isUtf8(value))) return undefined
    if (type === TEXT_TYPE) headers.set(name.toString('utf8'), value.toString('utf8'))
    at = valueEnd
  }
  return headers
}
