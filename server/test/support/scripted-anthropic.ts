import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from './scripted-provider.ts'
import { noteStream } from './upstream-stream.ts'

export interface AnthropicCall {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  readonly body: Readonly<Record<string, unknown>>
}

type Behaviour = (response: ServerResponse, call: AnthropicCall) => void

/** A valid message with these blocks. */
export const anthropicMessage = (content: readonly object[], more: object = {}) => ({
  id: 'msg_scripted',
  type: 'message',
  role: 'assistant',
  model: 'claude-scripted',
  content,
  stop_reason: 'end_turn',
  stop_sequence: null,
  stop_details: null,
  container: null,
  usage: {
    input_tokens: 11,
    output_tokens: 7,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    service_tier: 'standard',
  },
  ...more,
})

export const saysBlocks =
  (content: readonly object[], more: object = {}): Behaviour =>
  (response) =>
    json(response, 200, anthropicMessage(content, more))

export const saysText = (text: string, more: object = {}): Behaviour => saysBlocks([{ type: 'text', text }], more)

/** An error as the API sends it. */
export const anthropicError =
  (status: number, type: string, message: string, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    json(response, status, { type: 'error', error: { type, message }, request_id: 'req_1' }, headers)

/** Two pages of models. */
const MODELS_PAGES: Readonly<Record<string, object>> = {
  '/v1/models?limit=1000': {
    data: [{ type: 'model', id: 'claude-b' }],
    has_more: true,
    first_id: 'claude-b',
    last_id: 'claude-b',
  },
  '/v1/models?limit=1000&after_id=claude-b': { data: [{ type: 'model', id: 'claude-a' }], has_more: false, last_id: 'claude-a' },
}

/** Starts a provider with the Messages API on loopback. A word of the prompt selects its behaviour: `on('marmot', saysText('…'))`. */
export async function startScriptedAnthropic() {
  const scripts = new Map<string, Behaviour>()
  const calls: AnthropicCall[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url: path = '', headers } = request
    const raw = Buffer.concat(chunks).toString()
    const call: AnthropicCall = { method, path, headers, raw, body: raw === '' ? {} : JSON.parse(raw) }
    calls.push(call)
    noteStream(response, call)
    if (method === 'GET') return json(response, MODELS_PAGES[path] ? 200 : 404, MODELS_PAGES[path] ?? {})
    const script = [...scripts].find(([word]) => raw.includes(word))?.[1]
    if (script) return script(response, call)
    return json(response, 200, anthropicMessage([{ type: 'text', text: 'Noted.' }]))
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    on: (word: string, behaviour: Behaviour): void => void scripts.set(word, behaviour),
    /** The calls whose body contains `word`. */
    callsWith: (word: string): AnthropicCall[] => calls.filter(({ raw }) => raw.includes(word)),
    close: async (): Promise<void> => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type ScriptedAnthropic = Awaited<ReturnType<typeof startScriptedAnthropic>>
