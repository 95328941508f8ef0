import { isJson } from '../../platform/lib/json.ts'
import { type Fields, isObject, isSet, textOf } from '../../platform/lib/untrusted-json.ts'
import { MalformedStream, StreamedFields, type StreamSize } from '../streamed-fields.ts'

/** No request can ask for more. */
const MAX_CALLS = 128
/** The body of a call and the field of it that arrives in pieces. */
const INPUTS: Readonly<Record<string, string>> = { function: 'arguments', custom: 'input' }

export class StreamedCallBody {
  readonly #input: string
  readonly #fields: StreamedFields
  readonly #progress = new JsonProgress()
  #isJson: boolean | undefined

  constructor(input: string, size: StreamSize) {
    this.#input = input
    this.#fields = new StreamedFields(size)
    // A call without arguments may have no piece of them.
    this.#fields.join(input, '')
  }

  add(body: unknown): void {
    if (!isObject(body)) throw new MalformedStream('a call is not an object')
    for (const name of Object.keys(body)) {
      if (name === this.#input) {
        this.#fields.join(name, body[name])
        this.#progress.add(textOf(body[name]))
      } else this.#fields.keep(name, body[name])
    }
  }

  /** Whether a piece with a name begins another call: it has another name, stands in the same list, or this call's input is complete. */
  isFollowedBy(body: Fields, isInList: boolean): boolean {
    const [name, next] = [this.#fields.get('name'), body.name].map(textOf)
    if (name === '' || next === '') return false
    return name !== next || isInList || (textOf(body[this.#input]) !== '' && this.#isComplete())
  }

  /** Parses the input at most once: whatever follows a bracket that closes all others, it is JSON then or never. */
  #isComplete(): boolean {
    if (!this.#progress.isClosed) return false
    this.#isJson ??= isJson(textOf(this.#fields.get(this.#input)))
    return this.#isJson
  }

  toObject = (): Fields => this.#fields.toObject()
}

class StreamedCall {
  readonly #size: StreamSize
  readonly #fields: StreamedFields
  readonly #bodies = new Map<string, StreamedCallBody>()

  constructor(size: StreamSize) {
    this.#size = size
    this.#fields = new StreamedFields(size)
  }

  get id(): unknown {
    return this.#fields.get('id')
  }

  /** Whether the piece begins another call. Names tell if this call has no id. */
  isFollowedBy(call: Fields, isInList: boolean): boolean {
    const [id, next] = [this.id, call.id].map(textOf)
    if (id !== '') return next !== '' && next !== id
    return [...this.#bodies].some(([name, body]) => isObject(call[name]) && body.isFollowedBy(call[name], isInList))
  }

  add(call: Fields): void {
    for (const name of Object.keys(call)) {
      const input = Object.hasOwn(INPUTS, name) ? INPUTS[name] : undefined
      if (input === undefined) this.#fields.keep(name, call[name])
      else if (isSet(call[name])) this.#bodyOf(name, input).add(call[name])
    }
  }

  toObject(): Fields {
    const bodies = [...this.#bodies].map(([name, body]): [string, Fields] => [name, body.toObject()])
    return { ...this.#fields.toObject(), ...Object.fromEntries(bodies) }
  }

  #bodyOf(name: string, input: string): StreamedCallBody {
    const body = this.#bodies.get(name) ?? new StreamedCallBody(input, this.#size)
    this.#bodies.set(name, body)
    return body
  }
}

export class StreamedCalls {
  readonly #size: StreamSize
  readonly #calls: StreamedCall[] = []
  readonly #byIndex = new Map<unknown, StreamedCall>()

  constructor(size: StreamSize) {
    this.#size = size
  }

  get isEmpty(): boolean {
    return this.#calls.length === 0
  }

  add(calls: unknown): void {
    if (!isSet(calls)) return
    if (!Array.isArray(calls)) throw new MalformedStream('tool_calls is not a list')
    const inChunk = new Set<StreamedCall>()
    for (const piece of calls as unknown[]) {
      if (!isObject(piece)) throw new MalformedStream('a tool call is not an object')
      const call = this.#callOf(piece, inChunk)
      inChunk.add(call)
      call.add(piece)
    }
  }

  toList = (): readonly Fields[] => this.#calls.map((call) => call.toObject())

  /** The call that a piece belongs to. Some servers send no index or no id, others the same index for all calls. */
  #callOf(piece: Fields, inChunk: ReadonlySet<StreamedCall>): StreamedCall {
    const { index } = piece
    const id = textOf(piece.id)
    const known = isSet(index)
      ? this.#byIndex.get(index)
      : id !== ''
        ? this.#calls.find((call) => call.id === id)
        : this.#calls.at(-1)
    if (known && !known.isFollowedBy(piece, inChunk.has(known))) return known
    if (this.#calls.length === MAX_CALLS) throw new MalformedStream('too many tool calls')
    const call = new StreamedCall(this.#size)
    this.#calls.push(call)
    if (isSet(index)) this.#byIndex.set(index, call)
    return call
  }
}

/** Follows the brackets of a JSON text that arrives in pieces, so that no piece makes its reader look at the whole text again. */
export class JsonProgress {
  #depth = 0
  #inString = false
  #isEscaped = false
  #hasBegun = false

  /** Whether the text has an object or a list, and each of its brackets is closed. */
  get isClosed(): boolean {
    return this.#hasBegun && this.#depth <= 0 && !this.#inString
  }

  add(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      const character = piece[at]
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#inString) {
        if (character === '"') this.#inString = false
        else if (character === '\\') this.#isEscaped = true
      } else if (character === '"') this.#inString = true
      else if (character === '{' || character === '[') {
        this.#depth++
        this.#hasBegun = true
      } else if (character === '}' || character === ']') this.#depth--
    }
  }
}
