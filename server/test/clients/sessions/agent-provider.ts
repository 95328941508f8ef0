import type { ServerResponse } from 'node:http'
import { expect, vi } from 'vitest'
import { DEFAULT_EXTENSIONS } from '../../../src/shared/client-snippets.ts'
import { anthropicMessage } from '../../support/scripted-anthropic.ts'
import { completion, json, word } from '../../support/scripted-provider.ts'
import { messageItem, responseObject } from '../../support/scripted-responses.ts'
import type { ThreeUpstreams, UpstreamModel } from '../../support/three-upstreams.ts'
import { streamTextOf } from '../../support/upstream-stream.ts'

/** State that only its provider reads. No detector objects to it. */
export const SIGNATURE = Buffer.from('state that only its provider can read, and no other service').toString('base64')
/** 200 kB that no detector objects to. */
export const LARGE = 'A line of the file that the agent has read.\n'.repeat(4_700)

/** An Application with the settings of the dashboard and of the CLI. */
export const agentsApplication = ({ governed }: ThreeUpstreams) =>
  governed.application({ settings: { extensions: DEFAULT_EXTENSIONS } })

/** A call of a tool. A text is the input of a custom tool. */
export interface AgentCall {
  readonly id: string
  readonly name: string
  /** Of a Responses client's tool. */
  readonly namespace?: string
  readonly input: object | string
}

/** The content of a completion, as a provider sends it and as a client reads it. */
export interface Answer {
  readonly text: string
  readonly thinking: string
  readonly calls: readonly AgentCall[]
  /** Of 50 input tokens. */
  readonly cachedTokens: number
}
export const NOTHING: Answer = { text: '', thinking: '', calls: [], cachedTokens: 0 }

const flatName = ({ name, namespace }: AgentCall): string => (namespace === undefined ? name : `${namespace}__${name}`)

const chatCall = (call: AgentCall) =>
  typeof call.input === 'string'
    ? { id: call.id, type: 'custom', custom: { name: flatName(call), input: call.input } }
    : { id: call.id, type: 'function', function: { name: flatName(call), arguments: JSON.stringify(call.input) } }

function responsesCall({ id: call_id, input, ...named }: AgentCall) {
  const state = { id: `item_${call_id}`, status: 'completed', call_id }
  if (named.name === 'tool_search') return { ...state, type: 'tool_search_call', execution: 'client', arguments: input }
  return typeof input === 'string'
    ? { ...state, ...named, type: 'custom_tool_call', input }
    : { ...state, ...named, type: 'function_call', arguments: JSON.stringify(input) }
}

/** An answer in the form of the model's provider. */
export const ANSWERS: Readonly<Record<UpstreamModel, (answer: Answer) => object>> = {
  scripted: ({ text, thinking, calls, cachedTokens }) => {
    const message = {
      role: 'assistant',
      content: text || null,
      ...(thinking && { reasoning_content: thinking }),
      ...(calls.length > 0 && { tool_calls: calls.map(chatCall) }),
    }
    const choices = [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }]
    const tokens = { prompt_tokens: 50, completion_tokens: 7, total_tokens: 57 }
    return completion('', { choices, usage: { ...tokens, prompt_tokens_details: { cached_tokens: cachedTokens } } })
  },
  claude: ({ text, thinking, calls, cachedTokens }) => {
    const blocks = [
      ...(thinking ? [{ type: 'thinking', thinking, signature: SIGNATURE }] : []),
      ...(text ? [{ type: 'text', text }] : []),
      ...calls.map((call) => ({ type: 'tool_use', id: call.id, name: flatName(call), input: call.input })),
    ]
    const usage = { input_tokens: 50 - cachedTokens, cache_read_input_tokens: cachedTokens, output_tokens: 7 }
    return anthropicMessage(blocks, { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', usage })
  },
  gpt: ({ text, thinking, calls, cachedTokens }) => {
    const summary = [{ type: 'summary_text', text: thinking }]
    const output = [
      ...(thinking ? [{ type: 'reasoning', id: 'rs_1', encrypted_content: SIGNATURE, summary }] : []),
      ...(text ? [messageItem(text)] : []),
      ...calls.map(responsesCall),
    ]
    const tokens = { input_tokens: 50, output_tokens: 7, total_tokens: 57 }
    const details = { input_tokens_details: { cached_tokens: cachedTokens }, output_tokens_details: { reasoning_tokens: 0 } }
    return responseObject(output, { usage: { ...tokens, ...details } })
  },
}

/** The answers of an agent's provider to requests with `key`: the calls, then the text when their results are there. */
export function scriptAgent(upstreams: ThreeUpstreams, model: UpstreamModel, key: string, calls: readonly AgentCall[]): void {
  // The history of the chat API has no signed reasoning.
  const thinking = model === 'scripted' ? '' : 'The files first.'
  const first = ANSWERS[model]({ ...NOTHING, text: 'I look at the files.', thinking, calls })
  const last = ANSWERS[model]({ ...NOTHING, text: 'Both are there.', thinking })
  upstreams.on(model, key, (response, { raw }) => json(response, 200, raw.includes('A line of the file') ? last : first))
}

/** Lets the provider stop in the middle of its answer to requests with `key`. */
function scriptHalfAnswer(upstreams: ThreeUpstreams, model: UpstreamModel, key: string) {
  const begun = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const stream = streamTextOf(ANSWERS[model]({ ...NOTHING, text: 'I look at the files. '.repeat(50) })) ?? ''
  upstreams.on(model, key, (response: ServerResponse) => {
    response.on('close', () => closed.resolve())
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(stream.slice(0, stream.length / 2))
    begun.resolve()
  })
  return { begun: begun.promise, closed: closed.promise }
}

/**
 * Fails unless a request that the Application's client leaves in the middle of the answer throws `error`, ends at the provider too, and has a
 * record that says so. `send` sends a request with this word.
 */
export async function expectCancellation(
  upstreams: ThreeUpstreams,
  {
    model,
    application,
    error,
  }: { readonly model: UpstreamModel; readonly application: string; readonly error?: new () => Error },
  send: (key: string, signal: AbortSignal) => Promise<unknown>,
): Promise<void> {
  const key = word()
  const { begun, closed } = scriptHalfAnswer(upstreams, model, key)
  const user = new AbortController()
  const failure = expect(send(key, user.signal)).rejects.toThrow(error)
  await begun
  user.abort()
  await failure
  await closed
  const record = await recordOfCancelled(upstreams, application)
  expect(record).toMatchObject({ error_code: 'CLIENT_CLOSED_REQUEST', attempts: [{ outcome: 'aborted' }] })
}

/** Waits for the record of the request that the Application's client has left. */
const recordOfCancelled = ({ governed }: ThreeUpstreams, applicationId: string): Promise<Readonly<Record<string, unknown>>> =>
  vi.waitFor(
    async () => {
      const { rows } = await governed.server.context.database.pool.query("select body from audit_record where endpoint = 'chat'")
      const records = rows.map(({ body }) => JSON.parse(body))
      const found = records.find((record) => record.application_id === applicationId && record.status === 499)
      if (!found) throw new Error('no record of the cancelled request')
      return found
    },
    { timeout: 10_000, interval: 50 },
  )
