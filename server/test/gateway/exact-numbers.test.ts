import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { chunk } from '../support/provider-answers.ts'
import { anthropicMessage } from '../support/scripted-anthropic.ts'
import { completion, word } from '../support/scripted-provider.ts'
import { callItem, responseObject } from '../support/scripted-responses.ts'
import { VERSION } from '../support/streamed-requests.ts'
import { MODELS, startThreeUpstreams, type UpstreamModel } from '../support/three-upstreams.ts'
import { CLIENT_PATHS, type ClientPath, CONVERSATIONS, type Step } from '../support/tool-conversations.ts'

const upstreams = await closeAfterAll(startThreeUpstreams())
const settings = { extensions: ['tools', 'content_parts'], responses: { store: 'requested' } }
const token = (await upstreams.governed.application({ settings })).token

const NUMBERS: Readonly<Record<string, string>> = {
  ...{ big: '2512292042121000001', price: '1.10', power: '1e3', zero: '-0', long: '0.1234567890123456789' },
  ...{ sum: '1234567890123.4567891', small: '1E-05' },
}
/** Stands for the numbers, because JSON.stringify cannot write them. */
const INPUT = Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, `@${name}@`]))
const withNumbers = (text: string): string => text.replaceAll(/\\*"@(\w+)@\\*"/g, (_, name: string) => NUMBERS[name] ?? '')
const RAW = withNumbers(JSON.stringify(INPUT))
/** RAW in a string of JSON. */
const ESCAPED = JSON.stringify(RAW).slice(1, -1)

const call = (args: unknown) => ({ id: 'call_1', type: 'function', function: { name: 'look_up', arguments: args } })
const block = { type: 'tool_use', id: 'call_1', name: 'look_up', input: {} }
/** A response of each provider that calls a tool. */
const CALLS: Readonly<Record<UpstreamModel, (text: string) => object>> = {
  scripted: (content) => {
    const message = { role: 'assistant', content, tool_calls: [call(JSON.stringify(INPUT))] }
    return { ...completion(''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
  },
  claude: (text) =>
    anthropicMessage(
      [
        { type: 'text', text },
        { ...block, input: INPUT },
      ],
      { stop_reason: 'tool_use' },
    ),
  gpt: () => responseObject([callItem('call_1', 'look_up', INPUT)]),
}

const partial = { type: 'input_json_delta', partial_json: JSON.stringify(INPUT) }
/** The same call in a stream. */
const STREAMS: Readonly<Record<UpstreamModel, readonly object[]>> = {
  scripted: [chunk({ role: 'assistant', tool_calls: [{ index: 0, ...call(JSON.stringify(INPUT)) }] }), chunk({}, 'tool_calls')],
  claude: [
    { type: 'message_start', message: { ...anthropicMessage([]), stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta: partial },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ],
  gpt: [{ type: 'response.completed', response: CALLS.gpt('') }],
}

/** Scripts the provider of the model to send a text with numbers in the place of their marks; returns the prompt that causes it. */
function sends(model: UpstreamModel, value: object | readonly object[]): string {
  const key = word()
  const [type, text] = Array.isArray(value)
    ? ['text/event-stream', value.map((event: object) => `data: ${JSON.stringify(event)}\n\n`).join('')]
    : ['application/json', JSON.stringify(value)]
  upstreams.on(model, key, (response) => void response.writeHead(200, { 'content-type': type }).end(withNumbers(text)))
  return key
}

const callsTool = (model: UpstreamModel, isStream: boolean, text = 'Wait.'): string =>
  sends(model, isStream ? STREAMS[model] : CALLS[model](text))

const SCHEMA = { type: 'object', properties: { n: { type: 'number', ...INPUT } } }
/** A request whose history has the call of a tool. */
const requestOf = (path: ClientPath, model: string, prompt: string) => {
  const steps: readonly Step[] = [
    { role: 'user', text: prompt },
    { input: INPUT, result: 'done' },
  ]
  return { model, ...CONVERSATIONS[path](steps, SCHEMA) }
}
const send = (path: ClientPath, body: object) =>
  upstreams.governed.api('POST', path, {
    token,
    raw: withNumbers(JSON.stringify(body)),
    headers: VERSION,
  })

describe.each(CLIENT_PATHS)('%s [GW-FID-3]', (path) => {
  describe.each(MODELS)('from and to %s', (model) => {
    test.each([
      [false, false],
      [false, true],
      [true, false],
      [true, true],
    ])('numbers: every digit of a tool call reaches the client (client streams %s, provider %s)', async (stream, isStream) => {
      const response = await send(path, { ...requestOf(path, model, callsTool(model, isStream)), stream })
      expect(response.status, response.text).toBe(200)
      const isObject = path === '/v1/messages' && !stream
      expect(response.text).toContain(isObject ? `"input":${RAW}` : ESCAPED)
    })

    test('numbers: every digit of a history and a schema reaches the provider', async () => {
      const key = callsTool(model, true)
      expectSuccess(await send(path, requestOf(path, model, key)))
      const [sent] = upstreams.callsWith(model, key)
      expect(sent?.raw).toContain(model === 'claude' ? `"input":${RAW}` : ESCAPED)
      expect(sent?.raw).toContain(`{"type":"number",${RAW.slice(1)}`)
    })
  })
})

test('numbers: every digit of a held completion is released', async () => {
  const { governed } = upstreams
  const body = requestOf('/v1/messages', 'claude', callsTool('claude', false, 'sorrel-hold'))
  const held = await send('/v1/messages', body)
  const review_item_id = held.headers.get('x-gatehouse-review-item') ?? ''
  await governed.decide(review_item_id, 'approve')
  const released = await send('/v1/messages', { ...body, governance: { review_item_id } })
  expect(released.status, released.text).toBe(200)
  expect(released.text).toContain(`"input":${RAW}`)
})

test('numbers: every digit of metadata reaches the provider, the client and the stored response', async () => {
  const key = callsTool('scripted', true)
  const body = { ...requestOf('/v1/responses', 'scripted', key), metadata: INPUT, store: true }
  const response = await send('/v1/responses', body)
  const { id } = expectSuccess(response)
  expect(upstreams.callsWith('scripted', key)[0]?.raw).toContain(`"metadata":${RAW}`)
  expect(response.text).toContain(`"metadata":${RAW}`)
  const stored = await upstreams.governed.api('GET', `/v1/responses/${id}`, { token })
  expect(stored.text).toContain(`"metadata":${RAW}`)
})

test.each([true, false])("numbers: a provider's own fields keep theirs, whether it streams: %s", async (isStream) => {
  const state = { google: { thought_signature: 'c2ln', ...INPUT } }
  const calls = { role: 'assistant', tool_calls: [{ index: 0, ...call('{}'), extra_content: state }] }
  const own = { citations: [{ score: '@price@', id: '@big@' }] }
  const choices = [{ index: 0, message: { ...calls, content: null }, finish_reason: 'tool_calls' }]
  const key = sends('scripted', isStream ? [chunk(calls), { ...chunk({}, 'tool_calls'), ...own }] : { ...own, choices })
  for (const path of CLIENT_PATHS) {
    const response = await send(path, requestOf(path, 'scripted', key))
    expect(response.status, response.text).toBe(200)
    expect(response.text).toContain(`"thought_signature":"c2ln",${RAW.slice(1)}`)
    expect(response.text).toContain('"score":1.10,"id":2512292042121000001')
  }
})
