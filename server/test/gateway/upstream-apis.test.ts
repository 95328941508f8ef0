import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess, type GatewayResponse, type Message } from '../support/gateway-client.ts'
import { anthropicError, saysBlocks } from '../support/scripted-anthropic.ts'
import { json, says, word } from '../support/scripted-provider.ts'
import { callItem, messageItem, responseObject, responsesError, saysItems } from '../support/scripted-responses.ts'
import { startThreeUpstreams } from '../support/three-upstreams.ts'

/** Providers of the Messages API and of the Responses API, for clients of chat completions. */
const SECRET = 'upstream-private-diagnostics'
const SIGNATURE = Buffer.from('a signature that only its provider can read, and no other service').toString('base64')

const upstreams = await closeAfterAll(startThreeUpstreams())
const { governed } = upstreams
const { token } = await governed.application({ settings: { extensions: ['tools', 'content_parts', 'developer_role'] } })
// Used only if no other provider is left.
expectSuccess(await governed.admin('PATCH', '/providers/openai', { json: { weight: 0 } }))

type Behaviour = (response: ServerResponse) => void
const APIS = {
  claude: { fields: { kind: 'anthropic', base_url: upstreams.anthropic.url }, model: { upstream_name: 'claude' } },
  gpt: { fields: { kind: 'openai', base_url: upstreams.responses.url }, model: { upstream_name: 'gpt', api: 'responses' } },
}
type Api = keyof typeof APIS

/** A new provider of the API, whose model the provider `openai` offers too. */
async function addProvider(api: Api) {
  const { fields, model } = APIS[api]
  const added = await governed.addProvider({ ...fields, api_key: 'k', timeout_ms: 400 }, model)
  const other = { json: { upstream_name: 'scripted' } }
  expectSuccess(await governed.admin('PUT', `/providers/openai/models/${added.model}`, other))
  return added
}
const chat = (prompt: string | readonly Message[], model: string, more: object = {}): Promise<GatewayResponse> =>
  governed.chat(prompt, { model, ...more }, { token })

const DENIED = 'sorrel-deny hidden-word'
const thought = { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: DENIED }] }
const text = (value: string) => ({ type: 'text', text: value })

describe('governance', () => {
  test.each<[Api, string, unknown]>([
    ['claude', 'text', saysBlocks([text(DENIED)])],
    [
      'claude',
      'input',
      saysBlocks([{ type: 'tool_use', id: 'a', name: 'x', input: { a: DENIED } }], { stop_reason: 'tool_use' }),
    ],
    ['claude', 'thinking', saysBlocks([{ type: 'thinking', thinking: DENIED, signature: SIGNATURE }, text('x')])],
    ['gpt', 'text', saysItems([messageItem(DENIED)])],
    ['gpt', 'arguments of a call', saysItems([callItem('a', 'x', { a: DENIED })])],
    ['gpt', 'input of a custom tool', saysItems([{ type: 'custom_tool_call', call_id: 'a', name: 'x', input: DENIED }])],
    ['gpt', 'refusal', saysItems([{ ...messageItem(''), content: [{ type: 'refusal', refusal: DENIED }] }])],
    ['gpt', 'summary of the reasoning', saysItems([thought, messageItem('x')])],
  ])('%s: denied %s never reaches the client', async (api, _, behaviour) => {
    const key = word()
    upstreams.on(api, key, behaviour as Behaviour)
    for (const stream of [false, true]) {
      const response = await chat(key, api, { stream })
      expect(response.text).not.toContain('hidden-word')
      expectError(response, 'POLICY_DENIED')
    }
  })

  test.each<[Api, string]>([
    ['claude', 'tool_result'],
    ['gpt', 'function_call_output'],
  ])('%s: redaction reaches the provider, also in a %s', async (api, result) => {
    const key = word()
    const call = { id: 'a', type: 'function', function: { name: 'x', arguments: '{"to":"ann@example.org"}' } }
    const history = [
      { role: 'user', content: `${key} juniper-redact write to ann@example.org` },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'sent to ann@example.org' },
    ]
    expectSuccess(await chat(history, api))
    const [sent] = upstreams.callsWith(api, key)
    expect(sent?.raw).not.toContain('ann@example.org')
    expect(sent?.raw).toContain(result)
  })
})

