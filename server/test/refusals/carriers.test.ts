import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CHAT } from '../support/gateway-client.ts'
import { type Governed, startGoverned } from '../support/governed.ts'
import { completion, json, word } from '../support/scripted-provider.ts'

let governed: Governed
let token: string
beforeAll(async () => {
  governed = await startGoverned()
  const extensions = ['tools', 'content_parts', 'developer_role']
  token = (await governed.application({ settings: { extensions } })).token
})
afterAll(() => governed.close())

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

/** Wherever a caller can put words into a request. */
const CARRIERS: Readonly<Record<string, (words: string) => Fields>> = {
  'a content': (words) => ({ messages: [user({ content: words })] }),
  'a system message': (words) => ({ messages: [user({ role: 'system', content: words }), user()] }),
  'a developer message': (words) => ({ messages: [user({ role: 'developer', content: words }), user()] }),
  'a name': (words) => ({ messages: [user({ name: words })] }),
  'a field of a message that nobody knows': (words) => ({ messages: [user({ note: words })] }),
  'the id of a tool call': (words) => call({ id: words, function: { name: 'x', arguments: '{}' } }),
  'the arguments of a tool call': (words) => call({ function: { name: 'x', arguments: words } }),
  'a field of a tool call that nobody knows': (words) => call({ function: { name: 'x', arguments: '{}' }, detail: words }),
  'the name of a field of a function call': (words) => call({ function: { name: 'x', arguments: '{}', [words]: 1 } }),
  'the id that a tool answers': (words) => ({ messages: [user(), { role: 'tool', content: 'x', tool_call_id: words }] }),
  'a text part': (words) => parts({ type: 'text', text: words }),
  'a field of a part that nobody knows': (words) => parts({ type: 'text', text: 'x', detail: words }),
  'the name of a field of a part': (words) => parts({ type: 'text', text: 'x', [words]: 1 }),
  'a part of a type that nobody knows': (words) => parts({ type: 'file_search', file: words }),
  'the address of a picture': (words) => parts({ type: 'image_url', image_url: { url: `https://example.org/${words}.png` } }),
  'a data address that is none': (words) => parts({ type: 'image_url', image_url: { url: `data:${words}` } }),
  'the detail of a picture': (words) => parts({ type: 'image_url', image_url: { url: 'https://example.org', detail: words } }),
  'the name of a file': (words) => parts({ type: 'file', file: { filename: words, file_data: 'eHg=' } }),
  'the bytes of a file that are none': (words) => parts({ type: 'file', file: { file_data: words } }),
  'the bytes of a sound that are none': (words) => parts({ type: 'input_audio', input_audio: { data: words, format: 'wav' } }),
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
  'the user field': (words) => ({ user: words }),
}

describe('what a policy forbids does not reach a provider', () => {
  test.each(Object.entries(CARRIERS))('in %s', async (_, carry) => {
    const key = word()
    const asked = { model: 'scripted', messages: [user()], ...carry(`juniper-deny-${key}`) }
    const { status, body } = await governed.post(CHAT, asked, { token })
    expect(governed.provider.about(key)).toEqual([])
    // Refused, or let through without what nobody read.
    if (status !== 200) expect(body.error.code).toMatch(/^(POLICY_DENIED|VALIDATION_ERROR)$/)
  })
  test('and pictures, sounds and files as such still do', async () => {
    const key = word()
    const content = [
      { type: 'text', text: key },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' } },
      { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ]
    const { status } = await governed.post(CHAT, { model: 'scripted', messages: [user({ content })] }, { token })
    expect(status).toBe(200)
    expect(governed.provider.about(key)[0]?.body.messages[0]?.content).toEqual(content)
  })
})

describe('what a policy forbids does not leave in an answer', () => {
  const message = (fields: Fields) => ({ role: 'assistant', content: 'Good morning', ...fields })
  const called = (fields: Fields) => [{ id: 'c1', type: 'function', function: { name: 'x', arguments: '{}', ...fields } }]
  const ANSWERS: Readonly<Record<string, (words: string) => Fields>> = {
    'a content': (words) => message({ content: words }),
    'a refusal': (words) => message({ refusal: words }),
    'a reasoning': (words) => message({ reasoning_content: words }),
    'the id of a tool call': (words) => message({ tool_calls: [{ ...called({})[0], id: words }] }),
    'the name of a tool': (words) => message({ tool_calls: called({ name: words }) }),
    'the arguments of a tool call': (words) => message({ tool_calls: called({ arguments: words }) }),
    'a field that nobody knows': (words) => message({ annotations: [{ text: words }] }),
  }
  test.each(Object.entries(ANSWERS))('in %s', async (_, make) => {
    for (const stream of [false, true]) {
      const key = word()
      const words = `sorrel-deny-${key}`
      governed.provider.on(key, (response) =>
        json(response, 200, completion('', { choices: [{ index: 0, message: make(words), finish_reason: 'stop' }] })),
      )
      const { text } = await governed.post(CHAT, { model: 'scripted', messages: [user({ content: key })], stream }, { token })
      expect(text).not.toContain(words)
    }
  })
})
