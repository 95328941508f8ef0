import type { UpstreamModel } from './three-upstreams.ts'

type Event = Readonly<Record<string, unknown>>

/** How a provider API streams a response of one text. */
export interface StreamForm {
  readonly start: readonly Event[]
  readonly delta: (text: string) => Event
  /** The last events. `text`: all of the response. */
  readonly end: (text: string) => readonly Event[]
  /** After the last event. */
  readonly trailer: string
}

const CHUNK = { id: 'chatcmpl-grown', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'scripted' }
const chunk = (fields: object): Event => ({ ...CHUNK, ...fields })

const chat: StreamForm = {
  start: [],
  delta: (content) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  end: () => [
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    chunk({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } }),
  ],
  trailer: 'data: [DONE]\n\n',
}

const MESSAGE = { id: 'msg_grown', type: 'message', role: 'assistant', model: 'claude-scripted', content: [], stop_reason: null }

const messages: StreamForm = {
  start: [
    { type: 'message_start', message: { ...MESSAGE, usage: { input_tokens: 11, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'ping' },
  ],
  delta: (text) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  end: () => [
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 7 } },
    { type: 'message_stop' },
  ],
  trailer: '',
}

const RESPONSE = { id: 'resp_grown', object: 'response', created_at: 1_700_000_000, model: 'scripted-2026', error: null }
const ITEM = { id: 'msg_grown', type: 'message', role: 'assistant' }
const AT = { item_id: ITEM.id, output_index: 0, content_index: 0 }
const USAGE = { input_tokens: 11, output_tokens: 7, total_tokens: 18 }
const textPart = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] })

const responses: StreamForm = {
  start: [
    { type: 'response.created', response: { ...RESPONSE, status: 'in_progress', output: [], usage: null } },
    { type: 'response.output_item.added', output_index: 0, item: { ...ITEM, status: 'in_progress', content: [] } },
    { type: 'response.content_part.added', ...AT, part: textPart('') },
  ],
  delta: (delta) => ({ type: 'response.output_text.delta', ...AT, delta, logprobs: [] }),
  end: (text) => {
    const item = { ...ITEM, status: 'completed', content: [textPart(text)] }
    return [
      { type: 'response.output_text.done', ...AT, text, logprobs: [] },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...RESPONSE, status: 'completed', output: [item], usage: USAGE } },
    ]
  },
  trailer: '',
}

/** The form of the provider API of each model of `startThreeUpstreams`. */
export const STREAM_FORMS: Readonly<Record<UpstreamModel, StreamForm>> = { scripted: chat, claude: messages, gpt: responses }
