import type { ServerResponse } from 'node:http'
import { type ScriptedProvider, word } from './scripted-provider.ts'

const COMMON = { id: 'chatcmpl-grown', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'scripted' }

/** A response of the provider whose pieces a test sends one by one. */
export class GrowingResponse {
  readonly #response: ServerResponse
  /** Settled when the connection ends, by either side. */
  readonly closed: Promise<unknown>

  constructor(response: ServerResponse) {
    this.#response = response
    this.closed = new Promise((resolve) => response.once('close', resolve))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
  }

  send(...pieces: readonly string[]): void {
    for (const content of pieces) this.delta({ content })
  }

  delta(delta: object): void {
    this.#write({ choices: [{ index: 0, delta, finish_reason: null }] })
  }

  end(): void {
    this.#write({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
    this.#write({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } })
    this.#response.end('data: [DONE]\n\n')
  }

  /** Ends the connection within the response. */
  break(): void {
    this.#response.destroy()
  }

  #write(fields: object): void {
    this.#response.write(`data: ${JSON.stringify({ ...COMMON, ...fields })}\n\n`)
  }
}

/** A prompt, and the provider's response to it as soon as the gateway has asked for it. */
export function growingPrompt(provider: ScriptedProvider): { readonly prompt: string; readonly asked: Promise<GrowingResponse> } {
  const prompt = word()
  const asked = new Promise<GrowingResponse>((resolve) => {
    provider.on(prompt, (response) => resolve(new GrowingResponse(response)))
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

  /** The joined text deltas of any client API. */
  get content(): string {
    return this.events.map(textOf).join('')
  }

  get events(): readonly Readonly<Record<string, unknown>>[] {
    const lines = this.text
      .split('\n\n')
      .slice(0, -1)
      .flatMap((event) => event.split('\n'))
    const data = lines.filter((line) => line.startsWith('data: {')).map((line) => line.slice('data: '.length))
    return data.map((json) => JSON.parse(json))
  }

  async #read(): Promise<boolean> {
    const { done, value } = await this.#reader.read()
    this.text += value ?? ''
    return !done
  }
}

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
