import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { CHAT } from '../support/gateway-client.ts'
import { completion, json, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const governed = await closeAfterAll(sharedGoverned())
const extensions = ['tools', 'content_parts', 'developer_role']
const token = (await governed.application({ settings: { extensions } })).token

type Fields = Readonly<Record<string, unknown>>
const user = (fields: Fields = {}) => ({ role: 'user', content: 'Good morning', ...fields })
const metadata = (fields: Fields) => ({ metadata: fields })
const schema = (properties: Fields) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object', properties } } },
})
const tool = (fields: Fields) => ({ tools: [{ type: 'function', function: { name: 'look', ...fields } }] })
const parts = (part: Fields) => ({ messages: [user({ content: [{ type: 'text', text: 'Good morning' }, part] })] })
const call = (fields: Fields) => ({
  messages: [user(), { role: 'assistant', content: 'x', tool_calls: [{ id: 'c1', type: 'function', ...fields }] }],
})

/** JSON in which the words appear only after parsing. */
const escaped = (words: string) =>
  `{"a":"${[...words].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}`

/** Every field of a request that can contain text. */
const REQUESTS: Readonly<Record<string, (words: string) => Fields>> = {
  'a content': (words) => ({ messages: [user({ content: words })] }),
  'a system message': (words) => ({ messages: [user({ role: 'system', content: words }), user()] }),
  'a developer message': (words) => ({ messages: [user({ role: 'developer', content: words }), user()] }),
  'a name': (words) => ({ messages: [user({ name: words })] }),
  'an unknown field of a message': (words) => ({ messages: [user({ note: words })] }),
  'the id of a tool call': (words) => call({ id: words, function: { name: 'x', arguments: '{}' } }),
  'the arguments of a tool call': (words) => call({ function: { name: 'x', arguments: words } }),
  'the escaped arguments of a tool call': (words) => call({ function: { name: 'x', arguments: escaped(words) } }),
  'escaped arguments that are cut off': (words) => call({ function: { name: 'x', arguments: escaped(words).slice(0, -2) } }),
  'a content in escaped JSON': (words) => ({ messages: [user({ content: ` ${escaped(words)}` })] }),
  'a text part in escaped JSON': (words) => parts({ type: 'text', text: escaped(words) }),
  'an escaped tool result': (words) => ({ messages: [user(), { role: 'tool', content: escaped(words), tool_call_id: 'c1' }] }),
  'an unknown field of a tool call': (words) => call({ function: { name: 'x', arguments: '{}' }, detail: words }),
  'the name of a field of a function call': (words) => call({ function: { name: 'x', arguments: '{}', [words]: 1 } }),
  'the tool call id of a tool result': (words) => ({ messages: [user(), { role: 'tool', content: 'x', tool_call_id: words }] }),
  'a text part': (words) => parts({ type: 'text', text: words }),
  'an unknown field of a part': (words) => parts({ type: 'text', text: 'x', detail: words }),
  'the name of a field of a part': (words) => parts({ type: 'text', text: 'x', [words]: 1 }),
  'a part of an unknown type': (words) => parts({ type: 'file_search', file: words }),
  'the URL of a picture': (words) => parts({ type: 'image_url', image_url: { url: `https://example.org/${words}.png` } }),
  'an invalid data: URL': (words) => parts({ type: 'image_url', image_url: { url: `data:${words}` } }),
  'the detail of a picture': (words) => parts({ type: 'image_url', image_url: { url: 'https://example.org', detail: words } }),
  'the name of a file': (words) => parts({ type: 'file', file: { filename: words, file_data: 'eHg=' } }),
  'the data of a file that is not base64': (words) => parts({ type: 'file', file: { file_data: words } }),
  'a sound that is not base64': (words) => parts({ type: 'input_audio', input_audio: { data: words, format: 'wav' } }),
  'the format of a sound': (words) => parts({ type: 'input_audio', input_audio: { data: 'eHg=', format: words } }),
  'a value of the metadata': (words) => metadata({ topic: words }),
  'metadata called id': (words) => metadata({ id: words }),
  'metadata called detail': (words) => metadata({ detail: words }),
  'metadata called role': (words) => metadata({ role: words }),
  'metadata called file': (words) => metadata({ file: { deep: [words] } }),
  'a name in the metadata': (words) => metadata({ [words]: 'x' }),
  'a picture in the metadata': (words) => metadata({ content: [{ type: 'image_url', image_url: { url: words } }] }),
  'a described property called id': (words) => schema({ id: { type: 'string', description: words } }),
  'the name of a property': (words) => schema({ [words]: { type: 'string' } }),
  'the type of a property': (words) => schema({ x: { type: words } }),
  'the description of a tool': (words) => tool({ description: words }),
  "a tool's property called type": (words) => tool({ parameters: { properties: { type: { description: words } } } }),
  "the name of a tool's property": (words) => tool({ parameters: { properties: { [words]: {} } } }),
  'a stop sequence': (words) => ({ stop: ['x', words] }),
  'a signature': (words) => ({ messages: [user({ signature: `${words}-${'a'.repeat(24)}` })] }),
  'a signature in the metadata': (words) => metadata({ thought_signature: `${words}-${'a'.repeat(24)}` }),
  'encrypted reasoning': (words) => ({
    messages: [user({ reasoning_details: [{ type: 'reasoning.encrypted', data: `${words}-${'a'.repeat(300)}` }] })],
  }),
  'a predicted completion over two parts': (words) => ({
    prediction: { type: 'content', content: [words.slice(0, 9), words.slice(9)].map((text) => ({ type: 'text', text })) },
  }),
  'the user field': (words) => ({ user: words }),
}

