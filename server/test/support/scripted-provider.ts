import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { startLoopback } from './loopback.ts'
import { noteStream, sendStream } from './upstream-stream.ts'

/** A request of the gateway to a scripted provider. */
export interface ScriptedCall<Body = Readonly<Record<string, unknown>>> {
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  readonly body: Body
}

export type Behaviour<Body = Readonly<Record<string, unknown>>> = (response: ServerResponse, call: ScriptedCall<Body>) => void

interface ChatBody {
  model: string
  messages: { role: string; content: string }[]
  stream?: boolean
  [field: string]: unknown
}

export type ProviderCall = ScriptedCall<ChatBody>

/** A valid completion with the content `text`. */
export const completion = (text: string, more: Record<string, unknown> = {}) => ({
  id: 'chatcmpl-scripted',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'scripted',
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  ...more,
})

/** A valid response to the embeddings request `body`: the vector of a text is its position in `input`, its length and 0.5. */
export function embeddingList({ input, encoding_format: encoding }: Readonly<Record<string, unknown>>) {
  const vectors = [input].flat().map((text, index) => [index, String(text).length, 0.5])
  const encoded = vectors.map((vector) => Buffer.from(new Float32Array(vector).buffer).toString('base64'))
  const data = (encoding === 'base64' ? encoded : vectors).map((embedding, index) => ({ object: 'embedding', index, embedding }))
  return { object: 'list', data, model: 'scripted', usage: { prompt_tokens: 9, total_tokens: 9 } }
}

/** Sends the value; as a stream if it is a completion for a request that asks for a stream. */
export const json = (response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void => {
  if (status === 200 && sendStream(response, value)) return
  plainJson(response, status, value, headers)
}

/** Sends the value, also if the request asks for a stream: many compatible servers do that. */
export const plainJson = (
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

export const says =
  (text: string): Behaviour<ChatBody> =>
  (response) =>
    json(response, 200, completion(text))

/**
 * Starts a provider on loopback. A word of the prompt selects its behaviour: `on('marmot', says('…'))`. Without such a word it behaves as
 * `usual`. `intercept` returns true if it has responded to a request itself.
 */
export async function startScripted<Body = Readonly<Record<string, unknown>>>(
  usual: Behaviour<Body>,
  intercept: (response: ServerResponse, call: ScriptedCall<Body>) => boolean = () => false,
) {
  const scripts = new Map<string, Behaviour<Body>>()
  const calls: ScriptedCall<Body>[] = []
  const server = await startLoopback(({ method = '', url: path = '', headers }, response, bytes) => {
    const raw = bytes.toString()
    const call = { method, path, headers, raw, body: raw === '' ? {} : JSON.parse(raw) }
    noteStream(response, call)
    if (intercept(response, call)) return
    calls.push(call)
    const script = [...scripts].find(([word]) => raw.includes(word))?.[1] ?? usual
    script(response, call)
  })
  return {
    ...server,
    calls,
    on: (word: string, behaviour: Behaviour<Body>): void => void scripts.set(word, behaviour),
    /** The calls whose body contains `word`. */
    callsWith: (word: string) => calls.filter(({ raw }) => raw.includes(word)),
    reset: (): void => {
      scripts.clear()
      calls.length = 0
    },
  }
}

/** Responds to a request for the models of a provider with the APIs of OpenAI. */
export function listModels(response: ServerResponse, { method }: Pick<ScriptedCall, 'method'>): boolean {
  if (method !== 'GET') return false
  json(response, 200, { object: 'list', data: [{ id: 'scripted', object: 'model', owned_by: 'test' }] })
  return true
}

/** Starts an OpenAI-compatible provider, which echoes a prompt without a script. */
export async function startScriptedProvider() {
  const provider = await startScripted<ChatBody>((response, { path, body }) => {
    const isEmbeddings = path.endsWith('/embeddings')
    json(response, 200, isEmbeddings ? embeddingList(body) : completion(`You said: ${body.messages.at(-1)?.content ?? ''}`))
  }, listModels)
  return { ...provider, url: `${provider.url}/v1` }
}
export type ScriptedProvider = Awaited<ReturnType<typeof startScriptedProvider>>

/** A random word, so that no detector matches it. Consonants and vowels alternate: rules can ask for words that it cannot contain. */
export function word(): string {
  const pick = (letters: string) => letters[Math.floor(Math.random() * letters.length)] ?? ''
  return Array.from({ length: 5 }, () => pick('bdfgklmnprtvz') + pick('aeiou')).join('')
}
