import { describe, expect, test } from 'vitest'
import { type ChatMessage, type ContentPart, collectTexts } from '../../shared/message.ts'
import type { AddedTexts } from '../added-texts.ts'
import { encodeRequest } from './upstream-request.ts'

type Parameters = Readonly<Record<string, unknown>>

const encode = (messages: readonly ChatMessage[], parameters: Parameters = {}, added?: AddedTexts) =>
  encodeRequest({ model: 'claude-1', messages, parameters, stream: true, ...(added && { added }) })

function bodyOf(messages: readonly ChatMessage[], parameters: Parameters = {}, added?: AddedTexts) {
  const encoded = encode(messages, parameters, added)
  if (!encoded.ok) throw new Error(`not encoded: ${encoded.unsupported.param}`)
  return JSON.parse(encoded.body)
}

const user = (content: string | readonly ContentPart[]): ChatMessage => ({ role: 'user', content })
const HELLO = [user('Hello')]
const text = (value: string, more: object = {}) => ({ type: 'text', text: value, ...more })
const call = (id: string, args: string, name = 'look_up') => ({ id, type: 'function', function: { name, arguments: args } })
const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name, ...more } })
const CACHED = { cache_control: { type: 'ephemeral' } }
/** Arguments that could not be written again. */
const DEEP = `{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}`

