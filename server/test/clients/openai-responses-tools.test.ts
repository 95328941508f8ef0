import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { body, failure, type Input, responsesClient, WEATHER } from '../support/responses-client.ts'
import { sharedGoverned } from '../support/shared-server.ts'

/** Tools and streams of the responses API, with the OpenAI client from npm. */
const governed = await closeAfterAll(sharedGoverned())
const sdk = await responsesClient(governed)

const TEXT = 'The quick brown fox jumps over the lazy dog: naïve 狐狸 🦊.'
const CALL = { id: 'call_weather', type: 'function', function: { name: 'weather', arguments: '{"city":"Łódź and Paris"}' } }

describe('tools', () => {
  test('function: is called, and its result is sent in the next turn [GW-RESP-4, GW-RESP-6]', async () => {
    const message = { role: 'assistant', content: 'Let me look.', tool_calls: [CALL, { ...CALL, id: 'call_2' }] }
    const key = sdk.promptFor({ message, finish_reason: 'tool_calls' })
    const tools = [WEATHER]
    const first = await sdk.client().responses.create(body(key, { tools, tool_choice: { type: 'function', name: 'weather' } }))
    expect(first.output).toMatchObject([
      { type: 'message', content: [{ text: 'Let me look.' }] },
      {
        type: 'function_call',
        call_id: 'call_weather',
        name: 'weather',
        arguments: CALL.function.arguments,
        status: 'completed',
      },
      { type: 'function_call', call_id: 'call_2' },
    ])
    const { type, ...definition } = WEATHER
    expect(sdk.sentFor(key)).toMatchObject({
      tools: [{ type, function: definition }],
      tool_choice: { type: 'function', function: { name: 'weather' } },
    })
    const next = sdk.promptForText('It rains.')
    const input = [
      { role: 'user', content: 'weather?' },
      ...first.output,
      { type: 'function_call_output', call_id: 'call_weather', output: 'rain' },
      { type: 'function_call_output', call_id: 'call_2', output: [{ type: 'input_text', text: next }] },
    ] as Input
    const second = await sdk.client().responses.create(body(input, { tools }))
    expect(second.output_text).toBe('It rains.')
    expect(sdk.sentFor(next)?.messages).toEqual([
      { role: 'user', content: 'weather?' },
      message,
      { role: 'tool', tool_call_id: 'call_weather', content: 'rain' },
      { role: 'tool', tool_call_id: 'call_2', content: next },
    ])
  })
  test('function: the response repeats it, with null for what the request leaves out [GW-RESP-11]', async () => {
    const tools = [{ type: 'function', name: 'weather' }] as unknown as (typeof WEATHER)[]
    const response = await sdk.client().responses.create(body(sdk.promptForText(TEXT), { tools }))
    expect(response.tools).toEqual([{ type: 'function', name: 'weather', description: null, parameters: null, strict: null }])
  })
  test('function: the stream has its arguments [GW-RESP-15]', async () => {
    const key = sdk.promptFor({ message: { role: 'assistant', content: null, tool_calls: [CALL] }, finish_reason: 'tool_calls' })
    const stream = sdk.client().responses.stream(body(key, { tools: [WEATHER] }))
    const deltas: string[] = []
    stream.on('response.function_call_arguments.delta', ({ delta }) => deltas.push(delta))
    const { output } = await stream.finalResponse()
    expect(output).toMatchObject([
      { type: 'function_call', call_id: 'call_weather', arguments: CALL.function.arguments, parsed_arguments: expect.anything() },
    ])
    expect(deltas.join('')).toBe(CALL.function.arguments)
  })
  test('custom tool: is called, in a stream as well, and its result is sent in the next turn [GW-RESP-4, GW-RESP-6]', async () => {
    const custom = { name: 'run', input: 'print("hello exec")' }
    const message = { role: 'assistant', content: null, tool_calls: [{ id: 'call_c', type: 'custom', custom }] }
    const key = sdk.promptFor({ message, finish_reason: 'tool_calls' })
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' }
    const tools = [{ type: 'custom', name: 'run', description: 'Runs code', format }]
    const { output } = await sdk.client().responses.create(body(key, { tools, tool_choice: 'required' }))
    expect(output).toMatchObject([{ type: 'custom_tool_call', status: 'completed', call_id: 'call_c', ...custom }])
    expect(sdk.sentFor(key)).toMatchObject({
      tools: [
        {
          type: 'custom',
          custom: {
            name: 'run',
            description: 'Runs code',
            format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
          },
        },
      ],
    })
    const streamed = await sdk.client().responses.stream(body(key, { tools })).finalResponse()
    expect(streamed.output).toMatchObject([{ type: 'custom_tool_call', status: 'completed', ...custom }])
    const next = sdk.promptForText('done')
    const result = { type: 'custom_tool_call_output', call_id: 'call_c', output: next }
    await sdk.client().responses.create(body([...output, result] as Input, { tools }))
    expect(sdk.sentFor(next)?.messages).toEqual([
      { ...message, content: null },
      { role: 'tool', tool_call_id: 'call_c', content: next },
    ])
  })
  test("a provider's state in a call: comes back in the next turn [GW-RESP-4]", async () => {
    const extra_content = { google: { thought_signature: Buffer.from('a signature of the provider alone').toString('base64') } }
    const call = { ...CALL, extra_content }
    const key = sdk.promptFor({ message: { role: 'assistant', content: null, tool_calls: [call] }, finish_reason: 'tool_calls' })
    const { output } = await sdk.client().responses.create(body(key, { tools: [WEATHER] }))
    const next = sdk.promptForText('done')
    const result = { type: 'function_call_output', call_id: CALL.id, output: next }
    await sdk.client().responses.create(body([...output, result] as Input, { tools: [WEATHER] }))
    expect(sdk.sentFor(next)?.messages[0]).toMatchObject({ tool_calls: [call] })
  })
})

