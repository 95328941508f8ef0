import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from './scripted-provider.ts'
import { noteStream } from './upstream-stream.ts'

export interface ResponsesCall {
  /** Path and query. */
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly raw: string
  readonly body: Readonly<Record<string, unknown>>
}

type Behaviour = (response: ServerResponse, call: ResponsesCall) => void

/** A valid response object with this output. */
export const responseObject = (output: readonly object[], more: object = {}) => ({
  id: 'resp_scripted',
  object: 'response',
  created_at: 1_700_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  model: 'scripted-2026',
  output,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: 'default',
  store: false,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  usage: {
    input_tokens: 11,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 18,
  },
  metadata: {},
  ...more,
})

export const messageItem = (text: string, more: object = {}) => ({
  id: 'msg_scripted',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [], ...more }],
})

export const callItem = (call_id: string, name: string, input: object = {}) => ({
  id: `fc_${call_id}`,
  type: 'function_call',
  status: 'completed',
  call_id,
  name,
  arguments: JSON.stringify(input),
})

export const saysItems =
  (output: readonly object[], more: object = {}): Behaviour =>
  (response) =>
    json(response, 200, responseObject(output, more))

/** An error as the API sends it. */
export const responsesError =
  (status: number, error: object): Behaviour =>
  (response) =>
    json(response, status, { error: { message: 'upstream-private-diagnostics', type: 'invalid_request_error', ...error } })

/** Starts a provider with the Responses API on loopback. A word of the prompt selects its behaviour: `on('marmot', saysItems([…]))`. */
export async function startScriptedResponses() {
  const scripts = new Map<string, Behaviour>()
  const calls: ResponsesCall[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method, url: path = '', headers } = request
    if (method === 'GET') return json(response, 200, { object: 'list', data: [{ id: 'scripted', object: 'model' }] })
    const raw = Buffer.concat(chunks).toString()
    const call: ResponsesCall = { path, headers, raw, body: JSON.parse(raw) }
    calls.push(call)
    noteStream(response, call)
    const script = [...scripts].find(([word]) => raw.includes(word))?.[1]
    if (script) return script(response, call)
    return json(response, 200, responseObject([messageItem('Noted.')]))
  })
  server.on('clientError', (_error, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    calls,
    on: (word: string, behaviour: Behaviour): void => void scripts.set(word, behaviour),
    /** The calls whose body contains `word`. */
    callsWith: (word: string): ResponsesCall[] => calls.filter(({ raw }) => raw.includes(word)),
    close: async (): Promise<void> => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type ScriptedResponses = Awaited<ReturnType<typeof startScriptedResponses>>