describe('messages', () => {
  test('request: has the model, a limit and asks for a stream', () => {
    expect(bodyOf(HELLO)).toEqual({
      model: 'claude-1',
      max_tokens: 4_096,
      messages: [{ role: 'user', content: [text('Hello')] }],
      stream: true,
    })
  })

  test('request: system and developer messages at the start become system', () => {
    const messages = [{ role: 'system', content: 'Be kind.' }, { role: 'developer', content: [text('Be brief.')] }, ...HELLO]
    expect(bodyOf(messages)).toMatchObject({
      system: [text('Be kind.'), text('Be brief.', CACHED)],
      messages: [{ role: 'user' }],
    })
  })

  test('request: a later system message keeps its place as a marked text', () => {
    const messages = [...HELLO, { role: 'assistant', content: 'Hi' }, { role: 'system', content: 'Be brief.' }, user('Go on')]
    expect(bodyOf(messages).messages.at(-1)).toEqual({
      role: 'user',
      content: [text('<system>\nBe brief.\n</system>'), text('Go on', CACHED)],
    })
  })

  test('request: consecutive messages of the same role become one', () => {
    const messages = [user('One'), user('Two'), { role: 'assistant', content: 'A' }, { role: 'assistant', content: 'B' }]
    expect(bodyOf(messages).messages).toEqual([
      { role: 'user', content: [text('One'), text('Two')] },
      { role: 'assistant', content: [text('A'), text('B')] },
    ])
  })

  test('request: results of parallel calls come first and together', () => {
    const messages = [
      user('Weather?'),
      { role: 'assistant', content: 'Let me look.', tool_calls: [call('a', '{"city":"Oslo"}'), call('b', '')] },
      { role: 'tool', tool_call_id: 'a', content: 'Rain' },
      user('Hurry'),
      { role: 'tool', tool_call_id: 'b', name: 'look_up', content: [text('Sun')] },
    ]
    expect(bodyOf(messages).messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: [
          text('Let me look.'),
          { type: 'tool_use', id: 'a', name: 'look_up', input: { city: 'Oslo' } },
          { type: 'tool_use', id: 'b', name: 'look_up', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: 'Rain' },
          { type: 'tool_result', tool_use_id: 'b', content: [text('Sun')] },
          text('Hurry', CACHED),
        ],
      },
    ])
  })

  test('request: call and result stay paired when the id of another provider has other characters', () => {
    const messages = [
      ...HELLO,
      { role: 'assistant', content: null, tool_calls: [call('functions.look_up:0', '{}')] },
      { role: 'tool', tool_call_id: 'functions.look_up:0', content: '' },
    ]
    const [, { content: calls }, { content: results }] = bodyOf(messages).messages
    expect(calls[0].id).toMatch(/^hex-[0-9a-f]+$/)
    expect(results).toEqual([{ type: 'tool_result', tool_use_id: calls[0].id, ...CACHED }])
  })

  test('request: refusal of an earlier turn becomes text, and empty fields ask for nothing', () => {
    const messages = [...HELLO, { role: 'assistant', content: '', refusal: 'No.', annotations: [], audio: null }, user('Why?')]
    expect(bodyOf(messages).messages[1]).toEqual({ role: 'assistant', content: [text('No.')] })
  })

  test('request: pictures and files', () => {
    const parts = [
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'auto' } },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' }, ...CACHED },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0x' } },
      { type: 'file', file: { file_data: 'JVBERi0x' } },
      { type: 'file', file: { file_data: `data:text/plain;base64,${Buffer.from('Grüße').toString('base64')}` } },
    ]
    const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0x' }
    expect(bodyOf([user(parts)]).messages[0].content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' }, ...CACHED },
      { type: 'document', source: pdf, title: 'a.pdf' },
      { type: 'document', source: pdf },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Grüße' } },
    ])
  })

  test('request: a text document is sent as the text that detectors read, whatever its encoding is', () => {
    const bytes = Buffer.from('\uFEFFMy card is 4111 1111 1111 1111', 'utf16le')
    const disguised = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('My card is 4111 1111 1111 1111')])
    for (const file of [bytes, disguised, Buffer.from('Müller Straße', 'latin1')]) {
      const messages = [user([{ type: 'file', file: { file_data: `data:text/plain;base64,${file.toString('base64')}` } }])]
      expect(collectTexts(messages)).toContain(bodyOf(messages).messages[0].content[0].source.data)
    }
  })

  test('request: signed thinking keeps its place, and other reasoning and marks of other providers are left out', () => {
    const format = 'anthropic-claude-v1'
    const details = [
      { type: 'reasoning.text', text: 'First', signature: 's1', format },
      { type: 'reasoning.encrypted', data: 'x1', format, start_index: 3 },
      { type: 'reasoning.text', text: 'Later', signature: 's2', format, start_index: 3, call_index: 1 },
      { type: 'reasoning.text', text: 'Unsigned', format },
      { type: 'reasoning.encrypted', data: 'of another provider', format: 'openai-responses-v1' },
    ]
    const assistant = {
      role: 'assistant',
      content: 'YesNow',
      reasoning_content: 'First Later',
      reasoning_details: details,
      phase: 'commentary',
      tool_calls: [call('a', '{}'), call('b', '{}')],
    }
    expect(bodyOf([...HELLO, assistant]).messages[1].content).toEqual([
      { type: 'thinking', thinking: 'First', signature: 's1' },
      text('Yes'),
      { type: 'redacted_thinking', data: 'x1' },
      { type: 'tool_use', id: 'a', name: 'look_up', input: {} },
      { type: 'thinking', thinking: 'Later', signature: 's2' },
      text('Now'),
      { type: 'tool_use', id: 'b', name: 'look_up', input: {} },
    ])
  })
})