describe('input policies: denied text reaches no provider', () => {
  test.each(Object.entries(REQUESTS))('in %s', async (_, createFields) => {
    const key = word()
    const request = { model: 'scripted', messages: [user()], ...createFields(`juniper-deny-${key}`) }
    const { status, body } = await governed.post(CHAT, request, { token })
    expect(governed.provider.callsWith(key)).toEqual([])
    expect(governed.provider.callsWith(escaped(key).slice(6, -2))).toEqual([])
    // Either refused, or forwarded without the field that no detector reads.
    if (status !== 200) expect(body.error.code).toMatch(/^(POLICY_DENIED|VALIDATION_ERROR)$/)
  })
  test('pictures, sounds and files reach the provider', async () => {
    const key = word()
    const content = [
      { type: 'text', text: key },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' } },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ]
    const { status } = await governed.post(CHAT, { model: 'scripted', messages: [user({ content })] }, { token })
    expect(status).toBe(200)
    expect(governed.provider.callsWith(key)[0]?.body.messages[0]?.content).toEqual(content)
  })
})

describe('output policies: denied text is not returned', () => {
  const message = (fields: Fields) => ({ role: 'assistant', content: 'Good morning', ...fields })
  const called = (fields: Fields) => [{ id: 'c1', type: 'function', function: { name: 'x', arguments: '{}', ...fields } }]
  const MESSAGES: Readonly<Record<string, (words: string) => Fields>> = {
    'a content': (words) => message({ content: words }),
    'a refusal': (words) => message({ refusal: words }),
    'a reasoning': (words) => message({ reasoning_content: words }),
    'the id of a tool call': (words) => message({ tool_calls: [{ ...called({})[0], id: words }] }),
    'the name of a tool': (words) => message({ tool_calls: called({ name: words }) }),
    'the arguments of a tool call': (words) => message({ tool_calls: called({ arguments: words }) }),
    'the escaped arguments of a tool call': (words) => message({ tool_calls: called({ arguments: escaped(words) }) }),
    'the escaped arguments of a function call': (words) => message({ function_call: { name: 'x', arguments: escaped(words) } }),
    'a content in escaped JSON': (words) => message({ content: escaped(words) }),
    'a signature': (words) => message({ signature: `${words}-${'a'.repeat(24)}` }),
    'an unknown field': (words) => message({ annotations: [{ text: words }] }),
  }
  test.each(Object.entries(MESSAGES))('in %s', async (_, createMessage) => {
    for (const stream of [false, true]) {
      const key = word()
      const words = `sorrel-deny-${key}`
      governed.provider.on(key, (response) =>
        json(response, 200, completion('', { choices: [{ index: 0, message: createMessage(words), finish_reason: 'stop' }] })),
      )
      const { text } = await governed.post(CHAT, { model: 'scripted', messages: [user({ content: key })], stream }, { token })
      expect(text).not.toContain(words)
      expect(text).not.toContain('u0073\\\\u006f')
    }
  })
})

describe('provider fields outside the message: not returned and not recorded', () => {
  const chatWithResponse = async (change: Fields, more: Fields = {}) => {
    const key = word()
    const choice = { index: 0, message: { role: 'assistant', content: 'Good' }, finish_reason: 'stop', ...change }
    governed.provider.on(key, (response) => json(response, 200, completion('', { choices: [choice], ...more })))
    const body = { model: 'scripted', messages: [user({ content: key })], logprobs: true }
    const response = await governed.post(CHAT, body, { token })
    const auditId = response.headers.get('x-audit-id')
    const record = await governed.api('GET', `/v1/audit/${auditId}`, { token })
    expect(record.status).toBe(200)
    return { response, text: response.text + record.text }
  }
  test.each(['AKIAQ3EGRWZT5HPLV2NX', 'harriet_lowe_has_cancer'])('an unknown finish_reason: %s', async (finish_reason) => {
    const { response, text } = await chatWithResponse({ finish_reason })
    expect(response.body.choices[0]?.finish_reason).toBe('length')
    expect(text).not.toContain(finish_reason)
  })
  test.each<[string, Fields, Fields]>([
    ['an index', { index: 4_111_111_111_111_111 }, {}],
    ['a logprob', { logprobs: { content: [{ token: 'Good', logprob: 4_111_111_111_111_111 }] } }, {}],
    ['a logprob below zero', { logprobs: { content: [{ token: 'Good', logprob: -4_111_111_111_111_111 }] } }, {}],
    ['the time it was created', {}, { created: 4_111_111_111_111_111 }],
    ['its id', {}, { id: 'x4111111111111111' }],
    ['the count of its tokens', {}, { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 4_111_111_111_111_111 } }],
  ])('a number as %s', async (_, change, more) => {
    expect((await chatWithResponse(change, more)).text).not.toContain('4111111111111111')
  })
  test.each<[string, Fields, Fields]>([
    ['a system_fingerprint', {}, { system_fingerprint: '4111111111111111' }],
    ['an unknown field of a choice', { seed: 4111111111111111 }, {}],
    ['a detail of usage', {}, { usage: { prompt_tokens: 1, completion_tokens: 1, details: { x: [4111111111111111] } } }],
  ])('a number as %s: inspected, and not recorded', async (_, change, more) => {
    const { response } = await chatWithResponse(change, more)
    const record = await governed.api('GET', `/v1/audit/${response.headers.get('x-audit-id')}`, { token })
    expect(record.body.findings).toMatchObject({ inspect: { 'pii.card': 1 } })
    expect(record.text).not.toContain('4111111111111111')
  })
})

