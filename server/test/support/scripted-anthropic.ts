import { type Behaviour, json, startScripted } from './scripted-provider.ts'

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

/** Starts a provider with the Messages API. */
export const startScriptedAnthropic = () =>
  startScripted((response, { method, path }) => {
    if (method === 'GET') return json(response, MODELS_PAGES[path] ? 200 : 404, MODELS_PAGES[path] ?? {})
    return json(response, 200, anthropicMessage([{ type: 'text', text: 'Noted.' }]))
  })