describe('parameters', () => {
  test.each<[string, Parameters, object]>([
    ['max_tokens', { max_tokens: 9 }, { max_tokens: 9 }],
    ['the smaller of two limits', { max_tokens: 9, max_completion_tokens: 5 }, { max_tokens: 5 }],
    ['temperature', { temperature: 1, top_p: 0.5, top_k: 3 }, { temperature: 1, top_p: 0.5, top_k: 3 }],
    ['one stop', { stop: 'END' }, { stop_sequences: ['END'] }],
    ['several stops', { stop: ['A', 'B'] }, { stop_sequences: ['A', 'B'] }],
    ['user', { user: 'u-1', safety_identifier: 'u-1' }, { metadata: { user_id: 'u-1' } }],
    ['reasoning_effort', { reasoning_effort: 'high' }, { output_config: { effort: 'high' } }],
    ['no reasoning', { reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }],
    [
      'thinking',
      { thinking: { type: 'enabled', budget_tokens: 2_000 } },
      { thinking: { type: 'enabled', budget_tokens: 2_000 } },
    ],
    ['service_tier', { service_tier: 'default' }, { service_tier: 'standard_only' }],
    [
      'a schema and an effort',
      {
        reasoning_effort: 'minimal',
        response_format: { type: 'json_schema', json_schema: { name: 'City', strict: true, schema: { type: 'object' } } },
      },
      { output_config: { effort: 'low', format: { type: 'json_schema', schema: { title: 'City', type: 'object' } } } },
    ],
  ])('request: translates %s', (_, parameters, expected) => expect(bodyOf(HELLO, parameters)).toMatchObject(expected))

  test('request: parameters that ask for nothing are accepted', () => {
    const neutral = {
      ...{ n: 1, logprobs: false, top_logprobs: 0, presence_penalty: 0, frequency_penalty: 0, logit_bias: {}, store: false },
      ...{ metadata: {}, modalities: ['text'], response_format: { type: 'text' } },
      ...{ verbosity: 'medium', tools: [], tool_choice: 'auto' },
    }
    expect(bodyOf(HELLO, neutral)).toEqual(bodyOf(HELLO))
  })

  test.each<[string, unknown, string]>([
    ['n', 2, 'unsupported_parameter'],
    ['logprobs', true, 'unsupported_parameter'],
    ['logit_bias', { 7: 1 }, 'unsupported_parameter'],
    ['seed', 0, 'unsupported_parameter'],
    ['presence_penalty', 0.1, 'unsupported_parameter'],
    ['frequency_penalty', -1, 'unsupported_parameter'],
    ['metadata', { a: 'b' }, 'unsupported_parameter'],
    ['prediction', { type: 'content', content: 'x' }, 'unsupported_parameter'],
    ['never_heard_of', 1, 'unsupported_parameter'],
    ['constructor', 1, 'unsupported_parameter'],
    ['temperature', 1.2, 'invalid_value'],
    ['reasoning_effort', 'extreme', 'invalid_value'],
    ['service_tier', 'flex', 'invalid_value'],
    ['tool_choice', 'required', 'invalid_value'],
  ])('request: names %s when the value %j has no equivalent', (param, value, code) =>
    expect(encode(HELLO, { [param]: value })).toEqual({ ok: false, unsupported: { code, param } }),
  )

  test.each<[string, Parameters | readonly ChatMessage[]]>([
    ['response_format.type', { response_format: { type: 'json_object' } }],
    ['tools[0].type', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    ['tools[0].function.examples', { tools: [tool('x', { examples: [1] })] }],
    [
      'tool_choice.allowed_tools.tools',
      { tools: [tool('x')], tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool('y')] } } },
    ],
    ['tool_choice.type', { tools: [tool('f')], tool_choice: tool({ toString: 1 } as unknown as string) }],
    ['messages[1].name', [...HELLO, { role: 'user', name: 'ann', content: 'Hi' }]],
    ['messages[0].content[0].type', [user([{ type: 'input_audio', input_audio: { data: 'x', format: 'wav' } }])]],
    ['messages[0].content[0].image_url.url', [user([{ type: 'image_url', image_url: { url: 'data:image/tiff;base64,AA' } }])]],
    [
      'messages[0].content[0].image_url.detail',
      [user([{ type: 'image_url', image_url: { url: 'https://a.example', detail: 'low' } }])],
    ],
    ['messages[0].content[0].file.file_id', [user([{ type: 'file', file: { file_id: 'file-1' } }])]],
    ['messages[1].tool_calls[0].function.arguments', [...HELLO, { role: 'assistant', tool_calls: [call('a', '[1]')] }]],
    ['messages[1].tool_calls[0].function.arguments', [...HELLO, { role: 'assistant', tool_calls: [call('a', DEEP)] }]],
    ['messages[1].tool_calls[0].type', [...HELLO, { role: 'assistant', tool_calls: [{ id: 'a', type: 'custom', custom: {} }] }]],
    ['messages[0].name', [{ role: 'tool', tool_call_id: 'a', name: 'other', content: 'x' }]],
    ['messages', [{ role: 'system', content: 'Alone' }]],
  ])('request: names %s when it has no equivalent', (param, value) => {
    const encoded = Array.isArray(value) ? encode(value as ChatMessage[]) : encode(HELLO, value as Parameters)
    expect(encoded).toMatchObject({ ok: false, unsupported: { param } })
  })
})

