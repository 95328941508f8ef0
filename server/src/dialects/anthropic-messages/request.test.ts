import { describe, expect, test } from 'vitest'
import { anthropicMessages } from './anthropic-messages.ts'

const user = (content: unknown) => ({ max_tokens: 100, messages: [{ role: 'user', content }] })
const X = user('x')
const assistant = (...content: readonly object[]) => ({ max_tokens: 1, messages: [{ role: 'assistant', content }] })
const decode = (body: object): Record<string, unknown> => {
  const decoded = anthropicMessages.decode(body)
  if (!decoded.ok) throw new Error(`${decoded.problem.param}: ${decoded.problem.message}`)
  // As JSON, in which fields without a value are absent.
  return JSON.parse(JSON.stringify(decoded.chat))
}
const refusedField = (body: object): string | undefined => {
  const decoded = anthropicMessages.decode(body)
  return decoded.ok ? undefined : decoded.problem.param
}
const messagesOf = (body: object): unknown => decode(body).messages

describe('Messages API: request [GW-ANT-3]', () => {
  test('text: blocks stay parts, one block becomes a text, and the system prompt becomes the first message', () => {
    const text = (value: string) => ({ type: 'text', text: value })
    const system = [{ ...text('Be brief.'), cache_control: { type: 'ephemeral' } }, text('Be kind.')]
    const content = [text('one'), text('two')]
    expect(messagesOf({ ...user(content), system })).toEqual([
      { role: 'system', content: [text('Be brief.'), text('Be kind.')] },
      { role: 'user', content },
    ])
    expect(messagesOf(user([text('one')]))).toEqual([{ role: 'user', content: 'one' }])
  })

  test('images and documents: become parts, and text documents are encoded so that detectors read them', () => {
    const content = [
      { type: 'text', text: 'see' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', title: 'notes', source: { type: 'text', media_type: 'text/plain', data: 'hello' } },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
    ]
    expect(messagesOf(user(content))).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
          { type: 'file', file: { filename: 'notes', file_data: 'data:text/plain;base64,aGVsbG8=' } },
          { type: 'file', file: { filename: 'document', file_data: 'data:application/pdf;base64,JVBERi0=' } },
        ],
      },
    ])
  })

  test('tools: parallel calls, their results and a failed one become calls and tool messages [GW-ANT-4]', () => {
    const call = (id: string, input: object) => ({ type: 'tool_use', id, name: 'weather', input })
    const result = (id: string, content: unknown, more = {}) => ({ type: 'tool_result', tool_use_id: id, content, ...more })
    const messages = [
      { role: 'user', content: 'weather?' },
      { role: 'assistant', content: [{ type: 'text', text: 'Let me see.' }, call('a', { city: 'Bern' }), call('b', {})] },
      {
        role: 'user',
        content: [
          result('a', 'sunny'),
          result('b', [{ type: 'text', text: 'no city' }], { is_error: true }),
          { type: 'text', text: 'so?' },
        ],
      },
    ]
    const toolCall = (id: string, args: string) => ({ id, type: 'function', function: { name: 'weather', arguments: args } })
    expect(messagesOf({ max_tokens: 1, messages })).toEqual([
      { role: 'user', content: 'weather?' },
      { role: 'assistant', content: 'Let me see.', tool_calls: [toolCall('a', '{"city":"Bern"}'), toolCall('b', '{}')] },
      { role: 'tool', tool_call_id: 'a', content: 'sunny' },
      { role: 'tool', tool_call_id: 'b', content: 'Error: no city' },
      { role: 'user', content: 'so?' },
    ])
  })

  test('thinking: signed blocks are kept unchanged, unsigned ones become reasoning_content', () => {
    const signed = { type: 'thinking', thinking: 'first', signature: 'c2ln' }
    const redacted = { type: 'redacted_thinking', data: 'AAAA' }
    const unsigned = { type: 'thinking', thinking: 'aloud', signature: '' }
    const said = { type: 'text', text: 'done' }
    const reasoning_details = [
      { type: 'reasoning.text', text: 'first', signature: 'c2ln', format: 'anthropic-claude-v1' },
      { type: 'reasoning.encrypted', data: 'AAAA', format: 'anthropic-claude-v1' },
    ]
    expect(messagesOf(assistant(signed, redacted, unsigned, said))).toEqual([
      { role: 'assistant', content: 'done', reasoning_content: 'aloud', reasoning_details },
    ])
  })

  test.each<[string, object, object]>([
    ['tool_choice any', { tool_choice: { type: 'any' } }, { tool_choice: 'required' }],
    ['tool_choice auto', { tool_choice: { type: 'auto' } }, { tool_choice: 'auto' }],
    ['tool_choice none', { tool_choice: { type: 'none' } }, { tool_choice: 'none' }],
    [
      'tool_choice tool without parallel calls',
      { tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true } },
      { tool_choice: { type: 'function', function: { name: 'f' } }, parallel_tool_calls: false },
    ],
    ['stop_sequences', { stop_sequences: ['END'] }, { stop: ['END'] }],
    ['metadata', { metadata: { user_id: 'u1' } }, { user: 'u1' }],
    ['thinking budget', { thinking: { type: 'enabled', budget_tokens: 2_048 } }, { reasoning_effort: 'low' }],
    ['adaptive thinking', { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } }, { reasoning_effort: 'high' }],
    ['context edits that keep all', { context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }, {}],
    [
      'output format',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      { response_format: { type: 'json_schema', json_schema: { name: 'output', schema: { type: 'object' }, strict: true } } },
    ],
    [
      'strict tool',
      {
        tools: [
          { name: 'f', description: 'd', input_schema: { type: 'object' }, strict: true, cache_control: { type: 'ephemeral' } },
        ],
      },
      { tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' }, strict: true } }] },
    ],
    [
      'governance and null',
      { governance: { session_id: 's' }, temperature: 0.5, top_p: null, stream: false },
      { governance: { session_id: 's' }, temperature: 0.5, top_p: null, stream: false },
    ],
  ])('request: %s is translated', (_, sent, expected) => {
    const { messages: _messages, max_tokens: _tokens, ...others } = decode({ ...X, ...sent })
    expect(others).toEqual(expected)
  })

  const tool = { name: 'f', input_schema: { type: 'object' } }
  const FORMAT = { type: 'json_schema', schema: {} }
  const picture = (more: object) => user([{ type: 'image', source: { type: 'url', url: 'https://a.example', ...more } }])
  const document = (source: object, more: object = {}) =>
    user([{ type: 'document', source: { type: 'text', ...source }, ...more }])
  test.each<[string, object]>([
    ['max_tokens', { messages: [] }],
    ['messages', { max_tokens: 1 }],
    ['tool_choice.type', { ...X, tool_choice: { type: { toString: 1 } } }],
    ['messages[0].content[0].type', assistant({ type: { toString: 1 } })],
    ['messages[0].content[0].source.file_id', picture({ file_id: 'f' })],
    ['output_format', { ...X, output_format: FORMAT, output_config: { format: FORMAT } }],
    ['thinking.type', { ...X, thinking: { type: 'bogus' }, output_config: { effort: 'high' } }],
    ['container', { ...X, container: 'c' }],
    ['mcp_servers', { ...X, mcp_servers: [{}] }],
    ['messages[0].role', { max_tokens: 1, messages: [{ role: 'tool', content: 'x' }] }],
    ['messages[0].name', { max_tokens: 1, messages: [{ role: 'user', content: 'x', name: 'y' }] }],
    ['messages[0].content[0].type', user([{ type: 'search_result' }])],
    ['messages[0].content[0].extra', user([{ type: 'text', text: 'x', extra: 1 }])],
    ['messages[0].content[0].source.type', user([{ type: 'image', source: { type: 'file' } }])],
    ['messages[0].content[0].citations', document({ data: 'x' }, { citations: { enabled: true } })],
    ['messages[0].content[0].type', assistant({ type: 'server_tool_use' })],
    [
      'messages[0].content[0].content[1].type',
      user([{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '' }, { type: 'video' }] }]),
    ],
    ['system[0].type', { ...X, system: [{ type: 'image' }] }],
    ['tools[1].type', { ...X, tools: [tool, { type: 'web_search_20250305', name: 'web_search' }] }],
    ['tools[0].defer_loading', { ...X, tools: [{ ...tool, defer_loading: true }] }],
    ['tools[0].allowed_callers', { ...X, tools: [{ ...tool, allowed_callers: ['code_execution_20250825'] }] }],
    ['tool_choice.type', { ...X, tool_choice: { type: 'function' } }],
    ['metadata.other', { ...X, metadata: { other: 1 } }],
    ['thinking.type', { ...X, thinking: { type: 'deep' } }],
    ['output_config.format.type', { ...X, output_config: { format: { type: 'xml' } } }],
    ['context_management.edits[0]', { ...X, context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] } }],
  ])('request: 400 that names %s when it has no counterpart', (param, body) => expect(refusedField(body)).toBe(param))

  test.each<[string, object]>([
    ['tool_choice.name', { ...X, tools: [tool], tool_choice: { type: 'auto', name: 'words' } }],
    ['tool_choice.disable_parallel_tool_use', { ...X, tool_choice: { type: 'any', disable_parallel_tool_use: 'words' } }],
    ['thinking.budget_tokens', { ...X, thinking: { type: 'adaptive', budget_tokens: 'words' } }],
    ['tools[0].strict', { ...X, tools: [{ ...tool, strict: 'words' }] }],
    ['tools[0].eager_input_streaming', { ...X, tools: [{ ...tool, eager_input_streaming: 'words' }] }],
    ['output_config.format.name', { ...X, output_config: { format: { ...FORMAT, name: 'words' } } }],
    ['messages[0].content[0].is_error', user([{ type: 'tool_result', tool_use_id: 'a', is_error: 'words' }])],
    ['messages[0].content[0].source.media_type', document({ media_type: 'words', data: 'x' })],
    ['messages[0].content[0].source.media_type', picture({ media_type: 'words' })],
    ['messages[0].content[0].data', assistant({ type: 'thinking', thinking: 'x', data: 'words' })],
    ['messages[0].content[0].signature', assistant({ type: 'thinking', thinking: 'x', signature: false })],
    ['messages[0].content[0].thinking', assistant({ type: 'redacted_thinking', data: 'x', thinking: 'words' })],
  ])('request: 400 that names %s when the chat form has no place for its text [GW-FID-5]', (param, body) =>
    expect(refusedField(body)).toBe(param),
  )

  test('fields: a problem of the chat has the name that the client used', () => {
    const decoded = anthropicMessages.decode({ ...user([{ type: 'tool_result', tool_use_id: 'a', content: 'x' }]), system: 's' })
    expect(decoded.ok && ['messages[0].content', 'messages[1].role', 'stop[3]', 'tools'].map(decoded.fieldOf)).toEqual([
      'system.content',
      'messages[0].content[0].role',
      'stop_sequences[3]',
      'tools',
    ])
  })
})
