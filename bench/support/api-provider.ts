import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LONG_ANSWER, LONG_MODEL, SHORT_ANSWER } from './chat-bodies.ts'
import { serveHelper } from './helper-process.ts'

type Fields = Readonly<Record<string, unknown>>

/** A response in one API, as JSON and as the events of a stream with about 24 characters each. */
interface Response {
  readonly json: Buffer
  readonly stream: Buffer
}

const pieces = (text: string): readonly string[] => text.match(/.{1,24}/gs) ?? []
const sent = (json: Fields, events: readonly (Fields | string)[]): Response => ({
  json: Buffer.from(JSON.stringify(json)),
  stream: Buffer.from(
    events
      .map((event) =>
        typeof event === 'string' ? `data: ${event}\n\n` : `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`,
      )
      .join(''),
  ),
})

function chat(content: string): Response {
  const usage = { prompt_tokens: 180, completion_tokens: 120, total_tokens: 300 }
  const head = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'mock-model' }
  const chunk = (delta: Fields, finish_reason: string | null, more: Fields = {}) =>
    JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...more })
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }]
  return sent({ ...head, object: 'chat.completion', choices, usage }, [
    chunk({ role: 'assistant', content: '' }, null),
    ...pieces(content).map((piece) => chunk({ content: piece }, null)),
    chunk({}, 'stop', { usage }),
    '[DONE]',
  ])
}

function message(text: string): Response {
  const usage = { input_tokens: 180, output_tokens: 120 }
  const head = { id: 'msg_bench', type: 'message', role: 'assistant', model: 'mock-model', stop_sequence: null }
  return sent({ ...head, content: [{ type: 'text', text }], stop_reason: 'end_turn', usage }, [
    { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...pieces(text).map((piece) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
    { type: 'message_stop' },
  ])
}

function response(text: string): Response {
  const item = {
    id: 'msg_bench',
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [] }],
  }
  const usage = { input_tokens: 180, output_tokens: 120, total_tokens: 300 }
  const head = { id: 'resp_bench', object: 'response', created_at: 1_700_000_000, model: 'mock-model' }
  const complete = { ...head, status: 'completed', output: [item], usage }
  return sent(complete, [
    { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    ...pieces(text).map((delta) => ({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta })),
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: complete },
  ])
}

const APIS = [
  ['/v1/messages', message],
  ['/v1/responses', response],
  ['/v1/chat/completions', chat],
] as const
const RESPONSES = APIS.map(([path, make]) => ({ path, short: make(SHORT_ANSWER), long: make(LONG_ANSWER) }))
const [longModel, asStream] = [`"model":"${LONG_MODEL}"`, '"stream":true']

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** A provider with the three APIs that responds at once, as a stream if the request asks for one. */
const server = createServer(async (request, reply) => {
  const body = await bodyOf(request)
  const known = RESPONSES.find(({ path }) => path === request.url)
  if (!known) return reply.writeHead(404).end()
  const { json, stream } = body.includes(longModel) ? known.long : known.short
  const isStream = body.includes(asStream)
  const type = isStream ? 'text/event-stream' : 'application/json'
  const content = isStream ? stream : json
  return reply.writeHead(200, { 'content-type': type, 'content-length': content.length }).end(content)
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => serveHelper((server.address() as AddressInfo).port))
