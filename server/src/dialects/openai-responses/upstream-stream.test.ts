import { expect, test } from 'vitest'
import { messageItem, responseObject } from '../../../test/support/scripted-responses.ts'
import { readFailure } from './upstream.ts'
import { readResponse } from './upstream-response.ts'
import { ResponseCollector } from './upstream-stream.ts'

const defaults = { model: 'small', newId: () => 'chatcmpl_1', created: () => 1_800_000_000 }
type Event = Readonly<Record<string, unknown>>
const event = (type: string, fields: object = {}): Event => ({ type, ...fields })

/** Events after the one that ends the stream are not read. */
function responseOf(events: readonly Event[]) {
  const collector = new ResponseCollector()
  for (const item of events) if (collector.add(item, JSON.stringify(item).length) === 'done') break
  return collector.finish()
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
  ['all events', STREAM],
  ['more events after the last', [...STREAM, event('response.completed', { response: STARTED }), event('error', { code: 'x' })]],
])('stream: holds the response of the last event with %s', (_, events) => {
  const response = responseOf(events)
  expect(response).toEqual(RESPONSE)
  expect(response && readResponse(response, defaults)?.choices[0]?.message.content).toBe('Good morning.')
})

test('stream: holds an incomplete response', () => {
  const response = responseOf([event('response.incomplete', { response: INCOMPLETE })])
  expect(response && readResponse(response, defaults)?.choices[0]?.finish_reason).toBe('length')
})

test.each<[string, object]>([
  ['empty', { output: [] }],
  ['missing', { output: undefined }],
])('stream: holds the items of the events before when the output of the last event is %s', (_, output) => {
  const item = (text: string, output_index: number) =>
    event('response.output_item.done', { output_index, item: messageItem(text) })
  const last = event('response.completed', { response: { ...RESPONSE, ...output } })
  expect(responseOf([item('b', 1), item('a', 0), last])).toEqual({ ...RESPONSE, output: [messageItem('a'), messageItem('b')] })
})

test('size: counts items as well as deltas, so that a limit holds for both', () => {
  const collector = new ResponseCollector()
  collector.add(event('response.output_text.delta', { delta: 'Grüße' }), 60)
  expect(collector.bytes).toBe(7)
  for (const output_index of [0, 1]) collector.add(event('response.output_item.done', { output_index, item: {} }), 50)
  expect(collector.bytes).toBe(100)
})

test.each<[string, Event, number]>([
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
  expect(response && readResponse(response, defaults)).toBeUndefined()
  expect(response && readFailure(response)?.status).toBe(status)
})

test.each<[string, readonly Event[]]>([
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
  expect(response && readResponse(response, defaults)).toBeUndefined()
})
