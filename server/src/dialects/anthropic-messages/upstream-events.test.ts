import { describe, expect, test } from 'vitest'
import { anthropicMessage } from '../../../test/support/scripted-anthropic.ts'
import { eventsOf } from '../../../test/support/upstream-stream.ts'
import { EventCollector } from './upstream-events.ts'
import { readMessage } from './upstream-response.ts'

const START = { type: 'message_start', message: { type: 'message', role: 'assistant', content: [], usage: { input_tokens: 3 } } }
const END = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }
const STOP = { type: 'message_stop' }
const block = (content_block: object, index: unknown = 0) => ({ type: 'content_block_start', index, content_block })
const delta = (value: object, index: unknown = 0) => ({ type: 'content_block_delta', index, delta: value })
const textDelta = (text: string, index = 0) => delta({ type: 'text_delta', text }, index)
const TEXT = block({ type: 'text', text: '' })
const SIGNATURE = 'c2lnbmF0dXJlIG9mIHRoZSBwcm92aWRlcg=='

function collect(events: readonly object[]) {
  const collector = new EventCollector()
  const effects = events.map((event) => collector.add(event as Record<string, unknown>, JSON.stringify(event).length))
  return { message: collector.finish(), effects }
}
const collecting = (events: readonly object[]) => () => collect(events)
/** Inputs of streamed calls are JSON texts. */
const withParsedInputs = (message: object): object =>
  JSON.parse(JSON.stringify(message), (name, value) =>
    name === 'input' && typeof value === 'string' ? JSON.parse(value) : value,
  )
const defaults = { model: 'm', newId: () => 'chatcmpl_1', created: () => 1_800_000_000 }

