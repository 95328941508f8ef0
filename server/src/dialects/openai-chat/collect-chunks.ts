import { type Fields, isObject, isSet, textOf } from '../../platform/lib/untrusted-json.ts'
import { MalformedStream, StreamedFields, StreamSize } from '../streamed-fields.ts'
import type { StreamCollector, StreamEffect } from '../upstream-dialect.ts'
import { StreamedCallBody, StreamedCalls } from './collect-calls.ts'
import { readContentParts } from './content-parts.ts'

/** No request can ask for more. */
const MAX_CHOICES = 128
const TEXTS: ReadonlySet<string> = new Set(['content', 'refusal', 'reasoning_content', 'reasoning'])
const PLAIN: ReadonlySet<string> = new Set(['role', 'content'])
/** A text in one of these fields of `reasoning_details` arrives in pieces (OpenRouter). */
const REASONING_TEXTS: Readonly<Record<string, string>> = { 'reasoning.text': 'text', 'reasoning.summary': 'summary' }

/** https://platform.openai.com/docs/api-reference/chat-streaming */
export class ChunkCollector implements StreamCollector {
  readonly #size = new StreamSize()
  readonly #fields = new StreamedFields(this.#size)
  readonly #choices = new Map<unknown, StreamedChoice>()

  get bytes(): number {
    return this.#size.bytes
  }