describe('transforms: change escaped text in JSON, and the result is valid JSON', () => {
  const IBAN = 'GB33BUKB20201555555555'
  const written = (iban: string) => `{"note":"sorrel-redact","a":"\\u0041","b":"${iban}"}`
  test.each([IBAN, IBAN.replace('G', '\\u0047')])('%s', async (iban) => {
    const key = word()
    const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'x', arguments: written(iban) } }]
    const message = { role: 'assistant', content: written(iban), tool_calls }
    governed.provider.on(key, (response) =>
      json(response, 200, completion('', { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] })),
    )
    const { body } = await governed.post(CHAT, { model: 'scripted', messages: [user({ content: key })] }, { token })
    const returned = body.choices[0]?.message as Fields
    expect(returned.content).toBe(written('[IBAN]'))
    expect(returned.tool_calls).toMatchObject([{ function: { arguments: written('[IBAN]') } }])
  })
})

test('tools: tool calls are removed and content is a string when the extension is off', async () => {
  const { token: tokenWithoutTools } = await governed.application()
  for (const stream of [false, true]) {
    const key = word()
    const tool_calls = [{ id: 'c1', type: 'function', function: { name: 'pay', arguments: '{}' } }]
    const choice = { index: 0, message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' }
    governed.provider.on(key, (response) => json(response, 200, completion('', { choices: [choice] })))
    const request = { model: 'scripted', messages: [user({ content: key })], stream }
    const { body, status, text } = await governed.post(CHAT, request, { token: tokenWithoutTools })
    expect(status).toBe(200)
    expect(text).not.toContain('tool_calls')
    if (!stream) {
      expect(body.choices).toEqual([{ index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'stop' }])
    }
  }
})
