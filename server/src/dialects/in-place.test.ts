import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { collectTexts, replaceTexts } from '../domain/message.ts'
import { type Application, DEFAULT_LIMITS, DEFAULT_SETTINGS } from '../domain/principal.ts'
import { parserOf } from '../gateway/chat.ts'
import { parseJsonKeepingNumbers } from '../lib/json.ts'
import { openaiUpstream } from '../providers/openai-adapter.ts'
import { anthropicMessages } from './anthropic-messages/anthropic-messages.ts'
import { anthropicUpstream } from './anthropic-messages/upstream.ts'
import type { ClientDialect } from './client-dialect.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'

// A provider of the client's own API gets the client's own JSON, byte for byte, with the changes of policies only (GW-FID-1).

const application = (unknown_fields: 'refuse' | 'carry'): Application => ({
  id: 'app_1',
  workspaceId: 'ws_1',
  name: 'test',
  settings: { ...DEFAULT_SETTINGS, unknown_fields, extensions: ['tools', 'content_parts', 'developer_role'] },
  limits: DEFAULT_LIMITS,
  models: null,
  providers: null,
  defaultModel: null,
  ceiling: 'restricted',
})
const chatLimits = { bodyBytes: 1e6, messages: 1_000, contentBytes: 1e6 }

/** The body that a provider of the same API gets. `change`: a transform of policies. */
function forward(
  dialect: ClientDialect,
  body: string,
  change = (text: string): string => text,
  unknown: 'refuse' | 'carry' = 'refuse',
) {
  const json = parseJsonKeepingNumbers(Buffer.from(body), 32)
  if (!json.ok) throw new Error(json.problem)
  const { parsed } = parserOf(dialect, { chatLimits })(json.value, application(unknown), { written: json.written })
  if (!parsed.ok) throw new Error(`${parsed.problem.param}: ${parsed.problem.message}`)
  const { messages, parameters, source } = parsed.request
  const changed = <T>(value: T): T => replaceTexts(value, collectTexts(value).map(change))
  const upstream = dialect === openaiChat ? openaiUpstream : anthropicUpstream
  const encoded = upstream.encode({
    model: 'upstream-model',
    stream: false,
    messages: changed(messages),
    parameters: changed(parameters),
    original: source && { ...source, messages, parameters },
  })
  if (!encoded.ok) throw new Error(`unsupported: ${encoded.unsupported.param}`)
  return encoded.body
}

const SECRET = 'SECRET'
const conceal = (text: string): string => text.replaceAll(SECRET, '[hidden]')
const expected = (body: string): string => conceal(body).replace('"model":"m"', '"model":"upstream-model"')

const word = fc.constantFrom('alpha', 'beta', 'a longer text', 'naïve 狐狸', `write ${SECRET} down`, '1.0')
const cache = fc.constantFrom({}, { cache_control: { type: 'ephemeral' } }, { cache_control: { type: 'ephemeral', ttl: '1h' } })
/** Written as a number of this form. */
const NUMBER = /"#([^"]+)"/g
const number = fc.constantFrom('#1.0', '#1e3', '#12345678901234567890', '#7', '#0.10')
const jsonOf = (value: unknown): string => JSON.stringify(value).replaceAll(NUMBER, '$1')

