import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { type Body, chunk, startProviderAnswers } from '../support/provider-answers.ts'
import { completion, word } from '../support/scripted-provider.ts'
import type { UpstreamModel } from '../support/three-upstreams.ts'

const answers = await closeAfterAll(startProviderAnswers())

interface ToolCall {
  readonly id: string
  readonly function: { readonly arguments: string }
}

describe('tool calls without index or id', () => {
  const call = (city: string, more: object = {}) => ({
    ...{ type: 'function', ...more },
    function: { name: 'look_up', arguments: JSON.stringify({ city }) },
  })
  const calls = (...list: object[]) => chunk({ role: 'assistant', tool_calls: list })
  const END = chunk({}, 'tool_calls')
  const message = { role: 'assistant', content: null, tool_calls: [call('Bern', { id: '' }), call('Ulm')] }
  test.each<[string, object, readonly string[]]>([
    ['empty ids', [calls(call('Bern', { id: '' })), calls(call('Ulm', { id: '' })), END], ['Bern', 'Ulm']],
    ['an absent id', [calls(call('Bern', { index: 0 })), END], ['Bern']],
    ['no ids in one list', [calls(call('Bern'), call('Ulm')), END], ['Bern', 'Ulm']],
    ['the index 0 for all', [calls(call('Bern', { index: 0 })), calls(call('Ulm', { index: 0 })), END], ['Bern', 'Ulm']],
    ['no stream', { ...completion(''), choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }, ['Bern', 'Ulm']],
  ])('tool calls: stay apart and get ids when the provider sends %s', async (_, value, cities) => {
    const key = answers.sends('scripted', value)
    const tools = [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object', properties: {} } } }]
    const [choice] = expectSuccess(await answers.ask('chat', 'scripted', key, { tools })).choices
    const made = (choice?.message as unknown as { tool_calls: ToolCall[] } | undefined)?.tool_calls ?? []
    expect(made.map((each) => JSON.parse(each.function.arguments).city)).toEqual(cities)
    expect(new Set(made.map(({ id }) => id)).size).toBe(cities.length)
    for (const { id } of made) expect(id).toMatch(/^call_\w+$/)
    const blocks = (await answers.ask('messages', 'scripted', key)).body.content as unknown as { id: string; input: Body }[]
    expect(blocks.map(({ input }) => input.city)).toEqual(cities)
    for (const { id } of blocks) expect(id).toMatch(/^call_\w+$/)
  })
})

describe('pictures in the results of tools', () => {
  const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const URL_OF_PNG = `data:image/png;base64,${PNG}`
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } }
  const use = (id: string) => ({ type: 'tool_use', id, name: 'shot', input: {} })
  const result = (id: string, content: unknown) => ({ type: 'tool_result', tool_use_id: id, content })
  const text = (value: string) => ({ type: 'text', text: value })
  const picture = { type: 'image_url', image_url: { url: URL_OF_PNG } }
  const sentBy = async (model: UpstreamModel, path: string, key: string, body: object) => {
    expectSuccess(await answers.post(path, { model, ...body }))
    return answers.callsWith(model, key)[0]?.body as Body
  }

  test('result: the chat API gets its text, and its picture behind all results, before what the user says', async () => {
    const key = word()
    const messages = [
      { role: 'user', content: key },
      { role: 'assistant', content: [use('toolu_1'), use('toolu_2'), use('toolu_3')] },
      {
        role: 'user',
        content: [
          result('toolu_1', [text('done'), image]),
          result('toolu_2', [image]),
          result('toolu_3', 'only text'),
          text('What do you see?'),
        ],
      },
    ]
    const body = { max_tokens: 100, tools: [{ name: 'shot', input_schema: { type: 'object' } }], messages }
    const sent = await sentBy('scripted', '/v1/messages', key, body)
    expect((sent.messages as readonly object[]).slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'toolu_1', content: 'done' },
      { role: 'tool', tool_call_id: 'toolu_2', content: 'The result is in the next message of the user.' },
      { role: 'tool', tool_call_id: 'toolu_3', content: 'only text' },
      {
        role: 'user',
        content: [text('Result of the tool call toolu_1:'), picture, text('Result of the tool call toolu_2:'), picture],
      },
      { role: 'user', content: 'What do you see?' },
    ])
  })

  test('result: pictures and files of a client of the Responses API too', async () => {
    const key = word()
    const output = [
      { type: 'input_text', text: 'done' },
      { type: 'input_image', image_url: URL_OF_PNG },
      { type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,aGVsbG8=' },
    ]
    const input = [
      { role: 'user', content: key },
      { type: 'function_call', call_id: 'call_1', name: 'shot', arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output },
    ]
    const sent = await sentBy('scripted', '/v1/responses', key, { input })
    const [tool, user, ...others] = (sent.messages as readonly Body[]).slice(2)
    expect(tool).toEqual({ role: 'tool', tool_call_id: 'call_1', content: 'done' })
    expect(user).toMatchObject({ role: 'user', content: [{ type: 'text' }, picture, { type: 'file' }] })
    expect(others).toEqual([])
    const claude = await sentBy('claude', '/v1/responses', key, { input })
    expect((claude.messages as readonly Body[]).at(-1)).toMatchObject({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'call_1', content: [text('done'), image, { type: 'document' }] }],
    })
  })

  test('result: a client of the chat API decides what its provider gets', async () => {
    const key = word()
    const messages = [
      { role: 'user', content: key },
      { role: 'assistant', tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'shot', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'call_1', content: [text('done'), picture] },
    ]
    const sent = await sentBy('scripted', '/v1/chat/completions', key, { messages })
    expect(sent.messages).toEqual(messages)
    const gpt = await sentBy('gpt', '/v1/chat/completions', key, { messages })
    expect((gpt.input as readonly Body[]).at(-1)).toMatchObject({
      type: 'function_call_output',
      output: [
        { type: 'input_text', text: 'done' },
        { type: 'input_image', image_url: URL_OF_PNG },
      ],
    })
  })
})
