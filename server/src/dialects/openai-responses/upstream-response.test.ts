import { describe, expect, test } from 'vitest'
import { callItem, messageItem, responseObject } from '../../../test/support/scripted-responses.ts'
import { parseJsonObject } from '../../platform/lib/untrusted-json.ts'
import { readFailure } from './upstream.ts'
import { readResponse } from './upstream-response.ts'

const defaults = { model: 'small', newId: () => 'chatcmpl_1', created: () => 1_800_000_000 }
const read = (value: unknown) => {
  const response = parseJsonObject(Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)))
  return response && readResponse(response, defaults)
}
const readItems = (output: readonly object[], more: object = {}) => read(responseObject(output, more))
const messageOf = (output: readonly object[], more: object = {}) => readItems(output, more)?.choices[0]?.message
const incomplete = (reason: string) => ({ status: 'incomplete', incomplete_details: { reason } })
const thought = (more: object = {}) => ({ id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'c3RhdGU=', ...more })

describe('response', () => {
  test('response: becomes a completion with the client’s model name, without fields that repeat the request', () => {
    expect(readItems([messageItem('Good '), messageItem('morning.')])).toEqual({
      id: 'chatcmpl_1',
      object: 'chat.completion',
      created: 1_700_000_000,
      model: 'small',
      service_tier: 'default',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Good morning.' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 11,
        completion_tokens: 7,
        total_tokens: 18,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    })
  })

  test('response: calls of functions and custom tools keep their order and their providers’ fields', () => {
    const custom = { id: 'ctc_1', type: 'custom_tool_call', call_id: 'b', name: 'run', input: 'ls', namespace: null }
    const signed = { ...callItem('a', 'look_up', { city: 'Oslo' }), extra_content: { google: { thought_signature: 'x' } } }
    expect(readItems([messageItem('Wait.'), signed, custom])?.choices[0]).toEqual({
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: 'Wait.',
        tool_calls: [
          {
            id: 'a',
            type: 'function',
            function: { name: 'look_up', arguments: '{"city":"Oslo"}' },
            extra_content: { google: { thought_signature: 'x' } },
          },
          { id: 'b', type: 'custom', custom: { name: 'run', input: 'ls' } },
        ],
      },
    })
  })

  test.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
    ['MAX_TOKENS', 'length'],
    // Not known: the response may not be complete.
    ['constructor', 'length'],
  ])('response: incomplete because of %s ends with %s', (reason, expected) => {
    expect(readItems([messageItem('x')], incomplete(reason))?.choices[0]?.finish_reason).toBe(expected)
    expect(readItems([], incomplete(reason))?.choices[0]?.message.content).toBe('')
  })

  test('response: may be complete without output', () =>
    expect(readItems([])?.choices[0]).toMatchObject({ message: { content: '' }, finish_reason: 'stop' }))

  test.each(['', null, undefined])('response: a call gets an id when it has the id %j', (call_id) => {
    const completion = readItems([{ ...callItem('a', 'f'), call_id }])
    expect(completion?.choices[0]?.message.tool_calls).toMatchObject([{ id: 'chatcmpl_1', function: { name: 'f' } }])
  })

  test('usage: reasoning beside the output is output', () => {
    const usage = { input_tokens: 100, output_tokens: 10, output_tokens_details: { reasoning_tokens: 20 }, total_tokens: 130 }
    expect(read(responseObject([messageItem('x')], { usage }))?.usage).toMatchObject({
      completion_tokens: 30,
      total_tokens: 130,
      completion_tokens_details: { reasoning_tokens: 20 },
    })
  })

  test('refusal: is the refusal of the message', () => {
    const refused = { ...messageItem(''), content: [{ type: 'refusal', refusal: 'No.' }] }
    expect(messageOf([refused])).toEqual({ role: 'assistant', content: null, refusal: 'No.' })
  })

  test('annotations: are those of the chat API, counted from the beginning of the content', () => {
    const citation = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 2 }
    const other = { type: 'file_path', file_id: 'f', index: 0 }
    expect(messageOf([messageItem('One. '), messageItem('Two.', { annotations: [citation, other] })])?.annotations).toEqual([
      { type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', start_index: 5, end_index: 7 } },
      other,
    ])
  })

  test('logprobs: are those of the choice, without other fields', () => {
    const logprobs = [{ token: 'x', logprob: -0.5, bytes: [120], top_logprobs: [{ token: 'y', logprob: -2, bytes: [121] }] }]
    expect(readItems([messageItem('x', { logprobs })])?.choices[0]?.logprobs).toEqual({
      content: [{ token: 'x', logprob: -0.5, top_logprobs: [{ token: 'y', logprob: -2 }] }],
      refusal: null,
    })
  })

  test('usage: cached and reasoning tokens keep their names', () => {
    const usage = {
      input_tokens: 125,
      input_tokens_details: { cached_tokens: 100, cache_write_tokens: 20 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 134,
    }
    expect(readItems([messageItem('x')], { usage })?.usage).toEqual({
      prompt_tokens: 125,
      completion_tokens: 9,
      total_tokens: 134,
      prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 4 },
    })
  })

  test.each([
    [['final_answer', 'final_answer'], 'final_answer'],
    [['commentary', 'final_answer'], undefined],
    [['commentary', undefined], undefined],
  ])('phase: of texts with %j is %s', (phases, expected) =>
    expect(messageOf(phases.map((phase) => ({ ...messageItem('x'), phase })))?.phase).toBe(expected),
  )

  test('phase: texts of two phases are two paragraphs', () => {
    const said = (text: string, phase?: string) => ({ ...messageItem(text), ...(phase && { phase }) })
    const two = [said('I look.', 'commentary'), said('It rains.', 'final_answer')]
    expect(messageOf(two)?.content).toBe('I look.\n\nIt rains.')
    expect(messageOf([said('One '), said('text.')])?.content).toBe('One text.')
    expect(messageOf([said('I look.', 'commentary'), said('', 'final_answer')])?.content).toBe('I look.')
  })
})

