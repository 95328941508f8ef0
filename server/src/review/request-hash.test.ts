import { describe, expect, test } from 'vitest'
import { bindRequest, type RequestBinding, requestHash, sameRequest } from './request-hash.ts'

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

describe('the same request', () => {
  test.each([
    ['keys in another order', { temperature: 0.5, messages: [{ content: 'Hello', role: 'user' }], model: 'm' }],
    ['stream and stream_options', { ...REQUEST, stream: true, stream_options: { include_usage: true } }],
    ['the item it names', { ...REQUEST, governance: { review_item_id: 'rev_1', wait_for_approval_seconds: 30 } }],
    ['an empty governance', { ...REQUEST, governance: {} }],
    ['another form of the same number', JSON.parse(JSON.stringify(REQUEST).replace('0.5', '5e-1'))],
  ])('%s', (_, request) => expect(hash({ request })).toBe(original))
})

describe('another request', () => {
  test.each<[string, Partial<RequestBinding>]>([
    ['messages', { request: { ...REQUEST, messages: [{ role: 'user', content: 'Hello!' }] } }],
    ['a message more', { request: { ...REQUEST, messages: [...REQUEST.messages, ...REQUEST.messages] } }],
    ['role', { request: { ...REQUEST, messages: [{ role: 'system', content: 'Hello' }] } }],
    ['model', { request: { ...REQUEST, model: 'n' } }],
    ['no model', { request: { messages: REQUEST.messages, temperature: 0.5 } }],
    ['a parameter', { request: { ...REQUEST, temperature: 0.6 } }],
    ['a parameter that the gateway does not know', { request: { ...REQUEST, x_new: 1 } }],
    ['Application', { applicationId: 'app_2' }],
    ['user', { userId: 'u-2' }],
    ['nobody', { userId: '' }],
    ['a verified user of that id', { isVerified: true }],
    ['an operator in the playground', { operatorId: 'adm_1' }],
    ['session', { sessionId: 's-1' }],
  ])('%s', (_, change) => expect(hash(change)).not.toBe(original))

  test('another key: hashes of two Workspaces cannot be compared', () => {
    expect(requestHash(Buffer.alloc(32, 2), binding()).toString('hex')).not.toBe(original)
  })
})

test('sameRequest compares whole hashes only', () => {
  const a = requestHash(KEY, binding())
  expect(sameRequest(a, { requestHash: Buffer.from(a) })).toBe(true)
  expect(sameRequest(a, { requestHash: a.subarray(0, 31) })).toBe(false)
  expect(sameRequest(a, { requestHash: requestHash(KEY, binding({ userId: 'u-2' })) })).toBe(false)
})

test('sameRequest: a hold of an earlier version is recognised by its own key', () => {
  const earlier = Buffer.alloc(32, 2)
  const hashes = bindRequest({ current: KEY, earlier }, binding())
  expect(sameRequest(requestHash(earlier, binding()), hashes)).toBe(true)
  expect(sameRequest(requestHash(KEY, binding()), hashes)).toBe(true)
  expect(sameRequest(requestHash(Buffer.alloc(32, 3), binding()), hashes)).toBe(false)
})
