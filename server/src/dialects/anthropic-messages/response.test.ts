import { describe, expect, test } from 'vitest'
import type { Choice, Completion } from '../../shared/completion.ts'
import { blocksOf, stopOf, usageOf } from './response.ts'

const completion = (message: object, more: Partial<Choice> = {}): Completion => ({
  id: 'chatcmpl_1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: 'stop', ...more }],
})
const inputOf = (args: string) => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: args } }
  return blocksOf(completion({ tool_calls: [call] }))[0]?.block.input
}

describe('Messages API: response [GW-ANT-5]', () => {
  test.each([
    ['not JSON', 'not json'],
    ['no object', '[1]'],
    ['nested too deeply', `{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}`],
  ])('tool input: stands in INVALID_JSON when the arguments are %s', (_, args) => {
    expect(inputOf(args)).toEqual({ INVALID_JSON: args })
  })

  test('stop sequence: is named when the provider names it', () => {
    expect(stopOf(completion({ content: 'x' }, { stop_reason: 'END' }))).toEqual({
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    })
    expect(stopOf(completion({ content: 'x' }))).toEqual({ stop_reason: 'end_turn', stop_sequence: null })
  })

  test('refusal: is a text, unless it is the explanation in the stop details of the provider', () => {
    const stop_details = { type: 'refusal', category: 'cyber', explanation: 'no' }
    const refused = completion({ refusal: 'no' }, { finish_reason: 'content_filter', stop_details })
    expect(stopOf(refused)).toEqual({ stop_reason: 'refusal', stop_sequence: null, stop_details })
    expect(blocksOf(refused)).toEqual([])
    const text = [{ block: { type: 'text', text: 'no' } }]
    expect(blocksOf(completion({ refusal: 'no' }))).toEqual(text)
    expect(blocksOf(completion({ refusal: 'no' }, { stop_details: { type: 'refusal' } }))).toEqual(text)
  })

  test('usage: has the thinking tokens when there are any', () => {
    const usage = { prompt_tokens: 1, completion_tokens: 9, total_tokens: 10 }
    expect(usageOf({ ...usage, completion_tokens_details: { reasoning_tokens: 4 } })).toMatchObject({
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4 },
    })
    expect(usageOf({ ...usage, completion_tokens_details: { reasoning_tokens: 0 } })).not.toHaveProperty('output_tokens_details')
  })

  test('thinking: signed blocks stand between the text and the calls where their provider had them', () => {
    const details = [
      { type: 'reasoning.text', text: 'a', signature: 's', format: 'anthropic-claude-v1' },
      { type: 'reasoning.text', text: 'b', signature: 't', format: 'anthropic-claude-v1', start_index: 3 },
    ]
    expect(blocksOf(completion({ content: 'onetwo', reasoning_details: details })).map(({ block }) => block)).toEqual([
      { type: 'thinking', thinking: 'a', signature: 's' },
      { type: 'text', text: 'one' },
      { type: 'thinking', thinking: 'b', signature: 't' },
      { type: 'text', text: 'two' },
    ])
  })
})