describe('reasoning', () => {
  test('reasoning: becomes details with their item, their format and their place', () => {
    const summary = [
      { type: 'summary_text', text: 'First.' },
      { type: 'summary_text', text: 'Then.' },
    ]
    const own = { id: 'rs_1', format: 'openai-responses-v1' }
    const later = { id: 'rs_2', format: 'openai-responses-v1', start_index: 4, call_index: 1 }
    const text = { id: 'rs_2', content: [{ type: 'reasoning_text', text: 'Raw.' }], encrypted_content: null, status: null }
    expect(
      messageOf([thought({ summary }), messageItem('One.'), callItem('a', 'f'), thought(text), callItem('b', 'f')]),
    ).toMatchObject({
      reasoning_content: 'First.\n\nThen.\n\nRaw.',
      reasoning_details: [
        { type: 'reasoning.summary', summary: 'First.', ...own },
        { type: 'reasoning.summary', summary: 'Then.', ...own },
        { type: 'reasoning.encrypted', data: 'c3RhdGU=', ...own },
        { type: 'reasoning.text', text: 'Raw.', ...later },
      ],
    })
  })

  test('reasoning: is enough when the response was cut off in it', () =>
    expect(readItems([thought()], incomplete('max_output_tokens'))?.choices[0]).toMatchObject({
      message: { content: null },
      finish_reason: 'length',
    }))
})

