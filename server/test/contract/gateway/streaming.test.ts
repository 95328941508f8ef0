import { describe, expect, test } from 'vitest'
import { CHAT, expectError, type GatewayResponse } from '../../support/gateway-client.ts'
import { formatRequest, parseResponse, sendBytes } from '../../support/raw-http.ts'
import { completion, json, word } from '../../support/scripted-provider.ts'
import { type Chunk, parseChunks, streamedContent } from '../../support/stream-chunks.ts'
import { governed } from '../shared-server.ts'

const token = (await governed.application({ settings: { extensions: ['tools'] } })).token

const TEXT = 'The quick brown fox jumps over the lazy dog, and no cat minds: naïve café 狐狸 🦊 said so.\n\nTwice.  '

/** Streams a completion of the provider. */
async function stream(completionBody: unknown, more: object = {}): Promise<{ response: GatewayResponse; chunks: Chunk[] }> {
  const key = word()
  governed.provider.on(key, (response) => json(response, 200, completionBody))
  const response = await governed.chat(key, { stream: true, ...more }, { token })
  expect(response.status, response.text).toBe(200)
  return { response, chunks: parseChunks(response.text) }
}

describe('streaming', () => {
  test('stream: 200, text/event-stream, the usual headers, and [DONE] last [GW-SSE-1, GW-SSE-6]', async () => {
    const { response } = await stream(completion(TEXT))
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    for (const name of ['x-request-id', 'x-audit-id', 'ratelimit']) expect(response.headers.get(name)).toBeTruthy()
    expect(response.text.endsWith('data: [DONE]\n\n')).toBe(true)
  })
  test('role chunk, content deltas, finish chunk [GW-SSE-2, GW-SSE-4]', async () => {
    const { chunks } = await stream(completion(TEXT))
    const [first, ...rest] = chunks
    expect(first?.choices).toEqual([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }])
    const last = rest.pop()
    expect(last?.choices).toEqual([{ index: 0, delta: {}, finish_reason: 'stop' }])
    for (const { choices } of rest)
      expect(choices).toEqual([{ index: 0, delta: { content: expect.any(String) }, finish_reason: null }])
  })
  test('deltas: whole words of about 24 characters that together are the exact completion [GW-SSE-3]', async () => {
    const { chunks } = await stream(completion(TEXT))
    expect(streamedContent(chunks)).toBe(TEXT)
    const deltas = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').filter(Boolean)
    for (const delta of deltas.slice(0, -1)) expect(delta.length).toBeGreaterThanOrEqual(18)
    for (const delta of deltas) expect(delta.length).toBeLessThanOrEqual(50)
    const words = new Set(TEXT.split(/\s+/))
    for (const delta of deltas) for (const part of delta.split(/\s+/).filter(Boolean)) expect(words).toContain(part)
  })
  test('same id, created, model and a choices array in every chunk, object chat.completion.chunk [GW-SSE-7]', async () => {
    const { chunks } = await stream(completion(TEXT), { stream_options: { include_usage: true } })
    const heads = chunks.map(({ id, created, model, object, choices }) => [id, created, model, object, Array.isArray(choices)])
    const id = expect.stringMatching(/^chatcmpl_\w+$/)
    for (const head of heads) expect(head).toEqual([id, 1_700_000_000, 'scripted', 'chat.completion.chunk', true])
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1)
  })
  test('governance: in the first and the finish chunk only [GW-SSE-8]', async () => {
    const { chunks, response } = await stream(completion(TEXT))
    const auditIds = chunks.map(({ governance }) => governance?.audit_id)
    const auditId = response.headers.get('x-audit-id')
    expect(auditIds).toEqual([auditId, ...Array(chunks.length - 2).fill(undefined), auditId])
  })
  test('a usage chunk with choices [] only with stream_options.include_usage [GW-SSE-5]', async () => {
    const { chunks } = await stream(completion(TEXT), { stream_options: { include_usage: true } })
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } })
    const without = await stream(completion(TEXT), { stream_options: {} })
    expect(without.chunks.some(({ usage }) => usage)).toBe(false)
  })
  test('stream: has every choice', async () => {
    const choices = ['one two three', 'four five six'].map((content, index) => ({
      index,
      message: { role: 'assistant', content },
      finish_reason: index ? 'length' : 'stop',
    }))
    const { chunks } = await stream(completion('', { choices }), { n: 2 })
    expect([0, 1].map((choice) => streamedContent(chunks, choice))).toEqual(['one two three', 'four five six'])
    const finished = chunks.flatMap((chunk) => chunk.choices).filter(({ finish_reason }) => finish_reason)
    expect(finished.map(({ index, finish_reason }) => [index, finish_reason])).toEqual([
      [0, 'stop'],
      [1, 'length'],
    ])
  })
  test('stream: tool calls are whole', async () => {
    const tool_calls = [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }]
    const choices = [{ index: 0, message: { role: 'assistant', content: null, tool_calls }, finish_reason: 'tool_calls' }]
    const { chunks } = await stream(completion('', { choices }))
    const streamed = chunks.flatMap((chunk) => chunk.choices).flatMap(({ delta }) => delta.tool_calls ?? [])
    expect(streamed).toEqual([{ index: 0, ...tool_calls[0] }])
  })
  test('stream: an empty completion is streamed', async () => {
    const { chunks } = await stream(completion(''))
    expect(streamedContent(chunks)).toBe('')
    expect(chunks).toHaveLength(2)
  })
  test('stream: a completion of one megabyte arrives whole', async () => {
    const long = 'some words that go on '.repeat(48_000)
    const { chunks } = await stream(completion(long))
    expect(streamedContent(chunks)).toBe(long)
  })
  test('provider: the request is a stream with and without a stream for the client', async () => {
    for (const more of [{ stream: true, stream_options: { include_usage: false } }, {}]) {
      const { word } = await governed.sendPrompt('', { more })
      const expected = { stream: true, stream_options: { include_usage: true } }
      expect(governed.provider.callsWith(word)[0]?.body).toMatchObject(expected)
    }
  })
  test('stream: a released hold can be streamed', async () => {
    const held = await governed.holdPrompt()
    await governed.decide(held.id, 'approve')
    const response = await governed.resubmit(held, {}, { stream: true })
    expect(streamedContent(parseChunks(response.text))).toBe(held.answer)
  })
})

