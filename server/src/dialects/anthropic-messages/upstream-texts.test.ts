import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ChatMessage, collectTexts } from '../../shared/message.ts'
import { encodeRequest } from './upstream-request.ts'

const user = (content: string): ChatMessage => ({ role: 'user', content })
const text = (value: string) => ({ type: 'text', text: value })
const call = (id: string, args: string) => ({ id, type: 'function', function: { name: 'look_up', arguments: args } })
const tool = (name: string, more: object) => ({ type: 'function', function: { name, ...more } })

const encode = (messages: readonly ChatMessage[], parameters: Readonly<Record<string, unknown>> = {}) =>
  encodeRequest({ model: 'claude-1', messages, parameters, stream: true })
function bodyOf(messages: readonly ChatMessage[], parameters: Readonly<Record<string, unknown>> = {}) {
  const encoded = encode(messages, parameters)
  if (!encoded.ok) throw new Error(`not encoded: ${encoded.unsupported.param}`)
  return JSON.parse(encoded.body)
}

const words = fc.string({ minLength: 1, maxLength: 40 })
const textContent = fc.oneof(
  words,
  fc.array(
    words.map((value) => text(value)),
    { minLength: 1, maxLength: 3 },
  ),
)
const json = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.oneof(words, fc.integer(), fc.array(words, { maxLength: 3 })), {
  maxKeys: 4,
})
const messages: fc.Arbitrary<ChatMessage> = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'developer', 'user', 'assistant'), content: textContent }),
  fc.record({ role: fc.constant('tool'), tool_call_id: fc.stringMatching(/^[\w-]{1,20}$/), content: textContent }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.oneof(textContent, fc.constant(null)),
    refusal: words,
    tool_calls: fc.array(
      json.map((args) => call('call_1', JSON.stringify(args))),
      { maxLength: 3 },
    ),
  }),
)

test('request: every text of a chat request is in the encoded request', () => {
  fc.assert(
    fc.property(fc.array(messages, { maxLength: 8 }), fc.array(words, { minLength: 1, maxLength: 3 }), (history, stop) => {
      const chat = [...history, user('Now')]
      const parameters = { stop, tools: [tool('look_up', { description: `${stop.join()}.` })] }
      const encoded = collectTexts({ sent: bodyOf(chat, parameters) }).join('\n')
      for (const piece of [...collectTexts(chat), ...collectTexts(parameters)]) {
        // Arguments are parsed: their texts are looked for below.
        if (!piece.startsWith('{')) expect(encoded).toContain(piece)
      }
      for (const { tool_calls: calls } of chat) {
        for (const { function: called } of (calls ?? []) as { function: { arguments: string } }[]) {
          const texts = collectTexts({ sent: JSON.parse(called.arguments) })
          for (const piece of texts) expect(encoded).toContain(piece)
        }
      }
    }),
    { numRuns: 300 },
  )
})

const HELLO = [user('Hello')]

describe('untrusted content', () => {
  test('text document: is sent as the text that detectors read, whatever its encoding is', () => {
    const bytes = Buffer.from('\uFEFFMy card is 4111 1111 1111 1111', 'utf16le')
    const disguised = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('My card is 4111 1111 1111 1111')])
    for (const file of [bytes, disguised, Buffer.from('Müller Straße', 'latin1')]) {
      const file_data = `data:text/plain;base64,${file.toString('base64')}`
      const messages = [{ role: 'user', content: [{ type: 'file', file: { file_data } }] }]
      expect(collectTexts(messages)).toContain(bodyOf(messages).messages[0].content[0].source.data)
    }
  })

  test('arguments: are unsupported when they are nested so deeply that the body could not be written', () => {
    const args = `{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}`
    const encoded = encode([...HELLO, { role: 'assistant', content: null, tool_calls: [call('c', args)] }])
    expect(encoded).toMatchObject({ ok: false, unsupported: { param: 'messages[1].tool_calls[0].function.arguments' } })
  })

  test('tool_choice: is unsupported when the name is no text', () => {
    const choice = { type: 'function', function: { name: { toString: 1 } } }
    expect(encode(HELLO, { tools: [tool('f', {})], tool_choice: choice })).toMatchObject({ ok: false })
  })
})