describe('stream', () => {
  test('events: have the order of the API, with numbers from 0 [GW-RESP-14, GW-RESP-15]', async () => {
    const stream = await sdk.client().responses.create({ ...body(sdk.promptForText(TEXT)), stream: true })
    const events = await Array.fromAsync(stream)
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index))
    const types = events.map(({ type }) => type)
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      ...['response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added'],
      ...['response.output_text.delta', 'response.output_text.done', 'response.content_part.done', 'response.output_item.done'],
      ...['response.completed'],
    ])
    const deltas = events.flatMap((event) => (event.type === 'response.output_text.delta' ? event.delta : []))
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.join('')).toBe(TEXT)
    for (const event of [events[0], events.at(-1)]) {
      expect(event).toMatchObject({ response: { governance: { audit_id: expect.stringMatching(/^aud_/) } } })
    }
  })
  test('.stream(): the collected response equals the one without a stream [GW-RESP-15]', async () => {
    const key = sdk.promptForText(TEXT)
    const final = await sdk.client().responses.stream(body(key)).finalResponse()
    const { output, usage } = await sdk.client().responses.create(body(key))
    expect(final.output_text).toBe(TEXT)
    expect(final.usage).toEqual(usage)
    expect(final.output.map(({ type }) => type)).toEqual(output.map(({ type }) => type))
  })
  test('lines: each event has its name and data, and [DONE] is last [GW-RESP-14]', async () => {
    const text = await sdk
      .client()
      .responses.create({ ...body(sdk.promptForText('fine')), stream: true })
      .asResponse()
      .then((response) => response.text())
    const events = text.split('\n\n')
    expect(events.splice(-2)).toEqual(['data: [DONE]', ''])
    expect(events.length).toBeGreaterThan(1)
    for (const event of events) {
      const [, name, data = ''] = /^event: (\S+)\ndata: (.+)$/.exec(event) ?? []
      expect(JSON.parse(data)).toMatchObject({ type: name })
    }
  })
  test('a denial is an error before the first event [GW-RESP-14]', async () => {
    const error = await failure(sdk.client().responses.create({ ...body('juniper-deny'), stream: true }))
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
    const denied = await failure(
      sdk
        .client()
        .responses.stream(body(sdk.promptForText('sorrel-deny')))
        .finalResponse(),
    )
    expect(denied).toBeInstanceOf(OpenAI.PermissionDeniedError)
  })
})
