import { describe, expect, test } from 'vitest'
import { type ChatMessage, collectTexts } from '../../shared/message.ts'
import { encodeRequest } from './upstream-request.ts'

const encode = (messages: readonly ChatMessage[], parameters: Readonly<Record<string, unknown>> = {}) =>
  encodeRequest({ model: 'claude-1', messages, parameters, stream: true })
const HELLO: readonly ChatMessage[] = [{ role: 'user', content: 'Hello' }]

describe('untrusted content', () => {
  test('text document: is sent as the text that detectors read, whatever its encoding is', () => {
    const bytes = Buffer.from('\uFEFFMy card is 4111 1111 1111 1111', 'utf16le')
    const disguised = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('My card is 4111 1111 1111 1111')])
    for (const file of [bytes, disguised, Buffer.from('Müller Straße', 'latin1')]) {
      const file_data = `data:text/plain;base64,${file.toString('base64')}`
      const messages = [{ role: 'user', content: [{ type: 'file', file: { file_data } }] }]
      const encoded = encode(messages)
      const body = encoded.ok ? JSON.parse(encoded.body) : undefined
      expect(collectTexts(messages)).toContain(body?.messages[0].content[0].source.data)
    }
  })

  test('arguments: are unsupported when they are nested so deeply that the body could not be written', () => {
    const args = `{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}`
    const encoded = encode([
      ...HELLO,
      { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: args } }] },
    ])
    expect(encoded).toMatchObject({ ok: false, unsupported: { param: 'messages[1].tool_calls[0].function.arguments' } })
  })

  test('tool_choice: is unsupported when the name is no text', () => {
    const choice = { type: 'function', function: { name: { toString: 1 } } }
    expect(encode(HELLO, { tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: choice })).toMatchObject({
      ok: false,
    })
  })
})
