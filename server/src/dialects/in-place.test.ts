import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chatBody, jsonOf, messagesBody, responsesBody, SECRET } from '../../test/support/generated-bodies.ts'
import { parserOf } from '../api/gateway/chat.ts'
import { openaiUpstream } from '../domains/providers/adapters.ts'
import { parseJsonKeepingNumbers } from '../platform/lib/json.ts'
import { FREE_JSON } from '../shared/free-json.ts'
import { collectTexts, replaceTexts } from '../shared/message.ts'
import { type Application, DEFAULT_LIMITS, DEFAULT_SETTINGS, type UnknownFields } from '../shared/principal.ts'
import { anthropicMessages } from './anthropic-messages/anthropic-messages.ts'
import { anthropicUpstream } from './anthropic-messages/upstream.ts'
import type { ClientDialect } from './client-dialect.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'
import { responsesUpstream } from './openai-responses/upstream.ts'

// A provider of the client's own API gets the client's own JSON, byte for byte, with the changes of policies only (GW-FID-1).

const application = (unknown_fields: UnknownFields): Application => ({
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

const UPSTREAMS = {
  'openai-chat': openaiUpstream,
  'openai-responses': responsesUpstream,
  'anthropic-messages': anthropicUpstream,
}

/** The body that a provider of the same API gets. `change`: a transform of policies. */
function forward(dialect: ClientDialect, body: string, change = (text: string): string => text, unknown: UnknownFields = 'name') {
  const json = parseJsonKeepingNumbers(Buffer.from(body), 32, FREE_JSON)
  if (!json.ok) throw new Error(json.problem)
  const { parsed } = parserOf(dialect, { chatLimits })(json.value, application(unknown), { written: json.written })
  if (!parsed.ok) throw new Error(`${parsed.problem.param}: ${parsed.problem.message}`)
  const { messages, parameters, source } = parsed.request
  const changed = <T>(value: T): T => replaceTexts(value, collectTexts(value).map(change))
  const encoded = UPSTREAMS[dialect.name].encode({
    model: 'upstream-model',
    stream: false,
    messages: changed(messages),
    parameters: changed(parameters),
    original: source && { ...source, messages, parameters },
  })
  if (!encoded.ok) throw new Error(`unsupported: ${encoded.unsupported.param}`)
  return encoded.body
}

const conceal = (text: string): string => text.replaceAll(SECRET, '[hidden]')
const expected = (body: string): string => conceal(body).replace('"model":"m"', '"model":"upstream-model"')

describe.each([
  ['Anthropic Messages', anthropicMessages, messagesBody],
  ['Responses', openaiResponses, responsesBody],
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

  test('carry: a provider of the same API gets them in their places', () =>
    expect(forward(anthropicMessages, body({}), undefined, 'carry')).toBe(body({ model: 'upstream-model' })))

  test('refuse: the first one is named', () => {
    const refused = () => forward(anthropicMessages, body({}), undefined, 'refuse')
    expect(refused).toThrow('messages[0].content[0].x_hint: is not a field that the gateway knows')
  })

  test('name: a block of an unknown type is refused', () =>
    expect(() => forward(anthropicMessages, body({}))).toThrow('messages[0].content[1].type: must be'))

  test('carry: detectors read their names and values', () => {
    const texts: string[] = []
    const collect = (text: string): string => {
      texts.push(text)
      return text
    }
    forward(anthropicMessages, body({}), collect, 'carry')
    expect(texts).toEqual(expect.arrayContaining(['warm', 'blue', 'x_hint', 'level']))
  })

  test('carry: not sent when a policy changes one, because it cannot be put back', () =>
    expect(() => forward(anthropicMessages, body({ x_top: SECRET }), conceal, 'carry')).toThrow('unsupported: carried_fields'))

  test.each(['mcp_servers', 'container'])('carry: %s stays refused, because the provider would run tools itself', (name) =>
    expect(() => forward(anthropicMessages, body({ [name]: [{ url: 'x' }] }), undefined, 'carry')).toThrow(name),
  )

  test('carry: a name that every object inherits is a name like others', () =>
    expect(forward(anthropicMessages, body({ toString: 'blue' }), undefined, 'carry')).toContain('"toString":"blue"'))

  test('carry: at most 32 blocks', () => {
    const content = Array.from({ length: 33 }, () => ({ type: 'hologram' }))
    const fields = { messages: [{ role: 'user', content }] }
    expect(() => forward(anthropicMessages, body(fields), undefined, 'carry')).toThrow('content[32].type: must be')
  })

  test.each(['x.y', 'messages[0]', 'x y', ''])('carry: a name that could be read as a path (%s) keeps its place', (name) => {
    const fields = { messages: [{ role: 'user', content: 'Hi' }], [name]: { [name]: null } }
    expect(forward(anthropicMessages, body(fields))).toBe(body({ ...fields, model: 'upstream-model' }))
  })
})

describe('Responses: a body that goes to a provider of the same API [GW-FID-1, GW-RESP-9]', () => {
  const forwarded = (fields: object, change?: (text: string) => string) =>
    JSON.parse(forward(openaiResponses, JSON.stringify({ model: 'm', input: 'Hi', ...fields }), change))

  test('in place: the provider stores nothing, and gets no state of items and no data about the client', () => {
    const item = { type: 'message', role: 'user', content: 'Hi' }
    const body = forwarded({
      input: [{ ...item, id: 'msg_1', status: 'completed' }],
      client_metadata: { installation: SECRET },
      store: true,
    })
    expect(body).toEqual({ model: 'upstream-model', input: [item], store: false, stream: false })
  })

  test('in place: a response that may be continued contains the state of its reasoning', () => {
    expect(forwarded({ reasoning: { effort: 'low' } }).include).toEqual(['reasoning.encrypted_content'])
    expect(forwarded({ reasoning: { effort: 'low' }, store: false })).not.toHaveProperty('include')
  })

  test('in place: instructions and several parts of one text are changed each by itself', () => {
    const content = [
      { type: 'input_text', text: SECRET },
      { type: 'input_text', text: `not ${SECRET}` },
    ]
    const body = forwarded({ instructions: SECRET, input: [{ role: 'user', content }] }, conceal)
    expect(body.instructions).toBe('[hidden]')
    expect(body.input).toEqual([
      {
        role: 'user',
        content: [
          { type: 'input_text', text: '[hidden]' },
          { type: 'input_text', text: 'not [hidden]' },
        ],
      },
    ])
  })
})
