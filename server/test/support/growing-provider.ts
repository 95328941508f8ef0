import type { ServerResponse } from 'node:http'
import { DETECTORS } from '../../src/domains/classification/detectors.ts'
import { isBounded, windowOf } from '../../src/domains/classification/growing-scan.ts'
import type { FindingName } from '../../src/shared/finding.ts'
import { STREAM_FORMS, type StreamForm } from './growing-streams.ts'
import { word } from './scripted-provider.ts'
import { eventText } from './upstream-stream.ts'

const DETECTED = DETECTORS.filter(isBounded)

/** How many characters of a text without findings leave when a rule reads these findings: all words before the window. */
export const clearLength = (text: string, ...reads: readonly FindingName[]): number =>
  text.lastIndexOf(' ', text.length - windowOf({ detectors: DETECTED, reads }) - 1) + 1

/** A response of the provider whose pieces a test sends one by one. */
export class GrowingResponse {
  readonly #response: ServerResponse
  readonly #form: StreamForm
  /** Settled when the connection ends, by either side. */
  readonly closed: Promise<unknown>
  #text = ''
  /** The end of the response; undefined: nothing of it was sent. */
  #held: string | undefined

  constructor(response: ServerResponse, form: StreamForm) {
    this.#response = response
    this.#form = form
    this.closed = new Promise((resolve) => response.once('close', resolve))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const event of form.start) this.#write(event)
  }

  send(...pieces: readonly string[]): void {
    for (const piece of pieces) {
      this.#text += piece
      this.#write(this.#form.delta(piece))
    }
  }

  /** A delta of the chat API that is no text. */
  delta(delta: object): void {
    this.#write({ choices: [{ index: 0, delta, finish_reason: null }] })
  }

  /** Sends the end of the response, except for its last byte, which `end` sends. */
  holdLastByte(): void {
    const end = this.#form.end(this.#text).map(eventText).join('') + this.#form.trailer
    this.#response.write(end.slice(0, -1))
    this.#held = end.slice(-1)
  }

  end(): void {
    if (this.#held === undefined) this.holdLastByte()
    this.#response.end(this.#held)
  }

  /** Ends the connection within the response. */
  break(): void {
    this.#response.destroy()
  }

  #write(event: Readonly<Record<string, unknown>>): void {
    this.#response.write(eventText(event))
  }
}

interface Provider {
  readonly on: (word: string, behaviour: (response: ServerResponse) => void) => void
}

/** A prompt, and the provider's response to it as soon as the gateway has asked for it. Default form: that of the chat API. */
export function growingPrompt(
  provider: Provider,
  form: StreamForm = STREAM_FORMS.scripted,
): { readonly prompt: string; readonly asked: Promise<GrowingResponse> } {
  const prompt = word()
  const asked = new Promise<GrowingResponse>((resolve) => {
    provider.on(prompt, (response) => resolve(new GrowingResponse(response, form)))
  })
  return { prompt, asked }
}

/** A streamed response of the gateway that a test reads piece by piece. */
export class ReadStream {
  readonly response: Response
  readonly #reader: ReadableStreamDefaultReader<string>
  text = ''

  constructor(response: Response) {
    this.response = response
    if (!response.body) throw new Error('the response has no body')
    this.#reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  }

  /** Reads until the content has `length` characters. Throws if the stream ends before. */
  async until(length: number): Promise<string> {
    while (this.content.length < length) if (!(await this.#read())) throw new Error(`the stream ended: ${this.text}`)
    return this.content
  }

  /** Reads to the end. */
  async rest(): Promise<string> {
    while (await this.#read());
    return this.text
  }

  cancel = (): Promise<void> => this.#reader.cancel()

  get content(): string {
    return contentOf(this.text)
  }

  get events(): readonly Event[] {
    return eventsOf(this.text)
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read()
    this.text += value ?? ''
    return !done
  }
}

type Event = Readonly<Record<string, unknown>>

/** The events of a stream, as far as they are complete. */
function eventsOf(text: string): readonly Event[] {
  const lines = text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((event) => event.split('\n'))
  const data = lines.filter((line) => line.startsWith('data: {')).map((line) => line.slice('data: '.length))
  return data.map((json) => JSON.parse(json))
}

/** The joined text deltas of a stream of any client API. */
const contentOf = (text: string): string => eventsOf(text).map(textOf).join('')

interface AnyDelta {
  readonly type?: string
  readonly delta?: string | { readonly text?: string }
  readonly choices?: readonly { readonly delta: { readonly content?: string | null } }[]
}

function textOf({ type, delta, choices }: AnyDelta): string {
  if (choices) return choices[0]?.delta.content ?? ''
  if (type === 'response.output_text.delta') return String(delta)
  return type === 'content_block_delta' && typeof delta === 'object' ? (delta.text ?? '') : ''
}