describe('whole messages', () => {
  const thinking = { type: 'thinking', thinking: 'They ask for the weather.', signature: SIGNATURE }
  const use = (id: string, input: object) => ({ type: 'tool_use', id, name: 'weather', input })
  test.each<[string, object]>([
    ['a text', anthropicMessage([{ type: 'text', text: 'Good morning to all of you.' }])],
    ['thinking', anthropicMessage([thinking, { type: 'redacted_thinking', data: SIGNATURE }, { type: 'text', text: 'Yes.' }])],
    ['parallel calls', anthropicMessage([use('a', { city: 'Oslo' }), use('b', {})], { stop_reason: 'tool_use' })],
    ['a stop sequence', anthropicMessage([{ type: 'text', text: 'x' }], { stop_reason: 'stop_sequence', stop_sequence: 'END' })],
    [
      'a refusal',
      anthropicMessage([{ type: 'text', text: 'x' }], { stop_reason: 'refusal', stop_details: { explanation: 'No.' } }),
    ],
  ])('events: become the message that the API sends without a stream when it has %s', (_, message) => {
    const { message: collected = {}, effects } = collect(eventsOf(message) ?? [])
    expect(withParsedInputs(collected)).toEqual(message)
    expect(effects.at(-1)).toBe('done')
    expect(readMessage(collected, defaults)).toEqual(readMessage({ ...message }, defaults))
  })

  test('ping: is nothing', () => {
    const { effects } = collect([START, { type: 'ping' }, TEXT])
    expect(effects).toEqual(['content', 'nothing', 'content'])
  })

  test('usage: each count is the last one of both events', () => {
    const start = {
      ...START,
      message: { ...START.message, usage: { input_tokens: 3, cache_read_input_tokens: 5, output_tokens: 1 } },
    }
    const last = { ...END, usage: { input_tokens: null, cache_creation_input_tokens: 7, output_tokens: 2 } }
    expect(collect([start, TEXT, last]).message?.usage).toEqual({
      ...{ input_tokens: 3, cache_read_input_tokens: 5, cache_creation_input_tokens: 7, output_tokens: 2 },
    })
  })

  test('message_start: may come twice', () => {
    const { message } = collect([START, START, TEXT, textDelta('Hi'), END, STOP])
    expect(message).toMatchObject({ content: [{ type: 'text', text: 'Hi' }], usage: { input_tokens: 3, output_tokens: 2 } })
  })

  test('events: blocks stand in the order of their index, and a field of message_delta is kept', () => {
    const other = block({ type: 'text', text: '' }, 1)
    const { message } = collect([START, other, TEXT, textDelta('b', 1), textDelta('a'), { ...END, context_management: { a: 1 } }])
    expect(message).toMatchObject({ content: [{ text: 'a' }, { text: 'b' }], context_management: { a: 1 } })
  })

  /** A message with one call, whose input has this text. */
  const readInput = (partial_json: string, stop_reason = 'tool_use') => {
    const call = block({ type: 'tool_use', id: 'a', name: 'f', input: {} })
    const piece = delta({ type: 'input_json_delta', partial_json })
    const { message = {} } = collect([START, call, piece, { ...END, delta: { stop_reason } }])
    return readMessage(message, defaults)
  }
  test('input: is the beginning of a JSON text when a limit of tokens has cut it off', () => {
    const read = (stop_reason: string) => readInput('{"city":"Os', stop_reason)
    expect(read('max_tokens')?.choices[0]).toMatchObject({
      finish_reason: 'length',
      message: { tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{"city":"Os' } }] },
    })
    expect(read('tool_use')).toBeUndefined()
  })

  test.each(['{"id": 12345678901234567890, "share": 1.0}', '{ }'])('input: keeps its text %s', (partial_json) => {
    const calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: partial_json } }]
    expect(readInput(partial_json)?.choices[0]?.message.tool_calls).toEqual(calls)
  })

  const DEEP = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  test.each(['[1]', '"text"', DEEP])('input: is malformed if it is %.12s', (json) => expect(readInput(json)).toBeUndefined())

  test('citations: are collected, and the reader of messages refuses them', () => {
    const citation = delta({ type: 'citations_delta', citation: { type: 'page_location' } })
    const { message = {} } = collect([START, TEXT, textDelta('x'), citation, END])
    expect(message.content).toEqual([{ type: 'text', text: 'x', citations: [{ type: 'page_location' }] }])
    expect(readMessage(message, defaults)).toBeUndefined()
  })
})

describe('faults', () => {
  test.each<[string, readonly object[]]>([
    ['an event of an unknown type', [START, { type: 'hologram' }]],
    ['a delta of an unknown type', [START, TEXT, delta({ type: 'hologram_delta' })]],
    ['a delta without its block', [START, textDelta('x')]],
    ['an end without its block', [START, { type: 'content_block_stop', index: 0 }]],
    ['a block that starts twice', [START, TEXT, TEXT]],
    ['257 blocks', [START, ...Array.from({ length: 257 }, (_, index) => block({ type: 'text', text: '' }, index))]],
    ['a text that is a number', [START, TEXT, delta({ type: 'text_delta', text: 7 })]],
    ['two signatures', [START, TEXT, ...['a', 'b'].map((signature) => delta({ type: 'signature_delta', signature }))]],
    ['a start with content', [{ ...START, message: { content: [{ type: 'text', text: 'x' }] } }]],
    ['a start without a message', [{ type: 'message_start' }]],
  ])('stream: malformed when it has %s', (_, events) => expect(collecting(events)).toThrow('malformed'))

  test('error: is told when an event reports one', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'x' } }
    expect(collect([START, TEXT, error]).effects.at(-1)).toBe('error')
  })

  test.each<[string, readonly object[]]>([
    ['no event', []],
    ['no stop_reason', [START, TEXT, textDelta('x'), STOP]],
  ])('stream: incomplete when it has %s', (_, events) => expect(collect(events).message).toBeUndefined())

  test('stream: complete when message_stop is missing', () =>
    expect(collect([START, TEXT, textDelta('x'), END]).message).toBeDefined())
})
