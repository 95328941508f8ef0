import { describe, expect, test } from 'vitest'
import { bedrockChunk, eventStreamMessage, header } from '../../../test/support/event-stream.ts'
import { EventStreamDecoder } from '../../platform/lib/aws-event-stream.ts'
import { type BedrockEvent, readBedrockEvent } from './bedrock.ts'

const EVENTS = [
  { type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 3 } } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Grüße' } },
  { type: 'message_stop' },
]

const read = (bytes: Buffer): readonly BedrockEvent[] => new EventStreamDecoder().push(bytes).messages.map(readBedrockEvent)
const event = (payload: string, type = 'chunk') =>
  eventStreamMessage([header(':message-type', 'event'), header(':event-type', type)], payload)

describe('events', () => {
  test('bedrock: stream has the same events as a stream of the Messages API', () => {
    expect(read(Buffer.concat(EVENTS.map(bedrockChunk)))).toEqual(
      EVENTS.map((value) => ({ kind: 'event', event: value, length: Buffer.byteLength(JSON.stringify(value)) })),
    )
  })

  test.each([
    ['throttlingException', 429],
    ['modelStreamErrorException', 424],
    ['modelTimeoutException', 408],
    ['serviceUnavailableException', 503],
    ['validationException', 400],
    ['internalServerException', 500],
    ['toString', 500],
  ])('bedrock: exception %s in the stream is a failure with status %i and without its text', (name, status) => {
    const headers = [header(':message-type', 'exception'), header(':exception-type', name)]
    expect(read(eventStreamMessage(headers, '{"message":"private"}'))).toEqual([{ kind: 'failed', status }])
  })

  test('bedrock: error in the stream is a failure', () => {
    const headers = [header(':message-type', 'error'), header(':error-code', '500'), header(':error-message', 'private')]
    expect(read(eventStreamMessage(headers, ''))).toEqual([{ kind: 'failed', status: 500 }])
  })

  test.each([
    ['no payload', event('')],
    ['another event type', event('{"bytes":"e30="}', 'metadata')],
    ['no base64', event('{"bytes":"{}"}')],
    ['no text', event('{"bytes":7}')],
    ['no JSON', event('{"bytes":"aGVsbG8="}')],
    ['a list', event('{"bytes":"W10="}')],
    ['no headers', eventStreamMessage([], '{"bytes":"e30="}')],
  ])('bedrock: message with %s is malformed', (_, bytes) => expect(read(bytes)).toEqual([{ kind: 'malformed' }]))
})
