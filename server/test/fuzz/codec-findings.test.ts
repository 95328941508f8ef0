import { describe, expect, test } from 'vitest'
import { readJson, writtenFor } from './codecs/complete.ts'
import { decode, encode, UPSTREAMS } from './codecs/forward.ts'
import type { Api } from './codecs/request-bodies.ts'

// Values that disappeared silently until the fuzz runs of the codecs and the table of fields found them.

const USER = { role: 'user', content: 'Hi' }
const SCHEMA = { type: 'object' }
const chat = (more: object) => ({ model: 'm', messages: [USER], ...more })
const part = (value: object) => chat({ messages: [{ role: 'user', content: [value] }] })
const tools = [{ type: 'function', function: { name: 'f', parameters: SCHEMA } }]
const choice = (tool_choice: object) => chat({ tools, tool_choice })
const named = { type: 'function', function: { name: 'f' } }
const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
const file_data = `data:application/pdf;base64,${Buffer.from('%PDF-1.4').toString('base64')}`

describe('request of the Messages API', () => {
  const messages = (blocks: readonly object[], role = 'user') => ({ max_tokens: 9, messages: [{ role, content: blocks }] })
  const result = { type: 'tool_result', tool_use_id: 't', content: 'x' }
  const source = { type: 'text', media_type: 'text/html', data: 'x' }
  const asked = { max_tokens: 9, messages: [USER], tools: [{ name: 'f', input_schema: SCHEMA }] }
  test.each([
    ['messages[0].content[0].is_error', messages([{ ...result, is_error: 'yes' }])],
    ['messages[0].content[0].source.media_type', messages([{ type: 'document', source }])],
    ['messages[0].content[0].data', messages([{ type: 'thinking', thinking: 'x', signature: 's', data: 'x' }], 'assistant')],
    ['messages[0].content[0].thinking', messages([{ type: 'redacted_thinking', data: 'x', thinking: 'x' }], 'assistant')],
    ['tool_choice.name', { ...asked, tool_choice: { type: 'any', name: 'f' } }],
    ['tool_choice.disable_parallel_tool_use', { ...asked, tool_choice: { type: 'any', disable_parallel_tool_use: 'yes' } }],
  ])('%s: 400 that names it when its value cannot be translated [GW-ANT-3]', (param, body) => {
    const decoded = decode('anthropic-messages', JSON.stringify({ model: 'm', ...body }), 'refuse')
    expect(decoded).toMatchObject({ ok: false, message: expect.stringContaining(`${param}: `) })
  })
})

describe('chat request for a provider of another API', () => {
  const both = ['anthropic-messages', 'openai-responses'] as const
  const anthropic = ['anthropic-messages'] as const
  const responses = ['openai-responses'] as const
  const allowed = (more: object) => choice({ type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named], ...more } })
  const said = (message: object) => chat({ messages: [{ role: 'assistant', ...message }] })
  const declared = (more: object) => chat({ tools: [{ type: 'function', function: { name: 'f', ...more } }] })
  const format = (type: string, more: object) =>
    chat({ response_format: { type, json_schema: { name: 'n', schema: SCHEMA, ...more } } })
  const cases: readonly (readonly [string, readonly Api[], object])[] = [
    ['tool_choice.x', both, choice({ ...named, x: 1 })],
    ['tool_choice.function.x', both, choice({ type: 'function', function: { name: 'f', x: 1 } })],
    ['tool_choice.allowed_tools.x', both, allowed({ x: 1 })],
    ['tool_choice.allowed_tools.tools[0].x', both, allowed({ tools: [{ ...named, x: 1 }] })],
    ['messages[0].content[0].file.filename', anthropic, part({ type: 'file', file: { file_data, filename: ['a'] } })],
    ['messages[0].content[0].file', responses, part({ type: 'file', file: 'x' })],
    ['messages[0].content[0].refusal', anthropic, said({ content: [{ type: 'refusal', refusal: ['x'] }] })],
    ['tools[0].function.parameters', anthropic, declared({ parameters: [SCHEMA] })],
    ['tools[0].function.strict', anthropic, declared({ strict: 'yes' })],
    ['tools[0].custom', both, chat({ tools: [{ ...tools[0], custom: { name: 'g' } }] })],
    ['messages[0].tool_calls[0].custom', both, said({ tool_calls: [{ ...call, custom: { name: 'g', input: '' } }] })],
    ['messages[0].annotations', responses, said({ content: 'x', annotations: 'x' })],
    ['response_format.json_schema', both, format('text', {})],
    ['response_format.json_schema.strict', anthropic, format('json_schema', { strict: 'yes' })],
  ]
  const rows = cases.flatMap(([param, apis, body]) => apis.map((api) => [param, api, body] as const))
  test.each(rows)('%s: not sent to %s, and named [GW-PROV-8]', (param, api, body) => {
    const decoded = decode('openai-chat', JSON.stringify(body), 'name')
    expect(decoded.ok && encode(UPSTREAMS[api], decoded.request)).toMatchObject({ ok: false, unsupported: { param } })
  })
})