const input = fc.dictionary(
  fc.constantFrom('city', 'days', 'nested'),
  fc.oneof(word, number, fc.record({ id: number, note: word })),
)
const textBlock = fc.tuple(word, cache).map(([text, more]) => ({ type: 'text', text, ...more }))
const image = fc.constant({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGVsbG8gd29ybGQ=' } })
const document = fc.tuple(word, cache).map(([data, more]) => ({
  type: 'document',
  ...more,
  source: { type: 'text', media_type: 'text/plain', data },
}))
const toolResult = fc
  .tuple(fc.oneof(word, fc.array(textBlock, { minLength: 1, maxLength: 2 })), cache, fc.boolean())
  .map(([content, more, isError]) => ({
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    ...(isError && { is_error: true }),
    content,
    ...more,
  }))
const userMessage = fc
  .oneof(word, fc.array(fc.oneof(textBlock, image, document, toolResult), { minLength: 1, maxLength: 4 }))
  .map((content) => ({ role: 'user', content }))
const assistantMessage = fc
  .tuple(fc.boolean(), fc.option(textBlock, { nil: undefined }), fc.array(input, { maxLength: 2 }))
  .map(([thinks, text, inputs]) => ({
    role: 'assistant',
    content: [
      ...(thinks ? [{ type: 'thinking', thinking: 'Hm.', signature: 'c2lnbmF0dXJlLW9mLXRoaW5raW5n' }] : []),
      ...(text ? [text] : []),
      ...inputs.map((value, index) => ({ type: 'tool_use', id: `toolu_${index}`, name: 'look_up', input: value })),
    ],
  }))
const tool = fc.tuple(word, cache).map(([description, more]) => ({
  name: 'look_up',
  description,
  input_schema: { type: 'object', properties: { days: { type: 'integer', maximum: '#10.0' } } },
  ...more,
}))
const shuffled = (fields: Readonly<Record<string, unknown>>) =>
  fc
    .shuffledSubarray(Object.entries(fields), { minLength: Object.keys(fields).length })
    .map((entries) => Object.fromEntries(entries))

const messagesBody = fc
  .record({
    system: fc.oneof(word, fc.array(textBlock, { minLength: 1, maxLength: 3 })),
    messages: fc
      .array(fc.tuple(userMessage, assistantMessage), { maxLength: 3 })
      .chain((turns) => userMessage.map((last) => [...turns.flat().filter(({ content }) => content.length > 0), last])),
    tools: fc.array(tool, { minLength: 1, maxLength: 2 }),
    temperature: number.filter((text) => text.length < 5 && text !== '#1e3' && text !== '#7'),
    metadata: word.map((user_id) => ({ user_id })),
    thinking: fc.constantFrom({ type: 'enabled', budget_tokens: 2048, display: 'omitted' }, { type: 'adaptive' }),
    stop_sequences: fc.array(word, { minLength: 1, maxLength: 2 }),
  })
  .chain((fields) => shuffled({ ...fields, model: 'm', max_tokens: 100, stream: false }))

const chatMessage = fc.oneof(
  fc
    .tuple(word, fc.constantFrom({}, { name: null }, { x_unknown: '#1.0' }))
    .map(([content, more]) => ({ content, ...more, role: 'user' })),
  fc.array(textBlock, { minLength: 1, maxLength: 3 }).map((content) => ({ role: 'user', content })),
  fc.tuple(word, word).map(([content, city]) => ({
    role: 'assistant',
    refusal: null,
    content,
    tool_calls: [{ type: 'function', id: 'call_1', function: { arguments: JSON.stringify({ city }), name: 'look_up' } }],
  })),
  word.map((content) => ({ role: 'tool', tool_call_id: 'call_1', content })),
)
const chatBody = fc
  .record({
    messages: fc.array(chatMessage, { minLength: 1, maxLength: 5 }),
    temperature: fc.constantFrom('#1.0', '#0.10', null),
    seed: fc.constantFrom(7, null),
    stop: fc.array(word, { minLength: 1, maxLength: 2 }),
    tools: fc.array(
      tool.map(({ name, description, input_schema }) => ({
        function: { description, name, parameters: input_schema },
        type: 'function',
      })),
      { minLength: 1, maxLength: 2 },
    ),
    x_vendor: fc.record({ level: number, text: word, nothing: fc.constant(null) }),
  })
  .chain((fields) => shuffled({ ...fields, model: 'm', stream: false }))

describe.each([
  ['Anthropic Messages', anthropicMessages, messagesBody],
  ['chat completions', openaiChat, chatBody],
] as const)('%s: a body that goes to a provider of the same API [GW-FID-1, GW-FID-3]', (_name, dialect, bodies) => {
  test('in place: has the same bytes except the model when no policy changes a text', () => {
    fc.assert(
      fc.property(bodies, (fields) => {
        const body = jsonOf(fields)
        expect(forward(dialect, body)).toBe(body.replace('"model":"m"', '"model":"upstream-model"'))
      }),
      { numRuns: 300 },
    )
  })

  test('in place: differs in the changed texts only when a policy changes some', () => {
    fc.assert(
      fc.property(bodies, (fields) => {
        const body = jsonOf(fields)
        expect(forward(dialect, body, conceal)).toBe(expected(body))
      }),
      { numRuns: 300 },
    )
  })
})

describe('blocks of the Messages API that a changed message cannot keep apart [GW-FID-5]', () => {
  const body = (...content: readonly object[]): string =>
    JSON.stringify({
      model: 'm',
      max_tokens: 9,
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content },
        { role: 'user', content: 'Go on' },
      ],
      stream: false,
    })
  const text = (words: string) => ({ type: 'text', text: words })

  test.each([
    ['the second of two texts', body(text('One. '), text(`Two ${SECRET}.`))],
    ['a text before a call', body(text('One. '), text(SECRET), { type: 'tool_use', id: 't', name: 'f', input: {} })],
    ['thinking without a signature', body({ type: 'thinking', thinking: SECRET, signature: '' }, text('One.'))],
  ])('in place: a text that a policy changed is not sent: %s', (_, sent) => {
    const received = forward(anthropicMessages, sent, conceal)
    expect(received).not.toContain(SECRET)
    expect(received).toContain('One.')
  })

  test('in place: not sent when such a message has a field that is carried, because it would be lost', () => {
    const sent = body({ ...text('One. '), x_hint: 'warm' }, text(SECRET))
    expect(() => forward(anthropicMessages, sent, conceal, 'carry')).toThrow('unsupported: carried_fields')
  })
})

