import { describe, expect, test } from 'vitest'
import { expectError } from '../../support/gateway-client.ts'
import { json, word } from '../../support/scripted-provider.ts'
import { chance, governed } from '../shared-server.ts'

const SECRET = 'private-words-of-the-provider'
const AUDIT_ID = /^aud_[0-9a-z]{26}$/
/** Sends a chat whose provider responds as `behaviour` says. */
const chatWithProvider = (behaviour: Parameters<typeof governed.provider.on>[1], headers = {}) => {
  const key = word()
  governed.provider.on(key, behaviour)
  return governed.chat(key, {}, { headers })
}

/** `refused` checks status, envelope, type and x-request-id of each. */
describe('errors [API-ERR-1]', () => {
  test('VALIDATION_ERROR 400: invalid request [API-ERR-4]', async () => {
    const { type, param } = expectError(await governed.chat('x', { temperature: 'hot' }), 'VALIDATION_ERROR')
    expect({ type, param }).toEqual({ type: 'invalid_request_error', param: 'temperature' })
  })
  test('AUTH_INVALID_KEY 401: key invalid [API-ERR-5]', async () => {
    expect(expectError(await governed.chat('x', {}, { token: 'gk_x' }), 'AUTH_INVALID_KEY').type).toBe('authentication_error')
  })
  test('POLICY_DENIED 403: policy verdict deny; names the rules in details [API-ERR-6]', async () => {
    const { audit_id, type, details } = expectError(await governed.chat('juniper-deny'), 'POLICY_DENIED')
    expect({ audit_id, type, details }).toEqual({
      audit_id: expect.stringMatching(AUDIT_ID),
      type: 'permission_error',
      details: { rules: ['juniper-deny'], point: 'input' },
    })
  })
  test('NOT_FOUND 404: audit id unknown or owned by another Application [API-ERR-7]', async () => {
    expect(expectError(await governed.api('GET', '/v1/audit/aud_x'), 'NOT_FOUND').type).toBe('not_found_error')
  })
  test('POLICY_REVIEW_PENDING 409: verdict require_approval; carries review_item_id [API-ERR-8]', async () => {
    const { review_item_id, type } = expectError(await governed.chat('juniper-hold'), 'POLICY_REVIEW_PENDING')
    expect({ review_item_id, type }).toEqual({ review_item_id: expect.stringMatching(/^rev_/), type: 'conflict_error' })
  })
  test.each([
    ['a model that no provider offers', 'x', { model: 'no-such-model' }],
    ['a model of another Application', 'x', { model: 'demo-code' }],
    ['a directive that names an unknown provider', 'juniper-nowhere', {}],
    ['a directive that names a region without providers', 'juniper-region', {}],
  ])('NO_ELIGIBLE_PROVIDER 422: %s [API-ERR-11, GW-CHAT-6]', async (_, prompt, more) => {
    expectError(await governed.chat(prompt, more), 'NO_ELIGIBLE_PROVIDER')
  })
  test("NO_ELIGIBLE_PROVIDER 422: content above the Application's maximum classification", async () => {
    const { token } = await governed.application({ ceiling: 'internal' })
    expectError(await governed.chat('juniper-class-confidential', {}, { token }), 'NO_ELIGIBLE_PROVIDER')
  })
  test('RATE_LIMITED 429: rate limit hit; response has Retry-After header [API-ERR-12]', async () => {
    const { token } = await governed.application({ limits: { requests_per_minute: 1, burst: 1 } })
    await governed.chat('Good morning', {}, { token })
    const hit = await governed.chat('Good morning', {}, { token })
    expect(expectError(hit, 'RATE_LIMITED').type).toBe('rate_limit_error')
    expect(hit.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
  })
  test('PROVIDER_ERROR 502: provider failed; the error has none of its text [API-ERR-14, GW-PROV-1, GW-PROV-7]', async () => {
    const response = await chatWithProvider((response) => json(response, 401, { error: { message: SECRET } }))
    expect(expectError(response, 'PROVIDER_ERROR').type).toBe('api_error')
    expect(response.text).not.toContain(SECRET)
  })
  test('PROVIDER_TIMEOUT 504: provider timed out [API-ERR-14, GW-PROV-2]', async () => {
    const timeout = (ms: number) => governed.admin('PATCH', '/providers/openai', { json: { timeout_ms: ms } })
    await timeout(200)
    expectError(await chatWithProvider(() => {}), 'PROVIDER_TIMEOUT')
    await timeout(60_000)
  })
  test('INTERNAL 500: no internal text in the message, the cause in the log under the request id [API-ERR-13]', async () => {
    // Before it asks a failing provider again, the gateway waits for a random time.
    const { next } = chance
    chance.next = () => {
      throw new Error(`an internal text about ${SECRET}`)
    }
    const response = await chatWithProvider((response) => json(response, 503, {}), { 'x-request-id': 'broken-1' })
    chance.next = next
    const { audit_id, type } = expectError(response, 'INTERNAL')
    expect({ audit_id, type }).toEqual({ audit_id: expect.stringMatching(AUDIT_ID), type: 'api_error' })
    expect(response.text).not.toContain(SECRET)
    const line = governed.server
      .logs()
      .split('\n')
      .find((text) => text.includes('broken-1') && text.includes('"err"'))
    expect(line).toContain(SECRET)
    expect(await governed.record(audit_id)).toMatchObject({ status: 500, error_code: 'INTERNAL' })
  })
})
