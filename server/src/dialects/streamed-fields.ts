import { isSet } from '../platform/lib/untrusted-json.ts'

/** Ends the reading of a stream whose events contradict each other or the API. The reader turns it into a value. */
export class MalformedStream extends Error {
  constructor(reason: string) {
    super(`The stream of the provider is malformed: ${reason}`)
    this.name = 'MalformedStream'
  }
}

/** Counts what a stream has carried, without the framing that each event repeats. */
export class StreamSize {
  bytes = 0
  #eventLength = 0

  startEvent(length: number): void {
    this.#eventLength = length
  }

  addText(text: string): void {
    this.bytes += Buffer.byteLength(text)
  }

  addBytes(bytes: number): void {
    this.bytes += bytes
  }

  addEvent(): void {
    this.bytes += this.#eventLength
    this.#eventLength = 0
  }
}

const FIELD_BYTES = 16

/** Bytes of the value as JSON, for a text without escapes. Throws a RangeError if it is nested too deeply to be written. */
const sizeOf = (value: unknown): number =>
  typeof value === 'string' ? Buffer.byteLength(value) : typeof value === 'object' ? JSON.stringify(value).length : 0

/** The fields of one object that arrives in pieces. `null` counts only until another value arrives. */
export class StreamedFields {
  /** A map, because an untrusted name could change the prototype of an object. */
  readonly #values = new Map<string, unknown>()
  /** Of the largest value that each name had: a small value must not reserve space for a large one. */
  readonly #sizes = new Map<string, number>()
  readonly #size: StreamSize

  constructor(size: StreamSize) {
    this.#size = size
  }

  get(name: string): unknown {
    return this.#values.get(name)
  }

  /** Throws MalformedStream if the piece is not a text. */
  join(name: string, piece: unknown): void {
    if (!isSet(piece)) return void this.#keepNull(name)
    if (typeof piece !== 'string') throw new MalformedStream(`${name} is not a text`)
    this.#size.addText(piece)
    this.#values.set(name, ((this.#values.get(name) as string | null | undefined) ?? '') + piece)
  }

  /** Throws MalformedStream if the entries are not in a list. */
  append(name: string, entries: unknown): void {
    if (!isSet(entries)) return void this.#keepNull(name)
    if (!Array.isArray(entries)) throw new MalformedStream(`${name} is not a list`)
    const known = this.#values.get(name)
    const list: unknown[] = Array.isArray(known) ? known : []
    for (const entry of entries) list.push(entry)
    if (entries.length > 0) this.#size.addEvent()
    this.#values.set(name, list)
  }

  /** The last value counts: a state that later events replace. */
  replace(name: string, value: unknown): void {
    if (!isSet(value)) return void this.#keepNull(name)
    if (this.#values.get(name) !== value) this.#set(name, value)
  }

  /** All events must have the same value. Throws MalformedStream if they differ, because one of them would be lost. */
  keep(name: string, value: unknown): void {
    if (!isSet(value)) return void this.#keepNull(name)
    const known = this.#values.get(name)
    if (known === value || (value === '' && isSet(known))) return
    if (isSet(known) && known !== '' && JSON.stringify(known) !== JSON.stringify(value)) {
      throw new MalformedStream('a field has different values')
    }
    this.#set(name, value)
  }

  hasOnly(names: ReadonlySet<string>): boolean {
    for (const [name, value] of this.#values) if (isSet(value) && value !== '' && !names.has(name)) return false
    return true
  }

  toObject(): Record<string, unknown> {
    return Object.fromEntries(this.#values)
  }

  #keepNull(name: string): void {
    if (!this.#values.has(name)) this.#set(name, null)
  }

  #set(name: string, value: unknown): void {
    const known = this.#sizes.get(name)
    const size = sizeOf(value)
    this.#size.addBytes(known === undefined ? FIELD_BYTES + name.length + size : Math.max(0, size - known))
    this.#sizes.set(name, Math.max(known ?? 0, size))
    this.#values.set(name, value)
  }
}
