import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { noteStream, sendStream } from './upstream-stream.ts'

export interface ProviderCall {
  readonly raw: string
  readonly body: { model: string; messages: { role: string; content: string }[]; stream?: boolean; [field: string]: unknown }
  readonly headers: IncomingHttpHeaders
  /** Path and query. */
  readonly path: string
}

type Behaviour = (response: ServerResponse, call: ProviderCall) => void

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
  (text: string): Behaviour =>
  (response) =>
    json(response, 200, completion(text))

/**
 * Starts an OpenAI-compatible provider on loopback. A word of the prompt selects its behaviour: `on('marmot', says('…'))`.
 * It echoes a prompt without such a word.
 */
export async function startScriptedProvider() {
  const scripts = new Map<string, Behaviour>()
  const calls: ProviderCall[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (request.method === 'GET')
      return json(response, 200, { object: 'list', data: [{ id: 'scripted', object: 'model', owned_by: 'test' }] })
    const raw = Buffer.concat(chunks).toString()
    const call: ProviderCall = { raw, body: JSON.parse(raw), headers: request.headers, path: request.url ?? '' }
    calls.push(call)
    noteStream(response, call)
    const script = [...scripts].find(([word]) => raw.includes(word))?.[1]
    if (script) return script(response, call)
    if (call.path.endsWith('/embeddings')) return json(response, 200, embeddingList(call.body))
    return json(response, 200, completion(`You said: ${call.body.messages.at(-1)?.content ?? ''}`))
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    on: (word: string, behaviour: Behaviour): void => void scripts.set(word, behaviour),
    /** The calls whose body contains `word`. */
    callsWith: (word: string): ProviderCall[] => calls.filter(({ raw }) => raw.includes(word)),
    /** Removes all scripts and calls. */
    reset: (): void => {
      scripts.clear()
      calls.length = 0
    },
    close: async (): Promise<void> => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type ScriptedProvider = Awaited<ReturnType<typeof startScriptedProvider>>

/** A random pronounceable word of letters, so that no detector matches it. */
export function word(): string {
  const pick = (letters: string) => letters[Math.floor(Math.random() * letters.length)] ?? ''
  return Array.from({ length: 5 }, () => pick('bdfgklmnprtvz') + pick('aeiou')).join('')
}
