import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { completion, json, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

/** No field is dropped silently (GW-CHAT-10). */
const governed = await closeAfterAll(sharedGoverned())
const token = (await governed.application({ settings: { extensions: ['tools', 'content_parts', 'developer_role'] } })).token

const SIGNATURE = Buffer.from('a signature that only its provider can read, and no other service').toString('base64')
const client = () => new OpenAI({ apiKey: token, baseURL: `${governed.base}/v1`, maxRetries: 0 })

/** Fields that the gateway forwards without acting on them. */
const HARMLESS = {
  store: false,
  verbosity: 'low',
  prompt_cache_key: 'support-desk',
  prompt_cache_retention: '24h',
  safety_identifier: 'user-7f3a',
  prediction: { type: 'content', content: 'The same text as before.' },
  service_tier: 'flex',
  reasoning_effort: 'high',
  parallel_tool_calls: false,
  tools: [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } }],
  tool_choice: 'auto',
  logit_bias: { '50256': -100 },
  top_k: 40,
  min_p: 0.05,
  repetition_penalty: 1.1,
  chat_template_kwargs: { enable_thinking: false },
  guided_json: { type: 'object', properties: { city: { type: 'string' } } },
  thinking: { type: 'enabled', budget_tokens: 2048 },
  enable_thinking: true,
  extra_body: { google: { thinking_config: { include_thoughts: true } } },
  modalities: ['text'],
  max_tokens: 100,
  max_completion_tokens: 90,
}

/** Nulls that typed clients send for missing fields. */
const NULLS = Object.fromEntries(
  ['stop', 'stream_options', 'tools', 'functions', 'audio', 'web_search_options', 'max_tokens', 'seed', 'user', 'n'].map(
    (name) => [name, null],
  ),
)

async function readUpstreamBody(prompt: string, body: object): Promise<Record<string, unknown>> {
  expectSuccess(await governed.chat(prompt, { ...body }, { token }))
  return governed.provider.callsWith(prompt)[0]?.body ?? {}
}