describe('refusals with stream: true [GW-SSE-10]', () => {
  test.each([
    ['POLICY_DENIED', 'juniper-deny', {}],
    ['POLICY_REVIEW_PENDING', 'juniper-hold', {}],
    ['NO_ELIGIBLE_PROVIDER', 'x', { model: 'none' }],
    ['VALIDATION_ERROR', 'x', { temperature: 'hot' }],
  ] as const)('%s: JSON with its own status', async (code, prompt, more) => {
    expectError(await governed.chat(prompt, { stream: true, ...more }), code)
  })
})

/** The bytes of a streamed response, read from the socket. */
async function streamBytes(completionBody: unknown, more: object = {}): Promise<Buffer> {
  const key = word()
  governed.provider.on(key, (response) => json(response, 200, completionBody))
  const body = JSON.stringify({ model: 'scripted', stream: true, messages: [{ role: 'user', content: key }], ...more })
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return sendBytes(governed.base, formatRequest({ path: CHAT, headers, body }))
}

const choice = (message: object, index = 0) => ({
  index,
  message: { role: 'assistant', content: 'Fine.', ...message },
  finish_reason: 'stop',
})
const SECRET = 'the colour of the vault is green'
const call = (name: string, args: string) => ({ id: 'call_1', type: 'function', function: { name, arguments: args } })
const CUSTOM_CALL = { id: 'call_1', type: 'custom', custom: { name: 'x', input: 'sorrel-deny' } }

describe('streaming under an output policy: 403 without one byte of the completion', () => {
  test.each<[string, readonly object[], object?]>([
    ['the content', [choice({ content: `${SECRET}; sorrel-deny` })]],
    ['the second of two choices', [choice({ content: SECRET }), choice({ content: 'sorrel-deny' }, 1)]],
    ['the arguments of a tool call', [choice({ content: SECRET, tool_calls: [call('send', '{"a":"sorrel-deny"}')] })]],
    ['the name of a tool', [choice({ content: SECRET, tool_calls: [call('sorrel-deny', '{}')] })]],
    ['a custom tool call', [choice({ content: SECRET, tool_calls: [CUSTOM_CALL] })]],
    ['function_call', [choice({ content: SECRET, function_call: { name: 'x', arguments: 'sorrel-deny' } })]],
    ['reasoning_content', [choice({ content: SECRET, reasoning_content: 'sorrel-deny' })]],
    ['reasoning', [choice({ content: SECRET, reasoning: 'sorrel-deny' })]],
    ['refusal', [choice({ content: SECRET, refusal: 'sorrel-deny' })]],
    ['annotations', [choice({ annotations: [{ text: `${SECRET}; sorrel-deny` }] })]],
    ['system_fingerprint', [choice({})], { system_fingerprint: `${SECRET}; sorrel-deny` }],
  ])('in %s', async (_, choices, more) => {
    const bytes = await streamBytes(completion('', { choices, ...more }), { n: choices.length })
    const answer = parseResponse(bytes)
    if (!answer) throw new Error('the socket closed without a response')
    expectError(answer, 'POLICY_DENIED')
    const wire = bytes.toString('latin1')
    expect(wire).not.toContain('vault')
    expect(wire).not.toContain('data:')
    expect(wire.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })
  test('audio: a completion with audio is not returned', async () => {
    const bytes = await streamBytes(completion('Fine.', { choices: [choice({ audio: { transcript: SECRET } })] }))
    expect(bytes.toString('latin1')).toMatch(/^HTTP\/1\.1 502 /)
    expect(bytes.toString('latin1')).not.toContain('vault')
  })
  test('redact: applies to the stream', async () => {
    const wire = (await streamBytes(completion('sorrel-redact: write to mara.lind@example.org'))).toString()
    expect(wire).toContain('data: [DONE]')
    expect(wire).not.toContain('mara.lind')
  })
})
