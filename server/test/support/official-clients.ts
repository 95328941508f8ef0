import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'

/** A request of an official client. */
export interface Sent {
  /** Address of the gateway. */
  readonly base: string
  readonly apiKey: string
  readonly prompt: string
  readonly model?: string
  /** Further fields of the body. */
  readonly more?: object
}

export interface SendOptions {
  readonly stream: boolean
  /** The responses that the client has received. */
  readonly responses: Response[]
  readonly fetch?: typeof fetch
}

/** Sends a request with the client's own retries. */
type Send = (sent: Sent, options: SendOptions) => PromiseLike<unknown>

const recording =
  ({ responses, fetch: send = fetch }: SendOptions): typeof fetch =>
  async (input, init) => {
    const response = await send(input, init)
    responses.push(response)
    return response
  }

const openai = ({ base, apiKey }: Sent, options: SendOptions) =>
  new OpenAI({ apiKey, baseURL: `${base}/v1`, fetch: recording(options) })

export const OFFICIAL_CLIENTS: Readonly<Record<string, Send>> = {
  'chat completions': (sent, options) => {
    const { prompt, model = 'scripted', more } = sent
    const body = { model, messages: [{ role: 'user' as const, content: prompt }], stream: options.stream, ...more }
    return openai(sent, options).chat.completions.create(body)
  },
  responses: (sent, options) => {
    const { prompt, model = 'scripted', more } = sent
    return openai(sent, options).responses.create({ model, input: prompt, stream: options.stream, ...more })
  },
  messages: (sent, options) => {
    const { base, apiKey, prompt, model = 'scripted', more } = sent
    const client = new Anthropic({ apiKey, baseURL: base, fetch: recording(options) })
    const messages = [{ role: 'user' as const, content: prompt }]
    return client.messages.create({ model, max_tokens: 50, messages, stream: options.stream, ...more })
  },
}

/** The fields of ours in the error that a client throws. */
export function fieldsOf(error: unknown): Readonly<Record<string, unknown>> {
  const { error: body } = error as { readonly error: { readonly type?: string; readonly error?: object } }
  return (body.type === 'error' ? body.error : body) as Readonly<Record<string, unknown>>
}

/** Tells the client to wait a millisecond before a retry, and notes the seconds of `Retry-After`. */
export const impatient =
  (waits: number[]): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init)
    const seconds = response.headers.get('retry-after')
    if (response.ok) return response
    if (seconds !== null) waits.push(Number(seconds))
    const headers = new Headers(response.headers)
    headers.set('retry-after-ms', '1')
    return new Response(response.body, { status: response.status, headers })
  }
