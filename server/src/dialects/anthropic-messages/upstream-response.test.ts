import { describe, expect, test } from 'vitest'
import { anthropicMessage } from '../../../test/support/scripted-anthropic.ts'
import { encodeRequest } from './upstream-request.ts'
import { readMessage } from './upstream-response.ts'

const defaults = { model: 'small', newId: () => 'chatcmpl_1', created: () => 1_800_000_000 }
const read = (value: unknown) => readMessage(JSON.parse(typeof value === 'string' ? value : JSON.stringify(value)), defaults)
const readBlocks = (content: readonly object[], more: object = {}) => read(anthropicMessage(content, more))
const text = (value: string) => ({ type: 'text', text: value })
const use = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'look_up', input, caller: { type: 'direct' } })
const calling = (block: object) => anthropicMessage([block], { stop_reason: 'tool_use' })
const SIGNATURE = 'c2lnbmF0dXJlIG9mIHRoZSBwcm92aWRlcg=='

describe('message', () => {
  test('message: becomes a completion with the client’s model name', () => {
    expect(readBlocks([text('Good '), text('morning.')])).toEqual({
      id: 'chatcmpl_1',
      object: 'chat.completion',
      created: 1_800_000_000,
      model: 'small',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Good morning.' }, finish_reason: 'stop' }],
      usage: {
        service_tier: 'standard',
        prompt_tokens: 11,
        completion_tokens: 7,
        total_tokens: 18,
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      },
    })
  })

  test('message: parallel calls keep their order, and empty input becomes {}', () => {
    const completion = readBlocks([text('Wait.'), use('a', { city: 'Oslo' }), use('b')], { stop_reason: 'tool_use' })
    expect(completion?.choices[0]).toEqual({
      index: 0,
      finish_reason: 'tool_calls',
      message: {
        role: 'assistant',
        content: 'Wait.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'look_up', arguments: '{"city":"Oslo"}' } },
          { id: 'b', type: 'function', function: { name: 'look_up', arguments: '{}' } },
        ],
      },
    })
  })

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['MAX_TOKENS', 'length'],
    ['sensitive', 'content_filter'],
    // Not known: the message may not be complete.
    ['constructor', 'length'],
  ])('message: stop_reason %s becomes %s', (stop_reason, expected) =>
    expect(readBlocks([text('x')], { stop_reason })?.choices[0]?.finish_reason).toBe(expected),
  )

  test.each(['end_turn', 'max_tokens', 'stop_sequence'])('message: may be empty when it ends with %s', (stop_reason) =>
    expect(readBlocks([], { stop_reason })?.choices[0]?.message).toEqual({ role: 'assistant', content: '' }),
  )

  test.each(['', null, undefined])('message: a call gets an id when it has the id %j', (id) => {
    const completion = readBlocks([{ ...use('a'), id }], { stop_reason: 'tool_use' })
    expect(completion?.choices[0]?.message.tool_calls).toMatchObject([{ id: 'chatcmpl_1', function: { name: 'look_up' } }])
  })

  test('message: matched stop sequence and explanation of a refusal are kept', () => {
    const stopped = readBlocks([text('x')], { stop_reason: 'stop_sequence', stop_sequence: 'END' })
    expect(stopped?.choices[0]).toMatchObject({ stop_reason: 'END' })
    const refused = readBlocks([], {
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: 'bio', explanation: 'No.' },
    })
    expect(refused?.choices[0]).toMatchObject({ message: { content: null, refusal: 'No.' }, finish_reason: 'content_filter' })
  })

  test('usage: cached tokens count as part of the prompt', () => {
    const usage = {
      input_tokens: 5,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 20,
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
    }
    expect(readBlocks([text('x')], { usage })?.usage).toEqual({
      prompt_tokens: 125,
      completion_tokens: 9,
      total_tokens: 134,
      prompt_tokens_details: { cached_tokens: 100, cache_write_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 4 },
    })
  })
})

