import { describe, expect, test } from 'vitest'
import { callItem, messageItem, responseObject } from '../../../test/support/scripted-responses.ts'
import type { ChatMessage } from '../../shared/message.ts'
import { decodeRequest } from './request.ts'
import { toResponse } from './response.ts'
import { encodeRequest } from './upstream-request.ts'
import { readResponse } from './upstream-response.ts'

const defaults = { model: 'small', newId: () => 'chatcmpl_1', created: () => 1_800_000_000 }
const HELLO: ChatMessage = { role: 'user', content: 'Hello' }
const encode = (messages: readonly ChatMessage[]) => encodeRequest({ model: 'gpt-up', messages, parameters: {}, stream: false })
function inputOf(messages: readonly ChatMessage[]): readonly unknown[] {
  const encoded = encode(messages)
  if (!encoded.ok) throw new Error(`not encoded: ${encoded.unsupported.param}`)
  return JSON.parse(encoded.body).input
}
const item = (role: string, content: unknown) => ({ type: 'message', role, content })
const said = (...content: object[]) => item('assistant', content)
const FUNCTION_CALL = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
const IMAGE = 'https://a.example/b.png'
const INPUT_IMAGE = { type: 'input_image', image_url: IMAGE, detail: 'auto' }
const text = (value: string) => ({ type: 'output_text', text: value, annotations: [] })
const TEXT = { type: 'text', text: 'a' }
const user = (...content: ChatMessage['content'] & readonly unknown[]): ChatMessage => ({ role: 'user', content })
const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
const custom = { id: 'b', type: 'custom', custom: { name: 'run', input: 'ls' } }

describe('messages', () => {
  test.each<[string, readonly ChatMessage[], readonly object[]]>([
    [
      'system messages stay in their places',
      [{ role: 'system', content: 'a' }, HELLO, { role: 'developer', content: [{ type: 'text', text: 'b' }] }],
      [item('system', 'a'), item('user', 'Hello'), item('developer', [{ type: 'input_text', text: 'b' }])],
    ],
    [
      'images and files are parts',
      [
        user(
          { type: 'text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' }, cache_control: { type: 'ephemeral' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } },
          { type: 'image_url', image_url: { url: IMAGE } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
        ),
      ],
      [
        item('user', [
          { type: 'input_text', text: 'a', prompt_cache_breakpoint: { mode: 'explicit' } },
          { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'low' },
          INPUT_IMAGE,
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' },
        ]),
      ],
    ],
    [
      'a phase without a text stands on an empty one',
      [{ role: 'assistant', content: null, phase: 'commentary', tool_calls: [call('a')] }],
      [{ ...said(text('')), phase: 'commentary' }, FUNCTION_CALL],
    ],
    [
      'calls and results are items, with the text before them',
      [
        { role: 'assistant', content: 'One moment.', phase: 'commentary', tool_calls: [call('a'), custom] },
        { role: 'tool', tool_call_id: 'a', name: 'f', content: 'rain' },
        { role: 'tool', tool_call_id: 'b', content: [{ type: 'image_url', image_url: IMAGE }] },
      ],
      [
        { ...said(text('One moment.')), phase: 'commentary' },
        FUNCTION_CALL,
        { type: 'custom_tool_call', call_id: 'b', name: 'run', input: 'ls' },
        { type: 'function_call_output', call_id: 'a', output: 'rain' },
        { type: 'custom_tool_call_output', call_id: 'b', output: [INPUT_IMAGE] },
      ],
    ],
    [
      'texts, refusals and citations of the assistant',
      [
        { role: 'assistant', content: [TEXT, { type: 'refusal', refusal: 'b' }], refusal: 'c' },
        {
          role: 'assistant',
          content: 'd',
          annotations: [{ type: 'url_citation', url_citation: { url: 'u', title: 't', start_index: 0, end_index: 1 } }],
        },
        { role: 'assistant', content: null, tool_calls: [] },
      ],
      [
        said(text('a'), { type: 'refusal', refusal: 'b' }, { type: 'refusal', refusal: 'c' }),
        said({ ...text('d'), annotations: [{ type: 'url_citation', url: 'u', title: 't', start_index: 0, end_index: 1 }] }),
      ],
    ],
    [
      'reasoning that the provider cannot read is left out',
      [
        {
          role: 'assistant',
          content: 'a',
          reasoning_content: 'b',
          reasoning_details: [
            { type: 'reasoning.text', text: 'b', signature: 'c', format: 'anthropic-claude-v1' },
            { type: 'reasoning.text', text: 'b' },
            { type: 'reasoning.summary', summary: 'b', id: 'rs_1', format: 'openai-responses-v1' },
          ],
        },
      ],
      [said(text('a'))],
    ],
    [
      'encrypted state without a format is sent',
      [{ role: 'assistant', content: 'a', reasoning_details: [{ type: 'reasoning.encrypted', data: 'b', id: 'rs_1' }] }],
      [{ id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'b' }, said(text('a'))],
    ],
  ])('messages: %s', (_, messages, input) => expect(inputOf(messages)).toEqual(input))

  test.each<[string, ChatMessage]>([
    ['messages[0].name', { role: 'user', content: 'a', name: 'Ann' }],
    ['messages[0].content[0].type', user({ type: 'input_audio', input_audio: {} })],
    ['messages[0].content[0].image_url.url', user({ type: 'image_url', image_url: { url: 7 } })],
    ['messages[0].content[0].image_url.alt', user({ type: 'image_url', image_url: { url: 'u', alt: 'a' } })],
    ['messages[0].content[0].file.more', user({ type: 'file', file: { file_data: 'a', more: 1 } })],
    ['messages[0].content[0].type', { role: 'assistant', content: [{ type: 'image_url', image_url: 'u' }] }],
    ['messages[0].function_call', { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }],
    ['messages[0].annotations[0].type', { role: 'assistant', content: 'a', annotations: [{ type: 'file_path' }] }],
    ['messages[0].tool_calls[0].type', { role: 'assistant', tool_calls: [{ id: 'a', type: 'code' }] }],
    ['messages[0].tool_calls[0].extra_content', { role: 'assistant', tool_calls: [{ ...call('a'), extra_content: { a: 1 } }] }],
    ['messages[0].name', { role: 'tool', tool_call_id: 'a', name: 'other', content: 'b' }],
    ['messages', { role: 'assistant', content: '' }],
  ])('messages: %s has no equivalent in %j', (param, message) =>
    expect(encode([message])).toMatchObject({ ok: false, unsupported: { param } }),
  )
})