describe('chat request with a field that no provider would get', () => {
  test.each([
    ['reasoning_included', { reasoning_included: ['summary'] }],
    ['carried_fields', { carried_fields: { thinking: 'x' } }],
    ['stream_options.include_obfuscation', { stream_options: { include_usage: true, include_obfuscation: true } }],
    ['stream_options.continuous_usage_stats', { stream_options: { continuous_usage_stats: true } }],
  ])('%s: 400 that names it [GW-FID-6]', (param, more) => {
    for (const unknownFields of ['name', 'carry'] as const) {
      const decoded = decode('openai-chat', JSON.stringify(chat(more)), unknownFields)
      expect(decoded).toMatchObject({ ok: false, message: expect.stringContaining(`${param}: is not supported`) })
    }
  })
})

describe('chat request with a schema for a provider with the Messages API', () => {
  const formatOf = (declared: object, own: object) => {
    const json_schema = { name: 'city', ...declared, schema: { ...SCHEMA, ...own } }
    const decoded = decode('openai-chat', JSON.stringify(chat({ response_format: { type: 'json_schema', json_schema } })), 'name')
    const encoded = decoded.ok && encode(UPSTREAMS['anthropic-messages'], decoded.request)
    if (!encoded) throw new Error('refused')
    return encoded.ok ? JSON.parse(encoded.body).output_config.format.schema : encoded.unsupported.param
  }
  test('labels: those of the format stand before those of the schema [GW-FID-6]', () => {
    const own = { title: 'Town', description: 'Where it rains.' }
    expect(formatOf({ description: 'For the map.' }, own)).toEqual({
      type: 'object',
      title: 'city: Town',
      description: 'For the map.\n\nWhere it rains.',
    })
    expect(formatOf({}, { title: 'city' })).toEqual({ type: 'object', title: 'city' })
  })
  test('labels: one that is no text is named [GW-PROV-8]', () => {
    expect(formatOf({ description: ['x'] }, {})).toBe('response_format.json_schema.description')
    expect(formatOf({}, { title: 7 })).toBe('response_format.json_schema.name')
  })
})

describe('field of the client in a refusal', () => {
  const used = { type: 'tool_use', id: 'c', name: 'f', input: {}, extra_content: { a: 'b' } }
  const request = (messages: readonly object[]) => ({ model: 'm', max_tokens: 9, messages })
  const responses = { model: 'm', input: [USER], top_logprobs: 2 }
  const cited = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 1 }
  const said = { role: 'assistant', content: [{ type: 'output_text', text: 'x', annotations: [cited] }] }
  test.each<[Api, Api, string, object]>([
    [
      'anthropic-messages',
      'openai-responses',
      'messages[0].content[1].extra_content',
      request([{ role: 'assistant', content: [{ type: 'text', text: 'x' }, used] }]),
    ],
    ['anthropic-messages', 'openai-responses', 'top_k', { ...request([USER]), top_k: 5 }],
    ['openai-responses', 'anthropic-messages', 'top_logprobs', responses],
    ['openai-responses', 'anthropic-messages', 'include', { ...responses, include: ['message.output_text.logprobs'] }],
    ['openai-responses', 'anthropic-messages', 'input[0].content[0].annotations', { model: 'm', input: [said, USER] }],
  ])('%s to %s: the error names %s [GW-PROV-8]', (from, to, param, body) => {
    const decoded = decode(from, JSON.stringify(body), 'name')
    if (!decoded.ok) throw new Error(decoded.message)
    const encoded = encode(UPSTREAMS[to], decoded.request)
    expect(encoded.ok || decoded.fieldOf(encoded.unsupported.param)).toMatch(new RegExp(`^${RegExp.escape(param)}`))
  })
})

describe('response of a chat provider', () => {
  const completion = (message: object) => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'x', ...message }, finish_reason: 'stop' }]
    const read = readJson(UPSTREAMS['openai-chat'], { choices })
    if (!read) throw new Error('malformed')
    return read
  }
  test('reasoning: a client of the Messages API reads it when signed thinking has another text [GW-ANT-5]', () => {
    const signed = { type: 'reasoning.text', text: 'signed text', signature: 'c2ln', format: 'anthropic-claude-v1' }
    const [json] = writtenFor(
      'anthropic-messages',
      completion({ reasoning: 'first text', reasoning_content: 'second text', reasoning_details: [signed] }),
    )
    const { content } = JSON.parse(json ?? '')
    expect(content.map(({ thinking, text }: Record<string, unknown>) => thinking ?? text)).toEqual([
      ...['second text', 'first text', 'signed text', 'x'],
    ])
  })

  test('reasoning_details: a client of the Responses API reads them in provider_fields when they are no list [GW-RESP-13]', () => {
    const [json] = writtenFor('openai-responses', completion({ reasoning_details: { text: 'lonely text' } }))
    expect(JSON.parse(json ?? '').provider_fields).toMatchObject({ message: { reasoning_details: { text: 'lonely text' } } })
  })
})
