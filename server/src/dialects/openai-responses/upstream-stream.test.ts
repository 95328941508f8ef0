import { expect, test } from 'vitest'
import { messageItem, responseObject } from '../../../test/support/scripted-responses.ts'
import { readFailureObject } from './upstream-failure.ts'
import { readResponseObject } from './upstream-response.ts'
import { ResponseStream, type StreamEvent } from './upstream-stream.ts'

const defaults = { model: 'small', newId: () => 'chatcmpl_1', created: () => 1_800_000_000 }
const event = (type: string, fields: object = {}): StreamEvent => ({ type, data: JSON.stringify({ type, ...fields }) })
const unnamed = ({ data }: StreamEvent): StreamEvent => ({ data })

function responseOf(events: readonly StreamEvent[]) {
  const stream = new ResponseStream()
  for (const item of events) stream.add(item)
  return stream.response
}

const RESPONSE = responseObject([messageItem('Good morning.')])
const STARTED = { ...RESPONSE, status: 'in_progress', output: [], usage: null }
const INCOMPLETE = { ...RESPONSE, status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
const STREAM = [
  event('response.created', { response: STARTED }),
  event('response.in_progress', { response: STARTED }),
  event('response.output_item.added', { output_index: 0, item: { type: 'message', content: [] } }),
  event('response.output_text.delta', { delta: 'Good ' }),
  event('keepalive'),
  event('response.output_text.delta', { delta: 'morning.' }),
  event('response.completed', { response: RESPONSE }),
]

test.each([
  ['named events', STREAM],
  ['events without names', STREAM.map(unnamed)],
  ['more events after the last', [...STREAM, event('response.completed', { response: STARTED }), event('error', { code: 'x' })]],
  ['the end marker of the chat API', [...STREAM.map(unnamed), { data: '[DONE]' }]],
])('stream: holds the response of the last event with %s', (_, events) => {
  const response = responseOf(events)
  expect(response).toEqual(RESPONSE)
  expect(response && readResponseObject(response, defaults)?.choices[0]?.message.content).toBe('Good morning.')
})

test('stream: holds an incomplete response', () => {
  const response = responseOf([event('response.incomplete', { response: INCOMPLETE })])
  expect(response && readResponseObject(response, defaults)?.choices[0]?.finish_reason).toBe('length')
})

test.each<[string, StreamEvent, number]>([
  [
    'a failed response',
    event('response.failed', {
      response: { ...RESPONSE, status: 'failed', error: { code: 'rate_limit_exceeded', message: 'm' } },
    }),
    429,
  ],
  ['an error event', event('error', { code: 'server_error', message: 'm', param: null }), 500],
  ['an error event with the error in a field', event('error', { error: { code: 'invalid_prompt', message: 'm' } }), 400],
  ['an error event without a code', event('error'), 500],
])('stream: is a failure after %s', (_, last, status) => {
  const response = responseOf([...STREAM.slice(0, -1), last])
  expect(response && readResponseObject(response, defaults)).toBeUndefined()
  expect(response && readFailureObject(response)?.status).toBe(status)
})

test.each<[string, readonly StreamEvent[]]>([
  ['it ends before its last event', STREAM.slice(0, -1)],
  ['it is empty', []],
  ['its last event is no JSON', [{ type: 'response.completed', data: '{' }]],
  ['its last event has no response', [event('response.completed')]],
  ['its last event has a response of another status', [event('response.completed', { response: STARTED })]],
  ['its last event has another type', [{ type: 'response.completed', data: JSON.stringify({ type: 'response.failed' }) }]],
])('stream: has no response when %s', (_, events) => expect(responseOf(events)).toBeUndefined())

test('stream: a deeply nested response is malformed and overflows no stack', () => {
  const data = JSON.stringify({ type: 'response.completed', response: RESPONSE })
  const nested = data.replace('"metadata":{}', `"more":${'['.repeat(50_000)}${']'.repeat(50_000)}`)
  const response = responseOf([{ type: 'response.completed', data: nested }])
  expect(response && readResponseObject(response, defaults)).toBeUndefined()
})
