import { describe, expect, test } from 'vitest'
import { isSameRequest, type RequestBinding, requestHash } from './request-hash.ts'

const KEY = Buffer.alloc(32, 1)
const REQUEST = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], temperature: 0.5 }
const binding = (change: Partial<RequestBinding> = {}): RequestBinding => ({
  applicationId: 'app_1',
  userId: 'u-1',
  isVerified: false,
  sessionId: null,
  request: REQUEST,
  ...change,
})
const hash = (change: Partial<RequestBinding> = {}): string => requestHash(KEY, binding(change)).toString('hex')
const original = hash()

describe('request hash: equal for the same request when the difference is', () => {
  test.each([
    ['the order of keys', { temperature: 0.5, messages: [{ content: 'Hello', role: 'user' }], model: 'm' }],
    ['stream and stream_options', { ...REQUEST, stream: true, stream_options: { include_usage: true } }],
    ['review_item_id and the wait', { ...REQUEST, governance: { review_item_id: 'rev_1', wait_for_approval_seconds: 30 } }],
    ['an empty governance', { ...REQUEST, governance: {} }],
    ['the notation of a number', JSON.parse(JSON.stringify(REQUEST).replace('0.5', '5e-1'))],
  ])('%s', (_, request) => expect(hash({ request })).toBe(original))
})

describe('request hash: different when the request has another', () => {
  test.each<[string, Partial<RequestBinding>]>([
    ['message', { request: { ...REQUEST, messages: [{ role: 'user', content: 'Hello!' }] } }],
    ['number of messages', { request: { ...REQUEST, messages: [...REQUEST.messages, ...REQUEST.messages] } }],
    ['role', { request: { ...REQUEST, messages: [{ role: 'system', content: 'Hello' }] } }],
    ['model', { request: { ...REQUEST, model: 'n' } }],
    ['model: none', { request: { messages: REQUEST.messages, temperature: 0.5 } }],
    ['parameter', { request: { ...REQUEST, temperature: 0.6 } }],
    ['parameter that the gateway does not know', { request: { ...REQUEST, x_new: 1 } }],
    ['Application', { applicationId: 'app_2' }],
    ['user', { userId: 'u-2' }],
    ['user: none', { userId: '' }],
    ['user: verified instead of asserted', { isVerified: true }],
    ['sender: an operator in the playground', { operatorId: 'adm_1' }],
    ['session', { sessionId: 's-1' }],
  ])('%s', (_, change) => expect(hash(change)).not.toBe(original))

  test('key', () => {
    expect(requestHash(Buffer.alloc(32, 2), binding()).toString('hex')).not.toBe(original)
  })
})

test('isSameRequest: false when a hash is only a prefix', () => {
  const a = requestHash(KEY, binding())
  expect(isSameRequest(a, Buffer.from(a))).toBe(true)
  expect(isSameRequest(a, a.subarray(0, 31))).toBe(false)
  expect(isSameRequest(a, requestHash(KEY, binding({ userId: 'u-2' })))).toBe(false)
})

test('request hash: different when only the body that a provider gets has another name', () => {
  const written = { betas: [], body: { messages: [], 'a name': null } }
  expect(hash({ written })).toBe(hash({ written }))
  expect(hash({ written })).not.toBe(hash({ written: { ...written, body: { messages: [] } } }))
  expect(hash({ written })).not.toBe(original)
})