const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`)
const part = (more: object) => [{ ...messageItem('x'), content: [{ type: 'output_text', text: 'x', annotations: [], ...more }] }]

describe('malformed response', () => {
  test.each<[string, unknown]>([
    ['no JSON', '<html>'],
    ['a list', '[]'],
    ['another object', responseObject([messageItem('x')], { object: 'chat.completion' })],
    ['an error', responseObject([messageItem('x')], { error: { code: 'server_error', message: 'm' } })],
    ['no output', responseObject([], { output: null })],
    ['no status', responseObject([messageItem('x')], { status: undefined })],
    ['the status in_progress', responseObject([messageItem('x')], { status: 'in_progress' })],
    ['the status cancelled', responseObject([messageItem('x')], { status: 'cancelled' })],
    ['the status failed', responseObject([messageItem('x')], { status: 'failed' })],
    ['a reason of a fault', responseObject([messageItem('x')], incomplete('network_error'))],
    ['no reason', responseObject([messageItem('x')], { status: 'incomplete' })],
    ['an item of an unknown type', responseObject([messageItem('x'), { type: 'hologram' }])],
    ['a tool of the provider', responseObject([{ type: 'web_search_call', id: 'ws', status: 'completed' }, messageItem('x')])],
    ['an item of an inherited type', responseObject([{ type: 'toString' }])],
    ['a null item', responseObject([null as unknown as object])],
    ['257 items', responseObject(Array.from({ length: 257 }, () => messageItem('x')))],
    ['a message of the user', responseObject([{ ...messageItem('x'), role: 'user' }])],
    ['a message with an unknown field', responseObject([{ ...messageItem('x'), secret: 'y' }])],
    ['content that is a text', responseObject([{ ...messageItem('x'), content: 'x' }])],
    ['a phase that is an object', responseObject([{ ...messageItem('x'), phase: {} }])],
    ['a part of an unknown type', responseObject([{ ...messageItem('x'), content: [{ type: 'output_audio' }] }])],
    ['text that is a number', responseObject(part({ text: 7 }))],
    ['a text with an unknown field', responseObject(part({ video: 'y' }))],
    ['annotations that are an object', responseObject(part({ annotations: {} }))],
    ['a deep annotation', responseObject(part({ annotations: [deep] }))],
    ['a deep logprob', responseObject(part({ logprobs: [deep] }))],
    ['a refusal that is a list', responseObject([{ ...messageItem('x'), content: [{ type: 'refusal', refusal: [] }] }])],
    ['a call with a number as id', responseObject([{ ...callItem('a', 'f'), call_id: 7 }])],
    ['a call with an object as arguments', responseObject([{ ...callItem('a', 'f'), arguments: {} }])],
    ['a call from code', responseObject([{ ...callItem('a', 'f'), caller: { type: 'program' } }])],
    ['a call with a deep field', responseObject([{ ...callItem('a', 'f'), extra_content: deep }])],
    ['reasoning with an unknown field', responseObject([thought({ video: 'y' }), messageItem('x')])],
    ['reasoning with a number as state', responseObject([thought({ encrypted_content: 7 }), messageItem('x')])],
    ['reasoning with an unknown part', responseObject([thought({ summary: [{ type: 'image' }] }), messageItem('x')])],
    ['a deep field', responseObject([messageItem('x')], { more: deep })],
    ['negative usage', responseObject([messageItem('x')], { usage: { input_tokens: -1, output_tokens: 1 } })],
    ['enormous usage', responseObject([messageItem('x')], { usage: { input_tokens: 1e9, output_tokens: 1 } })],
    [
      'more cached tokens than tokens',
      responseObject([messageItem('x')], {
        usage: { input_tokens: 5, input_tokens_details: { cached_tokens: 6 }, output_tokens: 1, total_tokens: 6 },
      }),
    ],
    ['a key of the prototype', JSON.stringify(responseObject([messageItem('x')])).replace('"id"', '"__proto__":{},"id"')],
  ])('response: malformed when it has %s', (_, value) => expect(read(value)).toBeUndefined())
})

describe('failed response', () => {
  const failed = (code: unknown) => responseObject([], { status: 'failed', error: { code, message: 'm' } })
  test.each([
    ['rate_limit_exceeded', 429],
    ['server_error', 500],
    ['invalid_prompt', 400],
    ['image_too_large', 400],
    ['something_new', 500],
    [{ toString: 1 }, 500],
  ])('failure: the code %j counts as the status %i', (code, status) => expect(readFailure(failed(code))?.status).toBe(status))

  test('failure: none when the response has another status', () =>
    expect(readFailure(responseObject([messageItem('x')]))).toBeUndefined())
})