describe('reasoning of an earlier turn', () => {
  const thought = (id: string, ...summary: string[]) => ({
    id,
    type: 'reasoning',
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    encrypted_content: Buffer.from(`the state of ${id}, which only its provider can decode`).toString('base64'),
  })
  const without = ({ id, status, ...item }: Record<string, unknown>) => item
  /** Items without what the gateway does not send: ids and states of texts and calls, and empty lists. */
  const sent = (items: readonly object[]) =>
    items.map((item) => {
      const fields = item as Record<string, unknown>
      if (fields.type === 'reasoning') return item
      const content = Array.isArray(fields.content) ? { content: fields.content.map(({ logprobs, ...part }) => part) } : {}
      return { ...without(fields), ...content }
    })

  test.each<[string, readonly object[]]>([
    ['before a text', [thought('rs_1', 'First.', 'Then.'), messageItem('Yes.')]],
    ['between texts', [thought('rs_1'), messageItem('One. '), thought('rs_2', 'Hm.'), messageItem('Two.')]],
    ['between calls', [thought('rs_1', 'A'), callItem('a', 'f'), thought('rs_2'), callItem('b', 'f')]],
    [
      'among text and calls',
      [messageItem('One.'), thought('rs_1', 'A'), callItem('a', 'f'), thought('rs_2', 'B'), callItem('b', 'f')],
    ],
    ['twice in a row', [thought('rs_1', 'A'), thought('rs_2', 'B'), callItem('a', 'f')]],
    [
      'of an open model',
      [{ id: 'rs_1', type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] }, messageItem('Yes.')],
    ],
  ])('reasoning: comes back unchanged and in its place when it was %s', (_, output) => {
    const completion = readResponse(responseObject(output), defaults)
    if (!completion) throw new Error('not read')
    const message = completion.choices[0]?.message ?? { role: 'none' }
    expect(inputOf([HELLO, message]).slice(1)).toEqual(sent(output))
    // The same by way of a client of the Responses API.
    const shown = toResponse(completion, { request: {}, toolNames: new Map() }, {}, false).output
    expect(shown.map(({ type }) => type)).toEqual(output.map((item) => (item as { type: string }).type))
    const decoded = decodeRequest({ input: shown })
    if (!decoded.ok) throw new Error(decoded.problem.message)
    expect(inputOf(decoded.chat.messages as readonly ChatMessage[])).toEqual(sent(output))
  })
})
