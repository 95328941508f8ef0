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
