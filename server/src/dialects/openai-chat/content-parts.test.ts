import { expect, test } from 'vitest'
import { readCompletion } from '../../domains/providers/read-completion.ts'
import { ChunkCollector } from './collect-chunks.ts'

const defaults = { model: 'm', newId: () => 'chatcmpl_1', created: () => 1_800_000_000 }
const text = (value: unknown, more: object = {}) => ({ type: 'text', text: value, ...more })
const thinking = (parts: unknown, more: object = {}) => ({ type: 'thinking', thinking: parts, ...more })

const readWhole = (message: object) =>
  readCompletion({ choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }] }, defaults)
/** Each content is that of one delta. */
function readStream(contents: readonly unknown[]) {
  const collector = new ChunkCollector()
  for (const content of contents) collector.add({ choices: [{ index: 0, delta: { content } }] }, 80)
  collector.add({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, 80)
  const whole = collector.finish()
  return whole && readCompletion(whole, defaults)
}

test('parts: are content and reasoning as texts', () => {
  const content = [thinking([text('2 + 2'), text(' is 4.')], { closed: true }), text('It is '), text('4.')]
  const message = { role: 'assistant', content: 'It is 4.', reasoning_content: '2 + 2 is 4.' }
  expect(readWhole({ content })?.choices[0]?.message).toEqual(message)
  expect(readStream(content.map((part) => [part]))?.choices[0]?.message).toEqual(message)
})

test('parts: may be followed by texts in a stream', () => {
  const message = { role: 'assistant', content: 'It is 4.', reasoning_content: 'So.' }
  expect(readStream([[thinking([text('So.')])], '', 'It is ', '4.'])?.choices[0]?.message).toEqual(message)
})

test('parts: without thinking, there is no reasoning', () =>
  expect(readWhole({ content: [text('x')] })?.choices[0]?.message).toEqual({ role: 'assistant', content: 'x' }))

test.each<[string, unknown]>([
  ['of an unknown type', { type: 'reference', reference_ids: [1] }],
  ['without its text', { type: 'text' }],
  ['with a text that is a number', text(7)],
  ['with a field that would be lost', text('x', { annotations: [{}] })],
  ['that is null', null],
  ['of thinking that is a text', thinking('So.')],
  ['of thinking with another part', thinking([{ type: 'reference' }])],
])('parts: are malformed if there is one %s', (_, part) => {
  expect(readWhole({ content: [text('x'), part] })).toBeUndefined()
  expect(() => readStream([[text('x'), part]])).toThrow('malformed')
})

test('parts: are malformed beside other reasoning', () =>
  expect(readWhole({ content: [thinking([text('a')])], reasoning_content: 'b' })).toBeUndefined())