describe('unknown fields of the Messages API [GW-FID-4]', () => {
  const body = (fields: object): string =>
    JSON.stringify({
      model: 'm',
      max_tokens: 9,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hi', x_hint: 'warm' },
            { type: 'hologram', data: 'blue' },
          ],
        },
      ],
      x_top: { level: 1 },
      stream: false,
      ...fields,
    })

  test('carry: a provider of the same API gets them in their places', () => {
    expect(forward(anthropicMessages, body({}), undefined, 'carry')).toBe(body({ model: 'upstream-model' }))
  })

  test('refuse: the first one is named', () => {
    expect(() => forward(anthropicMessages, body({}))).toThrow('x_top: is not supported')
  })

  test('carry: detectors read their names and values', () => {
    const texts: string[] = []
    const collect = (text: string): string => {
      texts.push(text)
      return text
    }
    forward(anthropicMessages, body({}), collect, 'carry')
    expect(texts).toEqual(expect.arrayContaining(['warm', 'blue', 'messages[0].content[0].x_hint', 'level']))
  })

  test('carry: not sent when a policy changes one, because it cannot be put back', () => {
    expect(() => forward(anthropicMessages, body({ x_top: SECRET }), conceal, 'carry')).toThrow('unsupported: carried_fields')
  })

  test.each(['mcp_servers', 'container'])('carry: %s stays refused, because the provider would run tools itself', (name) => {
    expect(() => forward(anthropicMessages, body({ [name]: [{ url: 'x' }] }), undefined, 'carry')).toThrow(name)
  })

  test('carry: a name that every object inherits is a name like others', () => {
    expect(forward(anthropicMessages, body({ toString: 'blue' }), undefined, 'carry')).toContain('"toString":"blue"')
  })

  test('carry: at most 32 fields', () => {
    const fields = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`x_${index}`, index]))
    expect(() => forward(anthropicMessages, body(fields), undefined, 'carry')).toThrow('x_')
  })

  test.each(['x.y', 'messages[0]', 'x y'])('carry: a name that could be read as a path (%s) stays refused', (name) => {
    expect(() => forward(anthropicMessages, body({ [name]: 1 }), undefined, 'carry')).toThrow('is not supported')
  })
})
