import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventStreamMessage, header } from '../../../test/support/event-stream.ts'
import { EventStreamDecoder } from './aws-event-stream.ts'

const MESSAGE = eventStreamMessage([header(':message-type', 'event'), header('n', Buffer.alloc(4), 4)], '{"a":1}')

/** Decodes the bytes in chunks of `size` bytes. */
function decode(bytes: Buffer, size = bytes.length, decoder = new EventStreamDecoder()) {
  const payloads: string[] = []
  let failure: string | undefined
  for (let at = 0; at < bytes.length; at += size) {
    const result = decoder.push(bytes.subarray(at, at + size))
    payloads.push(...result.messages.map(({ payload }) => payload.toString()))
    failure = result.failure
  }
  return { payloads, failure, isAtEnd: decoder.isAtEnd }
}

/** A copy with one byte changed. */
function withByte(at: number, bytes = MESSAGE): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}

test('event stream: decoder reads headers and payload of a message that another encoder has written', () => {
  // A test vector of the SDKs of AWS.
  const example = Buffer.from(
    '0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1',
    'hex',
  )
  const { messages, failure } = new EventStreamDecoder().push(example)
  expect(failure).toBeUndefined()
  expect([...(messages[0]?.headers ?? [])]).toEqual([['content-type', 'application/json']])
  expect(messages[0]?.payload.toString()).toBe("{'foo':'bar'}")
})

test.each([1, 2, 7, 50, 1_000])(
  'event stream: decoder reads the same messages when they arrive in chunks of %i bytes',
  (size) => {
    const bytes = Buffer.concat([MESSAGE, eventStreamMessage([], ''), MESSAGE])
    expect(decode(bytes, size)).toEqual({ payloads: ['{"a":1}', '', '{"a":1}'], failure: undefined, isAtEnd: true })
  },
)

test('event stream: decoder keeps texts of headers and skips values of all other types', () => {
  const sizes = [0, 0, 1, 2, 4, 8, 3, 3, 8, 16]
  const headers = sizes.map((size, type) => header(`h${type}`, Buffer.alloc(size, 'x'), type))
  const { messages } = new EventStreamDecoder().push(eventStreamMessage(headers, 'p'))
  expect([...(messages[0]?.headers ?? [])]).toEqual([['h7', 'xxx']])
})

test('event stream: decoder is not at the end when a message is incomplete', () => {
  expect(decode(MESSAGE.subarray(0, -1))).toEqual({ payloads: [], failure: undefined, isAtEnd: false })
})

test('event stream: every changed byte is a failure, also of all further bytes', () => {
  for (let at = 0; at < MESSAGE.length; at++) {
    const { payloads, failure } = decode(Buffer.concat([withByte(at), MESSAGE]))
    expect([at, payloads, failure]).toEqual([at, [], 'malformed'])
  }
})

test('event stream: message over the limit is too large before its bytes arrive', () => {
  const large = eventStreamMessage([], 'x'.repeat(2_000))
  expect(decode(large.subarray(0, 12), 12, new EventStreamDecoder(1_000)).failure).toBe('too_large')
})

test.each([
  ['a name without an end', Buffer.from([9, 97])],
  ['an empty name', header('', 'x')],
  ['an unknown type', header('a', '', 10)],
  ['a text without an end', Buffer.from([1, 97, 7, 0, 9, 120])],
  ['a length without its second byte', Buffer.from([1, 97, 7, 0])],
  ['a text that is not UTF-8', header('a', Buffer.from([0xff]))],
])('event stream: %s in the headers is malformed', (_, bytes) => {
  expect(decode(eventStreamMessage([bytes], 'p')).failure).toBe('malformed')
})

test('event stream: decoder never throws on random bytes or mutated messages', () => {
  const mutated = fc.tuple(fc.nat(MESSAGE.length - 1), fc.uint8Array({ maxLength: 8 })).map(([at, bytes]) => {
    const copy = Buffer.from(MESSAGE)
    copy.set(bytes.subarray(0, copy.length - at), at)
    return copy
  })
  const random = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
  fc.assert(
    fc.property(fc.oneof(mutated, random), fc.integer({ min: 1, max: 40 }), (bytes, size) => {
      decode(bytes, size)
    }),
    { numRuns: 500 },
  )
})

test('event stream: a large message in tiny chunks and many messages in one chunk are read in linear time', () => {
  const payload = 'x'.repeat(400_000)
  expect(decode(eventStreamMessage([], payload), 4).payloads[0]?.length).toBe(payload.length)
  const many = Buffer.concat(Array.from({ length: 50_000 }, () => eventStreamMessage([], '')))
  expect(decode(many).payloads).toHaveLength(50_000)
})
