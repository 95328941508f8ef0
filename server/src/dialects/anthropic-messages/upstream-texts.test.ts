import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ChatMessage, collectTexts } from '../../shared/message.ts'
import { encodeRequest } from './upstream-request.ts'

const user = (content: string): ChatMessage => ({ role: 'user', content })
const text = (value: string) => ({ type: 'text', text: value })
const call = (id: string, args: string) => ({ id, type: 'function', function: { name: 'look_up', arguments: args } })
const tool = (name: string, more: object) => ({ type: 'function', function: { name, ...more } })

function bodyOf(messages: readonly ChatMessage[], parameters: Readonly<Record<string, unknown>>) {
  const encoded = encodeRequest({ model: 'claude-1', messages, parameters, stream: true })
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
