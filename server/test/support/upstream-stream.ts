import type { ServerResponse } from 'node:http'
import { bedrockChunk } from './event-stream.ts'

// The streams that providers send instead of a complete response: https://platform.openai.com/docs/api-reference/chat-streaming and
// https://platform.claude.com/docs/en/build-with-claude/streaming.

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value)
const isList = (value: unknown): value is Fields[] => Array.isArray(value) && value.length > 0 && value.every(isFields)

const MAX_PIECES = 24
const pieces = (text: string): string[] => {
  const length = Math.max(4, Math.ceil(text.length / MAX_PIECES))
  return Array.from({ length: Math.ceil(text.length / length) }, (_, index) => text.slice(index * length, (index + 1) * length))
}

const PIECED = ['reasoning_content', 'reasoning', 'content', 'refusal']

function deltasOf({ role, tool_calls: calls, ...message }: Fields): Fields[] {
  const whole = Object.entries(message).filter(([name, value]) => !PIECED.includes(name) || typeof value !== 'string')
  const hasText = typeof message.content === 'string'
  const deltas: Fields[] = [{ role, ...Object.fromEntries(whole), content: hasText ? '' : message.content }]
  for (const name of PIECED) {
    const text = message[name]
    if (typeof text === 'string') deltas.push(...pieces(text).map((piece) => ({ [name]: piece })))
  }
  for (const [index, call] of ((calls ?? []) as Fields[]).entries()) {
    const type = String(call.type ?? 'function')
    const { [type]: body, ...rest } = call
    const input = type === 'custom' ? 'input' : 'arguments'
    const { [input]: text, ...named } = body as Fields
    deltas.push({ tool_calls: [{ ...rest, index, [type]: { ...named, [input]: '' } }] })
    deltas.push(...pieces(String(text)).map((piece) => ({ tool_calls: [{ index, [type]: { [input]: piece } }] })))
  }
  return deltas
}

const isPieceable = ({ message, finish_reason: reason }: Fields): boolean => {
  if (!isFields(message) || typeof reason !== 'string') return false
  const { tool_calls: calls = null } = message
  if (calls === null || (Array.isArray(calls) && calls.length === 0)) return true
  return isList(calls) && calls.every((call) => typeof (call.function as Fields | undefined)?.arguments === 'string')
}

/** The chunks of a completion; undefined: it is not valid, so it is sent as it is. */
function chunksOf(completion: unknown): Fields[] | undefined {
  if (!isFields(completion) || !isList(completion.choices) || !completion.choices.every(isPieceable)) return undefined
  const { usage, choices: _, ...head } = completion
  const chunk = (choices: Fields[], more: Fields = {}) => ({ ...head, object: 'chat.completion.chunk', choices, ...more })
  const chunks = completion.choices.flatMap(({ message, index, finish_reason, ...rest }, position) => [
    ...deltasOf(message as Fields).map((delta) =>
      chunk([{ index: index ?? position, delta, finish_reason: null }], { usage: null }),
    ),
    chunk([{ index: index ?? position, delta: {}, finish_reason, ...rest }]),
  ])
  return usage === undefined ? chunks : [...chunks, chunk([], { usage })]
}

const DELTAS: Readonly<Record<string, (block: Fields) => { start: Fields; deltas: Fields[] }>> = {
  text: ({ text, ...rest }) => ({
    start: { ...rest, text: '' },
    deltas: pieces(String(text)).map((piece) => ({ type: 'text_delta', text: piece })),
  }),
  thinking: ({ thinking, signature, ...rest }) => ({
    start: { ...rest, thinking: '', signature: '' },
    deltas: [
      ...pieces(String(thinking)).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
      { type: 'signature_delta', signature },
    ],
  }),
  tool_use: ({ input, ...rest }) => ({
    start: { ...rest, input: {} },
    deltas: ['', ...pieces(JSON.stringify(input))].map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
  }),
}

/** The events of a message; undefined: it is not valid, so it is sent as it is. */
export function eventsOf(message: unknown): Fields[] | undefined {
  if (!isFields(message) || message.type !== 'message' || !Array.isArray(message.content)) return undefined
  const { content, stop_reason, stop_sequence, stop_details, usage, ...head } = message
  if (!isList(content) || typeof stop_reason !== 'string' || !isFields(usage)) return undefined
  const { output_tokens, ...input } = usage
  return [
    { type: 'message_start', message: { ...head, content: [], stop_reason: null, usage: { ...input, output_tokens: 1 } } },
    ...content.flatMap((block, index) => {
      const { start, deltas } = DELTAS[String(block.type)]?.(block) ?? { start: block, deltas: [] }
      return [
        { type: 'content_block_start', index, content_block: start },
        { type: 'ping' },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]
    }),
    { type: 'message_delta', delta: { stop_reason, stop_sequence, stop_details }, usage: { output_tokens } },
    { type: 'message_stop' },
  ]
}

/** The events of a response object; undefined: it is not valid, so it is sent as it is. */
function responseEventsOf(value: unknown): Fields[] | undefined {
  if (!isFields(value) || value.object !== 'response' || typeof value.status !== 'string' || !isList(value.output))
    return undefined
  const response = { ...value, status: 'in_progress', output: [], usage: null }
  const items = value.output.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item: { ...item, content: [] } },
    ...pieces(JSON.stringify(item.content ?? '')).map((delta) => ({ type: 'response.output_text.delta', output_index, delta })),
    { type: 'response.output_item.done', output_index, item },
  ])
  const events: Fields[] = [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    ...items,
    { type: `response.${value.status}`, response: value },
  ]
  return events.map((event, sequence_number) => ({ ...event, sequence_number }))
}

/** An event as providers send it. */
export const eventText = (event: Readonly<Fields>): string => {
  const name = typeof event.type === 'string' ? `event: ${event.type}\n` : ''
  return `${name}data: ${JSON.stringify(event)}\n\n`
}

/** The stream of a response as text; undefined: the response is not valid, so it is sent as it is. */
export function streamTextOf(response: unknown): string | undefined {
  const chunks = chunksOf(response)
  if (chunks) return `${chunks.map(eventText).join('')}data: [DONE]\n\n`
  return (eventsOf(response) ?? responseEventsOf(response))?.map(eventText).join('')
}

interface Stream {
  readonly mediaType: string
  readonly content: string | Buffer
}

const serverSentEvents = (value: unknown): Stream | undefined => {
  const content = streamTextOf(value)
  return content === undefined ? undefined : { mediaType: 'text/event-stream; charset=utf-8', content }
}

/** The form of InvokeModelWithResponseStream. */
const awsEvents = (value: unknown): Stream | undefined => {
  const chunks = eventsOf(value)?.map(bedrockChunk)
  return chunks && { mediaType: 'application/vnd.amazon.eventstream', content: Buffer.concat(chunks) }
}

const STREAMED = new WeakMap<ServerResponse, typeof awsEvents>()

/** Notes that the request asks for a stream. */
export const noteStream = (response: ServerResponse, { path, body }: { readonly path: string; readonly body: unknown }): void => {
  if (path.endsWith('/invoke-with-response-stream')) STREAMED.set(response, awsEvents)
  else if (isFields(body) && body.stream === true) STREAMED.set(response, serverSentEvents)
}

/** Sends the value as a stream if the request asks for one and the value is a valid response. */
export function sendStream(response: ServerResponse, value: unknown): boolean {
  const stream = STREAMED.get(response)?.(value)
  if (stream === undefined) return false
  response.writeHead(200, { 'content-type': stream.mediaType }).end(stream.content)
  return true
}