describe('tools', () => {
  const tools = [tool('one', { description: 'First', parameters: { type: 'object', properties: {} }, strict: true }), tool('two')]
  const allowed = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('two')] } }

  test('request: translates tools and ends the cached prefix after the last one', () => {
    expect(bodyOf(HELLO, { tools }).tools).toEqual([
      { name: 'one', description: 'First', input_schema: { type: 'object', properties: {} }, strict: true },
      { name: 'two', input_schema: { type: 'object', properties: {} }, ...CACHED },
    ])
  })

  test.each<[unknown, boolean | undefined, object | undefined]>([
    [undefined, undefined, undefined],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    ['auto', true, { type: 'auto' }],
    ['none', false, { type: 'none' }],
    ['required', undefined, { type: 'any' }],
    [tool('one'), false, { type: 'tool', name: 'one', disable_parallel_tool_use: true }],
    [allowed, undefined, { type: 'any' }],
  ])('request: tool_choice %j with parallel_tool_calls %j', (tool_choice, parallel_tool_calls, expected) =>
    expect(bodyOf(HELLO, { tools, tool_choice, parallel_tool_calls }).tool_choice).toEqual(expected),
  )

  test('request: the model gets only the allowed tools', () =>
    expect(bodyOf(HELLO, { tools, tool_choice: allowed }).tools).toMatchObject([{ name: 'two' }]))
})

describe('prompt cache', () => {
  const system = { role: 'system', content: 'Be kind.' }

  test('cache: break points of the client are kept, and the gateway adds none', () => {
    const messages = [system, user([text('Long', { cache_control: { type: 'ephemeral', ttl: '1h' } })])]
    const { system: blocks, messages: turns, tools } = bodyOf(messages, { tools: [tool('x')] })
    expect(JSON.stringify([blocks, tools])).not.toContain('cache_control')
    expect(turns[0].content[0].cache_control).toEqual({ type: 'ephemeral', ttl: '1h' })
  })

  test('cache: the texts of policies come first and end with the break point', () => {
    const { system: blocks } = bodyOf([system, ...HELLO], {}, { systemTexts: ['Cite sources.'], context: '' })
    expect(blocks).toEqual([text('Cite sources.'), text('Be kind.', CACHED)])
  })

  test('cache: the break point of a conversation stands before the context, which changes with each turn', () => {
    const messages = [...HELLO, { role: 'assistant', content: 'Hi' }, user('And now?')]
    const added = { systemTexts: [], context: 'Found: 42' }
    expect(bodyOf(messages, {}, added).messages.at(-1).content).toEqual([text('And now?', CACHED), text('Found: 42')])
  })

  test('cache: two turns of a conversation agree up to the new message', () => {
    const first = JSON.stringify(bodyOf([system, ...HELLO]).messages)
    const second = JSON.stringify(bodyOf([system, ...HELLO, { role: 'assistant', content: 'Hi' }, user('Bye')]).messages)
    expect(second.startsWith(first.slice(0, -1))).toBe(true)
  })
})