describe('thinking', () => {
  const thinking = (value: string) => ({ type: 'thinking', thinking: value, signature: SIGNATURE })
  const redacted = { type: 'redacted_thinking', data: SIGNATURE }

  test('thinking: becomes reasoning with its signature', () => {
    expect(readBlocks([thinking('Hm.'), redacted, text('Yes.')])?.choices[0]?.message).toEqual({
      role: 'assistant',
      content: 'Yes.',
      reasoning_content: 'Hm.',
      reasoning_details: [
        { type: 'reasoning.text', text: 'Hm.', signature: SIGNATURE, format: 'anthropic-claude-v1' },
        { type: 'reasoning.encrypted', data: SIGNATURE, format: 'anthropic-claude-v1' },
      ],
    })
  })

  const direct = (id: string, input = {}) => ({ type: 'tool_use', id, name: 'look_up', input })
  test.each<[string, readonly object[]]>([
    ['before the text', [thinking('Hm.'), redacted, text('Yes.')]],
    ['between texts', [thinking('A'), text('One. '), thinking('B'), text('Two.')]],
    ['between calls', [thinking('A'), text('One.'), direct('a', { x: 1 }), thinking('B'), direct('b')]],
    ['without text', [thinking(''), direct('a')]],
  ])('thinking: comes back unchanged and in its place when it was %s', (_, content) => {
    const stop_reason = content.some((block) => 'input' in block) ? 'tool_use' : 'end_turn'
    const message = readBlocks(content, { stop_reason })?.choices[0]?.message ?? { role: 'none' }
    const messages = [{ role: 'user', content: 'Hello' }, message]
    const encoded = encodeRequest({ model: 'm', messages, parameters: {}, stream: true })
    expect(encoded.ok && JSON.parse(encoded.body).messages[1].content).toEqual(content)
  })
})

describe('malformed message', () => {
  test.each<[string, unknown]>([
    ['another type', anthropicMessage([text('x')], { type: 'error' })],
    ['another role', anthropicMessage([text('x')], { role: 'user' })],
    ['no content', anthropicMessage([], { content: undefined })],
    ['an error', anthropicMessage([text('x')], { error: { type: 'api_error' } })],
    ['a container', anthropicMessage([text('x')], { container: { id: 'c' } })],
    ['no stop_reason', anthropicMessage([text('x')], { stop_reason: null })],
    ['a paused turn', anthropicMessage([text('x')], { stop_reason: 'pause_turn' })],
    ['a stop_reason of a fault', anthropicMessage([text('x')], { stop_reason: 'network_error' })],
    ['calls without a call', anthropicMessage([text('x')], { stop_reason: 'tool_use' })],
    ['a block of an unknown type', anthropicMessage([text('x'), { type: 'hologram' }])],
    ['a tool of the provider', calling({ ...use('a'), type: 'server_tool_use' })],
    ['a call from code', calling({ ...use('a'), caller: { type: 'code_execution_20250825' } })],
    ['a call with a number as id', calling({ ...use('a'), id: 7 })],
    ['a call with a list as input', calling(use('a', [1]))],
    ['text that is a number', anthropicMessage([{ type: 'text', text: 7 }])],
    ['a citation', anthropicMessage([{ ...text('x'), citations: [{ type: 'page_location' }] }])],
    ['thinking without signature', anthropicMessage([{ type: 'thinking', thinking: 'x' }, text('x')])],
    ['negative usage', anthropicMessage([text('x')], { usage: { input_tokens: -1, output_tokens: 1 } })],
    ['enormous usage', anthropicMessage([text('x')], { usage: { input_tokens: 1e9, output_tokens: 1 } })],
    ['a null block', anthropicMessage([text('x'), null as unknown as object])],
    ['a key of the prototype', JSON.stringify(anthropicMessage([text('x')])).replace('"id"', '"__proto__":{},"id"')],
    ['input of 40 levels', calling(use('a', JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`)))],
  ])('message: malformed when it has %s', (_, value) => expect(read(value)).toBeUndefined())
})
