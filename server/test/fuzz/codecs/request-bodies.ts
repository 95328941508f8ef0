import { MAXIMAL_REQUESTS } from '../../support/maximal/requests.ts'
import { mark, markedNumber } from './mutations.ts'

/** Texts of persons, unlike words of enumerations, ids, links and encoded values. */
const TEXT = /^[A-Z][\w ,'?!.]{1,40}$/
const NUMBERS = /^(?:max_\w*tokens|top_k|temperature|top_p)$/

/** A copy of a body with a mark in each text, also in the JSON of arguments, and in numbers that may have any value. */
function withMarks(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => withMarks(each))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withMarks(each, key)]))
  if (typeof value === 'number' && NUMBERS.test(name)) return markedNumber(!name.startsWith('t') || name === 'top_k')
  if (typeof value !== 'string') return value
  if (value.startsWith('{')) return JSON.stringify(withMarks(JSON.parse(value)))
  return TEXT.test(value) ? mark(value) : value
}

const schema = {
  type: 'object',
  properties: { city: { type: 'string', description: 'A place.' }, days: { type: 'integer', maximum: 9_000_001 } },
  additionalProperties: false,
}
const format = { type: 'json_schema', schema }
const tool = { name: 'look_up', parameters: schema }
const USER = { role: 'user', content: 'Good morning' }

/** Forms that the maximal requests do not have. */
const OTHER_FORMS: Readonly<Record<string, object>> = {
  '/v1/chat/completions': {
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Good morning', cache_control: { type: 'ephemeral' } }] }],
    max_completion_tokens: 100,
    tools: [
      { type: 'function', function: tool },
      { type: 'custom', custom: { name: 'run', description: 'Runs.' } },
    ],
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'look_up' } }] },
    },
    response_format: { type: 'json_schema', json_schema: { name: 'place', schema } },
    governance: { session_id: 'session-7' },
    stream: true,
  },
  '/v1/messages': {
    max_tokens: 3_000,
    messages: [USER],
    tools: [{ name: 'look_up', input_schema: schema }],
    output_config: { format },
    top_p: 0.5,
    top_k: 5,
    stream: true,
  },
  '/v1/responses': {
    input: [USER, { type: 'function_call', call_id: 'call_1', name: 'look_up', arguments: '' }],
    tools: [{ type: 'function', ...tool }],
    text: { format: { ...format, name: 'place' } },
    previous_response_id: null,
    stream: true,
  },
}

const bodiesOf = (path: string): readonly object[] => [
  withMarks({ model: 'm', ...OTHER_FORMS[path] }) as object,
  ...MAXIMAL_REQUESTS.filter((request) => request.path === path).map(({ body }) => withMarks(body) as object),
]

/** Bodies of each client API. */
export const REQUEST_BODIES = {
  'openai-chat': bodiesOf('/v1/chat/completions'),
  // A provider of the Messages API does not get `extra_content` (GW-ANT-10), so the bytes would differ from the client's.
  'anthropic-messages': bodiesOf('/v1/messages').map((body) => JSON.parse(JSON.stringify(body, withoutState)) as object),
  'openai-responses': bodiesOf('/v1/responses'),
} as const
export type Api = keyof typeof REQUEST_BODIES

function withoutState(name: string, value: unknown): unknown {
  return name === 'extra_content' ? undefined : value
}