  get text(): string | undefined {
    if (this.#choices.size > 1) return undefined
    const [choice] = this.#choices.values()
    return choice ? choice.text : ''
  }

  hasOwnNumbers(chunk: Fields): boolean {
    return !isPlain(chunk)
  }

  add(chunk: Fields, length: number): StreamEffect {
    if (isSet(chunk.error)) return 'error'
    this.#size.startEvent(length)
    for (const name of Object.keys(chunk)) {
      if (name === 'choices') this.#addChoices(chunk.choices)
      // Random padding of OpenAI against guesses from the length of packets.
      else if (name !== 'obfuscation') this.#fields.replace(name, chunk[name])
    }
    return 'content'
  }

  finish(): Fields | undefined {
    const choices = [...this.#choices.values()]
    if (choices.length === 0 || !choices.every((choice) => choice.isFinished)) return undefined
    const sorted = choices.sort((a, b) => Number(a.index) - Number(b.index))
    return { ...this.#fields.toObject(), choices: sorted.map((choice) => choice.toObject()) }
  }

  #addChoices(choices: unknown): void {
    if (!isSet(choices)) return
    if (!Array.isArray(choices)) throw new MalformedStream('choices is not a list')
    for (const [position, choice] of (choices as unknown[]).entries()) {
      if (!isObject(choice)) throw new MalformedStream('a choice is not an object')
      const index = choice.index ?? position
      const known = this.#choices.get(index) ?? new StreamedChoice(index, this.#size)
      this.#choices.set(index, known)
      if (this.#choices.size > MAX_CHOICES) throw new MalformedStream('too many choices')
      known.add(choice)
    }
  }
}

/** Some servers send them in place of null, also after the reason. */
const NOT_FINISHED: ReadonlySet<unknown> = new Set([null, '', 'null'])

/** Whether the chunk has texts and the numbers of the API only, as nearly all have. */
function isPlain(chunk: Fields): boolean {
  for (const name of Object.keys(chunk)) {
    const value = chunk[name]
    if (name === 'choices') {
      if (Array.isArray(value) && !value.every(isPlainChoice)) return false
    } else if (hasNumber(value) && name !== 'created') return false
  }
  return true
}

function isPlainChoice(choice: unknown): boolean {
  if (!isObject(choice)) return true
  for (const name of Object.keys(choice)) {
    const value = choice[name]
    if (name === 'delta') {
      if (isObject(value) && Object.values(value).some(hasNumber)) return false
    } else if (hasNumber(value) && name !== 'index' && name !== 'logprobs') return false
  }
  return true
}

const hasNumber = (value: unknown): boolean => typeof value === 'number' || (typeof value === 'object' && value !== null)

class StreamedChoice {
  readonly index: unknown
  readonly #size: StreamSize
  readonly #fields: StreamedFields
  readonly #message: StreamedFields
  readonly #calls: StreamedCalls
  #functionCall: StreamedCallBody | undefined
  #logprobs: StreamedFields | undefined

  constructor(index: unknown, size: StreamSize) {
    this.index = index
    this.#size = size
    this.#fields = new StreamedFields(size)
    this.#message = new StreamedFields(size)
    this.#calls = new StreamedCalls(size)
  }

  get isFinished(): boolean {
    return isSet(this.#fields.get('finish_reason'))
  }

  get text(): string | undefined {
    const isPlain = !this.#logprobs && !this.#functionCall && this.#calls.isEmpty && this.#message.hasOnly(PLAIN)
    return isPlain ? textOf(this.#message.get('content')) : undefined
  }

  add(choice: Fields): void {
    for (const name of Object.keys(choice)) {
      const value = choice[name]
      if (name === 'delta') this.#addDelta(value)
      else if (name === 'logprobs') this.#addLogprobs(value)
      // Perplexity sends the whole message again with each delta.
      else if (name === 'message' && !isSet(choice.delta)) throw new MalformedStream('a choice has a message and no delta')
      else if (name === 'finish_reason' && NOT_FINISHED.has(value)) continue
      else if (name !== 'message' && name !== 'index') this.#fields.replace(name, value)
    }
  }

  toObject(): Fields {
    const calls = this.#calls.toList()
    const functionCall = this.#functionCall?.toObject()
    const message = { ...this.#message.toObject(), role: this.#message.get('role') || 'assistant' }
    const { content, refusal, reasoning_content, reasoning } = message as Fields
    const hasSubstitute = [calls[0], functionCall, refusal, reasoning_content, reasoning].some(
      (value) => isSet(value) && value !== '',
    )
    return {
      ...this.#fields.toObject(),
      index: this.index,
      message: {
        ...message,
        // Without a stream, a message that only calls tools has no content.
        content: content === '' && hasSubstitute ? null : content,
        ...(calls.length > 0 && { tool_calls: calls }),
        ...(functionCall && { function_call: functionCall }),
      },
      ...(this.#logprobs && { logprobs: this.#logprobs.toObject() }),
    }
  }

  #addDelta(delta: unknown): void {
    if (!isSet(delta)) return
    if (!isObject(delta)) throw new MalformedStream('a delta is not an object')
    for (const name of Object.keys(delta)) {
      const value = delta[name]
      if (name === 'content' && Array.isArray(value)) this.#addParts(value)
      else if (TEXTS.has(name)) this.#message.join(name, value)
      else if (name === 'tool_calls') this.#calls.add(value)
      else if (name === 'reasoning_details') this.#addReasoningDetails(value)
      else if (name === 'annotations') this.#message.append(name, value)
      else if (name !== 'function_call') this.#message.keep(name, value)
      else if (isSet(value)) {
        this.#functionCall ??= new StreamedCallBody('arguments', this.#size)
        this.#functionCall.add(value)
      }
    }
  }

  #addParts(parts: readonly unknown[]): void {
    const texts = readContentParts(parts)
    if (!texts) throw new MalformedStream('content has a part of an unknown type')
    this.#message.join('content', texts.content)
    if (texts.reasoning_content !== '') this.#message.join('reasoning_content', texts.reasoning_content)
  }

  #addLogprobs(logprobs: unknown): void {
    // The API has the field in each choice, as null unless the request asks for it.
    if (!isSet(logprobs)) return void this.#fields.replace('logprobs', logprobs)
    if (!isObject(logprobs)) throw new MalformedStream('logprobs is not an object')
    this.#logprobs ??= new StreamedFields(this.#size)
    for (const name of Object.keys(logprobs)) this.#logprobs.append(name, logprobs[name])
  }

  #addReasoningDetails(details: unknown): void {
    if (!Array.isArray(details)) return void this.#message.append('reasoning_details', details)
    for (const detail of details as unknown[]) {
      const list = this.#message.get('reasoning_details')
      if (Array.isArray(list) && addToDetail(list.at(-1), detail)) this.#size.addEvent()
      else this.#message.append('reasoning_details', [detail])
    }
  }
}

/** In place, because copies would take quadratic time. Returns false if the piece is another entry, since a value would be lost. */
function addToDetail(entry: unknown, piece: unknown): boolean {
  if (!isObject(entry) || !isObject(piece) || typeof entry.type !== 'string') return false
  const field = Object.hasOwn(REASONING_TEXTS, entry.type) ? REASONING_TEXTS[entry.type] : undefined
  if (field === undefined || entry.type !== piece.type || entry.index !== piece.index) return false
  const others = Object.keys(piece).filter((name) => name !== field && isSet(piece[name]))
  if (others.some((name) => isSet(entry[name]) && entry[name] !== piece[name])) return false
  const [before = '', after = ''] = [entry[field] ?? undefined, piece[field] ?? undefined]
  if (typeof before !== 'string' || typeof after !== 'string') return false
  const changed = entry as Record<string, unknown>
  for (const name of others) changed[name] = piece[name]
  changed[field] = before + after
  return true
}
