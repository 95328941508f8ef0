import { describe, expect, test, vi } from 'vitest'
import { completion } from '../../../test/support/scripted-provider.ts'
import { streamTextOf } from '../../../test/support/upstream-stream.ts'
import { ChunkCollector } from '../../dialects/openai-chat/collect-chunks.ts'
import { EventReader, readErrorEvent } from './response-reader.ts'

const TEXT = 'Grüße 😀 an alle, and good morning.'
const STREAM = streamTextOf(completion(TEXT)) ?? ''

const open = (maxBytes = 1_048_576) => new EventReader(new ChunkCollector(), maxBytes)
const chunk = (content: string, more: object = {}) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }], ...more })}\n\n`
const END = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'

function read(text: string | Buffer, size = Number.POSITIVE_INFINITY) {
  const reader = open()
  const bytes = Buffer.from(text)
  const effects = []
  for (let at = 0; at < bytes.length; at += size)
    effects.push(reader.write(bytes.subarray(at, Math.min(at + size, bytes.length))))
  return { effects, response: reader.finish() }
}
const contentOf = (text: string, size?: number) =>
  (read(text, size).response?.choices as { message: { content: string } }[] | undefined)?.[0]?.message.content

describe('event stream', () => {
  test.each([1, 2, 3, 7, 100])('reader: reads it when it arrives in pieces of %i bytes', (size) =>
    expect(contentOf(STREAM, size)).toBe(TEXT),
  )

  test.each<[string, string]>([
    ['lines end in CRLF', STREAM.replaceAll('\n', '\r\n')],
    ['lines end in CR', STREAM.replaceAll('\n', '\r')],
    ['it starts with a byte order mark', `\uFEFF${STREAM}`],
    [
      'it has comments, ids and unknown fields',
      `: hello\n\nid: 7\nretry: 10\nfoo: bar\n${STREAM.replaceAll('\n\n', '\n\n: keep-alive\n\n')}`,
    ],
    ['an event has several lines', STREAM.replaceAll('"choices":', '\ndata: "choices":')],
    ['there is no space after the colon', STREAM.replaceAll('data: ', 'data:')],
    ['[DONE] is missing', STREAM.replace('data: [DONE]\n\n', '')],
    ['the last empty line is missing', STREAM.replace('data: [DONE]\n\n', '').trimEnd()],
    ['an event is empty', `data:\n\n${STREAM}`],
  ])('reader: reads the same response when %s', (_, text) => {
    expect(text).not.toBe(STREAM)
    for (const size of [undefined, 1, 13]) expect(contentOf(text, size)).toBe(TEXT)
  })

  test('reader: tells what each chunk was', () => {
    const reader = open()
    const write = (text: string) => reader.write(Buffer.from(text))
    expect([': ping\n\n', 'data: {"cho', 'ices":[]}\n\n', chunk('x'), `${END}data: [DONE]\n\n`].map(write)).toEqual([
      ...['idle', 'idle', 'progress', 'progress', 'done'],
    ])
  })
})

describe('faults', () => {
  test.each<[string, string | Buffer]>([
    ['invalid UTF-8', Buffer.from(chunk('\xff\xfe'), 'latin1')],
    ['an event that is no JSON', 'data: <html>\n\n'],
    ['an event that is a list', 'data: []\n\n'],
    [
      'a value nested too deeply to compare',
      `${`data: {"choices":[{"delta":{"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}}]}\n\n`.repeat(2)}`,
    ],
  ])('reader: malformed when it gets %s', (_, text) => expect(read(text).effects).toEqual(['malformed']))

  test.each<[string, unknown]>([
    ['a list', Array.from({ length: 98_304 }, () => 1)],
    ['an object', Object.fromEntries(Array.from({ length: 98_304 }, (_, at) => [`k${at}`, '']))],
  ])('reader: malformed, without parsing it, when an event has too many values in %s', (_, value) => {
    const event = chunk('x', { value })
    const parse = vi.spyOn(JSON, 'parse')
    expect(open().write(Buffer.from(event))).toBe('malformed')
    expect(parse).not.toHaveBeenCalled()
    parse.mockRestore()
  })

  test('reader: reads the log probabilities of 800 tokens in one event', () => {
    const token = { token: 'a', logprob: -0.123_456_789_012_345_6, bytes: [97] }
    const content = Array.from({ length: 800 }, () => ({ ...token, top_logprobs: Array.from({ length: 20 }, () => token) }))
    const event = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x' }, logprobs: { content } }] })}\n\n`
    expect(open().write(Buffer.from(event))).toBe('progress')
  })

  test('reader: too large when the content or one event exceeds the limit, not by framing alone', () => {
    expect(open(1_000).write(Buffer.from(chunk('x').repeat(500)))).toBe('progress')
    expect(open(1_000).write(Buffer.from(chunk('x'.repeat(400)).repeat(3)))).toBe('too_large')
    expect(open(1_000).write(Buffer.from(`data: ${'x'.repeat(1_001)}`))).toBe('too_large')
    expect(open(1_000).write(Buffer.from(chunk('x'.repeat(1_001)) + END))).toBe('too_large')
  })

  const LARGE = 'y'.repeat(400)
  const inDelta = (delta: object) => ({ choices: [{ index: 0, delta }] })
  test.each<[string, (name: string) => readonly object[]]>([
    ['small values become large', (name) => [{ [name]: 'x' }, { [name]: LARGE }]],
    ['objects grow', (name) => [{ [name]: {} }, { [name]: { text: LARGE } }]],
    ['null becomes large', (name) => [{ [name]: null }, { [name]: LARGE }]],
    ['an empty value of a delta becomes large', (name) => [inDelta({ [name]: '' }), inDelta({ [name]: LARGE })]],
    ['names are large', (name) => [{ [LARGE + name]: null }]],
  ])('reader: too large when %s in many fields', (_, eventsOf) => {
    const written = (names: readonly string[]) => names.flatMap(eventsOf).map((event) => `data: ${JSON.stringify(event)}\n\n`)
    expect(open(1_000).write(Buffer.from(written(['a', 'a', 'a']).join('')))).toBe('progress')
    expect(open(1_000).write(Buffer.from(written(['a', 'b', 'c']).join('')))).toBe('too_large')
  })

  test('reader: reports an error event and has no response', () => {
    const reader = open()
    expect(reader.write(Buffer.from(`${chunk('x')}data: {"error":{"code":429}}\n\n${END}`))).toBe('error_event')
    expect(reader.rejection).toEqual({ kind: 'rate_limited' })
    expect(reader.finish()).toBeUndefined()
  })

  test('reader: has no response when the stream ends early', () => expect(read(chunk('x')).response).toBeUndefined())
})

describe('error event', () => {
  test.each<[object, object | undefined]>([
    [{ error: { code: 502, message: 'x' } }, undefined],
    [{ error: { message: 'x', type: 'server_error' } }, undefined],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'x' } }, undefined],
    [{ type: 'error', error: { type: 'rate_limit_error', message: 'x' } }, { kind: 'rate_limited' }],
    [{ error: { code: 429, message: 'x' } }, { kind: 'rate_limited' }],
    [{ error: { type: 'insufficient_quota', code: 'insufficient_quota' } }, { kind: 'quota_exhausted' }],
    [{ error: { type: 'authentication_error' } }, { kind: 'key_rejected' }],
    [
      { error: { type: 'BadRequestError', code: 400, message: "This model's maximum context length is 4096 tokens." } },
      { kind: 'refused', code: 'context_length_exceeded' },
    ],
    [
      { object: 'error', type: 'invalid_request_error', message: 'Content policy' },
      { kind: 'refused', code: 'content_filter' },
    ],
  ])('error event: %j has the meaning of the same error before the stream', (event, expected) => {
    const rejection = readErrorEvent(JSON.stringify(event))
    if (expected === undefined) expect(rejection).toBeUndefined()
    else expect(rejection).toMatchObject(expected)
  })
})