describe('pass-through of requests', () => {
  test('every harmless field reaches the provider unchanged [GW-CHAT-8, GW-CHAT-10]', async () => {
    const prompt = word()
    expect(await readUpstreamBody(prompt, HARMLESS)).toEqual({
      ...HARMLESS,
      model: 'scripted',
      messages: [{ role: 'user', content: prompt }],
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  test('null fields reach the provider as the client wrote them, without the fields of the gateway [GW-FID-1]', async () => {
    const prompt = word()
    const { governance: _, stream_options: _options, ...nulls } = NULLS as Record<string, unknown>
    expect(await readUpstreamBody(prompt, NULLS)).toEqual({
      ...nulls,
      model: 'scripted',
      messages: [{ role: 'user', content: prompt }],
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  test.each([
    ['audio', { audio: { voice: 'alloy', format: 'wav' } }],
    ['web_search_options', { web_search_options: {} }],
    ['functions', { functions: [{ name: 'f' }] }],
    ['function_call', { function_call: 'auto' }],
    ['modalities', { modalities: ['text', 'audio'] }],
    ['plugins', { plugins: [{ id: 'web' }] }],
    ['web_search', { web_search: true }],
    ['search_parameters', { search_parameters: { mode: 'auto' } }],
    ['background', { background: true }],
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['data_sources', { data_sources: [{ type: 'azure_search' }] }],
    ['models', { models: ['another', 'third'] }],
    ['prompt_token_ids', { prompt_token_ids: [9906, 1917] }],
    ['extra_body.input_ids', { extra_body: { input_ids: [9906, 1917] } }],
    ['tools[1].type', { tools: [HARMLESS.tools[0], { type: 'web_search_preview_2025_03_11' }] }],
    ['tool_choice.type', { tool_choice: { type: 'file_search' } }],
    ['extra_body.plugins', { extra_body: { plugins: [{ id: 'web' }] } }],
    ['extra_body.extra_body', { extra_body: { extra_body: { models: ['another'] } } }],
    ['extra_body.model', { extra_body: { model: 'another' } }],
    ['messages[0].audio', { messages: [{ role: 'assistant', content: 'x', audio: { id: 'audio_1' } }] }],
  ])('400 that names %s, and no provider is called [GW-CHAT-9]', async (param, body) => {
    const prompt = word()
    const before = governed.provider.calls.length
    expect(expectError(await governed.chat(prompt, body, { token }), 'VALIDATION_ERROR').param).toBe(param)
    expect(governed.provider.calls.length).toBe(before)
  })

  test.each([
    ['a text', { prompt_cache_key: 'AKIAQ3EGRWZT5HPLV2NX' }],
    ['a text inside', { extra_body: { google: { note: 'AKIAQ3EGRWZT5HPLV2NX' } } }],
    ['a name', { chat_template_kwargs: { AKIAQ3EGRWZT5HPLV2NX: true } }],
    ['a number', { top_k: 4111111111111111 }],
    ['a number in a list', { extra_body: { ids: [4111111111111111] } }],
    [
      'a text of a message’s own field',
      { messages: [{ role: 'assistant', content: 'x', reasoning_content: 'AKIAQ3EGRWZT5HPLV2NX' }] },
    ],
  ])('unknown fields are inspected: %s [GW-CHAT-8]', async (_, body) => {
    const { governance } = expectSuccess(await governed.chat(word(), { ...body, governance: { dry_run: true } }, { token }))
    const record = await governed.api('GET', `/v1/audit/${governance.audit_id}`, { token })
    expect(expectSuccess(record).findings).toMatchObject({ classify: expect.objectContaining({}) })
  })

  test('any tool call id and null content are accepted', async () => {
    const prompt = word()
    const id = `call/${prompt} ü__thought__${SIGNATURE}`
    const call = { id, type: 'function', function: { name: 'look_up', arguments: '{}' } }
    const messages = [
      { role: 'user', content: 'look it up', name: null },
      {
        role: 'assistant',
        content: null,
        tool_calls: [call],
        refusal: null,
        audio: null,
        function_call: null,
        annotations: null,
      },
      { role: 'tool', tool_call_id: id, content: 'nothing there' },
      { role: 'assistant', content: null, refusal: 'I would rather not.' },
      { role: 'assistant', content: 'custom', tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'g', input: 'x' } }] },
      { role: 'user', content: [{ type: 'text', text: 'again' }], tool_calls: null, tool_call_id: null },
    ]
    const { messages: forwarded } = await readUpstreamBody(prompt, { messages })
    expect(forwarded).toEqual(messages)
  })
})

/** State of a tool loop, in the fields that several providers use. */
const STATEFUL = {
  role: 'assistant',
  content: null,
  refusal: null,
  reasoning_content: 'I should look this up.',
  reasoning_details: [
    { type: 'reasoning.text', text: 'I should look.', signature: SIGNATURE, format: 'anthropic-claude-v1', index: 0 },
    { type: 'reasoning.encrypted', data: SIGNATURE },
  ],
  extra_content: { google: { thought_signature: SIGNATURE } },
  annotations: [
    { type: 'url_citation', url_citation: { start_index: 0, end_index: 4, url: 'https://example.com', title: 'Example' } },
  ],
  tool_calls: [
    {
      id: 'function-call-1',
      type: 'function',
      function: { name: 'look_up', arguments: '{"city":"Rome"}' },
      extra_content: { google: { thought_signature: SIGNATURE } },
    },
  ],
}
const RESPONSE_FIELDS = {
  system_fingerprint: 'fp_44709d6fcb',
  service_tier: 'default',
  usage: {
    prompt_tokens: 11,
    completion_tokens: 7,
    total_tokens: 18,
    prompt_tokens_details: { cached_tokens: 3, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 5, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
  },
}

describe('pass-through of a tool loop', () => {
  const start = () => {
    const key = word()
    const choices = [{ index: 0, message: STATEFUL, finish_reason: 'tool_calls' }]
    governed.provider.on(key, (response, { body }) =>
      body.messages.length > 1
        ? json(response, 200, completion(`It is sunny, ${key}.`))
        : json(response, 200, completion('', { choices, ...RESPONSE_FIELDS })),
    )
    return key
  }
  const params = (content: string) => ({
    model: 'scripted',
    messages: [{ role: 'user' as const, content }],
    tools: HARMLESS.tools as never,
  })

  test("the provider's state reaches the client and returns byte for byte [GW-COMP-4, GW-CHAT-10]", async () => {
    const key = start()
    const first = await client().chat.completions.create(params(key))
    expect(first.choices[0]?.message).toEqual(STATEFUL)
    expect(first).toMatchObject(RESPONSE_FIELDS)
    const { message } = first.choices[0] as { message: OpenAI.ChatCompletionMessage }
    const result = { role: 'tool' as const, tool_call_id: 'function-call-1', content: 'sunny' }
    const second = await client().chat.completions.create({
      ...params(key),
      messages: [{ role: 'user', content: key }, message, result],
    })
    expect(second.choices[0]?.message.content).toBe(`It is sunny, ${key}.`)
    expect(governed.provider.callsWith(key)[1]?.raw).toContain(JSON.stringify({ tool_calls: STATEFUL.tool_calls }).slice(1, -1))
    expect(governed.provider.callsWith(key)[1]?.body.messages[1]).toEqual(STATEFUL)
  })

  test('signatures count as unread content for policies and in the audit record', async () => {
    const key = start()
    const messages = [
      { role: 'user', content: key },
      { ...STATEFUL, refusal: null },
      { role: 'tool', tool_call_id: 'function-call-1', content: 'x' },
    ]
    const { governance } = expectSuccess(await governed.chat(messages, {}, { token }))
    const record = expectSuccess(await governed.api('GET', `/v1/audit/${governance.audit_id}`, { token }))
    expect(record.features).toMatchObject({ 'content.unread': 4, 'content.unread_kinds': ['other'] })
  })

  test("the provider's state is complete when the client assembles a stream", async () => {
    const key = start()
    const stream = client().chat.completions.stream({ ...params(key), stream_options: { include_usage: true } })
    const chunks: OpenAI.ChatCompletionChunk[] = []
    stream.on('chunk', (chunk) => chunks.push(structuredClone(chunk)))
    const final = await stream.finalChatCompletion()
    const { role: _, content: _content, refusal: _refusal, tool_calls, ...state } = STATEFUL
    expect(final.choices[0]?.message).toMatchObject(state)
    expect(chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])).toEqual([{ ...tool_calls[0], index: 0 }])
    expect(chunks.every((chunk) => chunk.system_fingerprint === RESPONSE_FIELDS.system_fingerprint)).toBe(true)
    expect(chunks.at(-1)?.usage).toEqual(RESPONSE_FIELDS.usage)
  })

  test("policies read the provider's own fields", async () => {
    for (const more of [
      { choices: [{ index: 0, message: { role: 'assistant', content: 'x', note: 'sorrel-deny' }, finish_reason: 'stop' }] },
      { choices: [{ index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop', note: 'sorrel-deny' }] },
      { system_fingerprint: 'sorrel-deny' },
      { usage: { prompt_tokens: 1, note: ['sorrel-deny'] } },
      { citations: ['https://example.com/sorrel-deny'] },
    ]) {
      const key = word()
      governed.provider.on(key, (response) => json(response, 200, completion('fine', more)))
      expectError(await governed.chat(key, {}, { token }), 'POLICY_DENIED')
    }
  })
})

describe('sizes', () => {
  test('a message of 3 MiB and 2,000 messages are accepted', async () => {
    const text = 'word '.repeat(630_000)
    expectSuccess(await governed.chat([{ role: 'user', content: text }], {}, { token }))
    const many = Array.from({ length: 2_000 }, () => ({ role: 'user', content: 'Good morning' }))
    expectSuccess(await governed.chat(many, {}, { token }))
  }, 60_000)

  test.each([
    ['a body', { pad: 'x'.repeat(17_000_000) }, 'GATEHOUSE_MAX_BODY_BYTES'],
    ['a message', { messages: [{ role: 'user', content: 'word '.repeat(850_000) }] }, 'GATEHOUSE_MAX_CONTENT_BYTES'],
    ['a list of messages', { messages: Array(2_049).fill({ role: 'user', content: 'x' }) }, 'GATEHOUSE_MAX_MESSAGES'],
  ])('413 that names the setting when %s exceeds its limit', async (_, more, setting) => {
    const error = expectError(await governed.chat('x', more, { token }), 'PAYLOAD_TOO_LARGE')
    expect(error.message).toContain(setting)
    expect(error.details).toMatchObject({ setting })
  })
})