describe('failures', () => {
  const error = (status: number, type: string, headers = {}) => anthropicError(status, type, SECRET, headers)
  const failed = (code: string) => saysItems([], { status: 'failed', error: { code, message: SECRET } })
  const FAILED = { status: 'failed', error: { code: 'server_error', message: 'm' } }
  /** A stream that has this text, and then fails. */
  const failedStream =
    (delta: string, code: string): Behaviour =>
    (response) => {
      const last = { type: 'response.failed', response: responseObject([], { status: 'failed', error: { code, message: 'm' } }) }
      const events = [...(delta ? [{ type: 'response.output_text.delta', delta }] : []), last]
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))
    }
  const chatCompletion: Behaviour = (response) => json(response, 200, { choices: [] })
  const noCredit = anthropicError(400, 'invalid_request_error', 'Your credit balance is too low.')

  test.each<[Api, string, unknown, number, string]>([
    ['claude', '401', error(401, 'authentication_error'), 401, 'key_rejected'],
    ['claude', '403', error(403, 'permission_error'), 403, 'key_rejected'],
    ['claude', '404', error(404, 'not_found_error'), 404, 'refused'],
    ['claude', '429', error(429, 'rate_limit_error', { 'retry-after': '30' }), 429, 'rate_limited'],
    ['claude', '529', error(529, 'overloaded_error'), 529, 'status'],
    ['claude', 'no credit', noCredit, 400, 'quota_exhausted'],
    ['claude', 'silence', () => {}, 0, 'timeout'],
    ['claude', 'a block of an unknown type', saysBlocks([{ type: 'hologram' }]), 200, 'malformed'],
    ['claude', 'a completion of the chat API', chatCompletion, 200, 'malformed'],
    ['gpt', '401', responsesError(401, {}), 401, 'key_rejected'],
    ['gpt', '503', responsesError(503, {}), 503, 'status'],
    ['gpt', 'a failed response', failed('server_error'), 500, 'status'],
    ['gpt', 'a failed response at its rate limit', failed('rate_limit_exceeded'), 429, 'rate_limited'],
    ['gpt', 'a failure after its text has begun', failedStream('Good morning.', 'rate_limit_exceeded'), 429, 'error_event'],
    ['gpt', 'a failed response with output', saysItems([messageItem('Good')], FAILED), 500, 'error_event'],
    ['gpt', 'a stream that only reports a failure', failedStream('', 'server_error'), 500, 'status'],
    ['gpt', 'an item of an unknown type', saysItems([{ type: 'hologram' }]), 200, 'malformed'],
    ['gpt', 'a response in progress', saysItems([messageItem('x')], { status: 'in_progress' }), 200, 'truncated'],
    ['gpt', 'a completion of the chat API', chatCompletion, 200, 'malformed'],
  ])(
    '%s: the next provider serves when the provider responds with %s [GW-PROV-14]',
    async (api, _, behaviour, status, outcome) => {
      const { id, model } = await addProvider(api)
      const key = word()
      upstreams.on(api, key, behaviour as Behaviour)
      governed.provider.on(key, says('From the other one.'))
      const response = await chat(key, model)
      expect(expectSuccess(response).choices[0]?.message.content).toBe('From the other one.')
      expect((await governed.recordOf(response)).attempts).toMatchObject([
        { provider: id, status, outcome },
        { provider: 'openai', status: 200, outcome: 'ok' },
      ])
    },
  )

  test.each([
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum', 'context_length_exceeded'],
    [400, 'invalid_request_error', 'tools.0.custom.input_schema: JSON schema is invalid', 'invalid_tool_schema'],
    [400, 'invalid_request_error', '`tool_use` ids were found without `tool_result` blocks', 'invalid_messages'],
    [400, 'invalid_request_error', 'max_tokens: 100000 > 64000', 'invalid_value'],
    [413, 'request_too_large', 'Request exceeds the maximum size', 'too_large'],
  ])('claude: client gets 400 when the provider responds with %i %s: %s', async (status, type, message, provider_code) => {
    const key = word()
    upstreams.on('claude', key, anthropicError(status, type, `${message} ${SECRET}`) as Behaviour)
    const response = await chat(key, 'claude')
    expect(expectError(response, 'VALIDATION_ERROR').details).toEqual({ reason: 'provider_refused', provider_code })
    expect(response.text).not.toContain(SECRET)
  })

  test.each<[string, unknown, string | null]>([
    ['a refused field', responsesError(400, { code: 'invalid_value', param: 'input[0].content' }), 'messages'],
    ['a refused schema', responsesError(400, { code: 'invalid_value', param: 'text.format.schema' }), 'response_format'],
    ['a failed response that the request caused', failed('invalid_prompt'), null],
  ])('gpt: client gets 400 with the field of the chat after %s [GW-PROV-14]', async (_, behaviour, param) => {
    const key = word()
    upstreams.on('gpt', key, behaviour as Behaviour)
    const response = await chat(key, 'gpt')
    const error = expectError(response, 'VALIDATION_ERROR')
    expect(error).toMatchObject({ details: { reason: 'provider_refused' } })
    expect(error.param ?? null).toBe(param)
    expect(response.text).not.toContain(SECRET)
  })
})

describe('fields without an equivalent', () => {
  test.each<Api>(['claude', 'gpt'])('%s: another provider serves when a field has no equivalent [GW-PROV-8]', async (api) => {
    const { id, model } = await addProvider(api)
    const key = word()
    governed.provider.on(key, says('With a seed.'))
    const response = await chat(key, model, { seed: 7 })
    expect(expectSuccess(response).choices[0]?.message.content).toBe('With a seed.')
    expect(upstreams.callsWith(api, key)).toEqual([])
    expect((await governed.recordOf(response)).attempts).toMatchObject([
      { provider: id, status: 0, outcome: 'unsupported', code: 'unsupported_parameter' },
      { provider: 'openai', outcome: 'ok' },
    ])
  })

  test.each<[Api, string, object]>([
    ['claude', 'seed', { seed: 7 }],
    ['claude', 'n', { n: 2 }],
    ['claude', 'temperature', { temperature: 1.5 }],
    ['claude', 'response_format.type', { response_format: { type: 'json_object' } }],
    ['gpt', 'seed', { seed: 7 }],
  ])('%s: 400 names %s when no other provider has the model [GW-PROV-8]', async (api, param, more) => {
    const key = word()
    const response = await chat(key, api, more)
    const error = expectError(response, 'VALIDATION_ERROR')
    expect(error).toMatchObject({ param, details: { reason: 'provider_unsupported' } })
    expect(error.message).toContain(param)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(upstreams.callsWith(api, key)).toEqual([])
  })
})
