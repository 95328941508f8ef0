import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { word } from '../support/scripted-provider.ts'
import { startThreeUpstreams } from '../support/three-upstreams.ts'

const upstreams = await closeAfterAll(startThreeUpstreams())
const { governed } = upstreams
const refusing = (await governed.application({ settings: { unknown_fields: 'refuse' } })).token
const carrying = (await governed.application({ settings: { unknown_fields: 'carry' } })).token

const VERSION = { 'anthropic-version': '2023-06-01' }
const send = (token: string, path: string, json: object, headers: Record<string, string> = {}): Promise<GatewayResponse> =>
  governed.api('POST', path, { token, json, headers: { ...(path === '/v1/messages' && VERSION), ...headers } })
const message = (model: string, content: string, more: object = {}) => ({
  model,
  max_tokens: 50,
  messages: [{ role: 'user', content }],
  ...more,
})

describe('unknown fields', () => {
  test('carry: a provider of the same API gets them in their places, and the record has their number [GW-FID-4]', async () => {
    const key = word()
    const body = message('claude', key, { x_level: { deep: 1.5 }, x_list: ['a'] })
    const response = await send(carrying, '/v1/messages', body)
    expectSuccess(response)
    const [call] = upstreams.callsWith('claude', key)
    expect(call?.raw).toBe(JSON.stringify({ ...body, stream: true }))
    expect((await governed.recordOf(response)).request).toMatchObject({ carried_fields: 2 })
  })

  test('carry: 400 when the provider has another API, and nothing is sent [GW-FID-4]', async () => {
    const key = word()
    const response = await send(carrying, '/v1/messages', message('scripted', key, { x_level: 1 }))
    expect(response.body.error).toMatchObject({ details: { reason: 'provider_unsupported' }, param: 'x_level' })
    expect(response.body.error.message).toContain('no equivalent of x_level')
    expect(upstreams.callsWith('scripted', key)).toHaveLength(0)
  })

  test('carry: 400 when a response would be stored without a field of its input [GW-FID-4]', async () => {
    const { token } = await governed.application({
      settings: { unknown_fields: 'carry', responses: { store: 'requested' } },
    })
    const input = [{ role: 'user', content: 'Hello', x_level: 1 }]
    const stored = await send(token, '/v1/responses', { model: 'gpt', input, store: true })
    expect(stored.body.error).toMatchObject({ code: 'VALIDATION_ERROR', param: 'input[0].x_level' })
    expectSuccess(await send(token, '/v1/responses', { model: 'gpt', input, store: false }))
  })

  test('carry: policies read the fields [GW-FID-4]', async () => {
    const key = word()
    const response = await send(carrying, '/v1/messages', message('claude', key, { x_note: { text: 'juniper-deny' } }))
    expect(response.body.error).toMatchObject({ code: 'POLICY_DENIED', details: { rules: ['juniper-deny'] } })
    expect(upstreams.callsWith('claude', key)).toHaveLength(0)
  })

  test('carry: an item of the Responses API that the gateway does not know [GW-FID-4]', async () => {
    const key = word()
    const input = [
      { role: 'user', content: key },
      { type: 'x_state', data: 'blue' },
    ]
    const response = await send(carrying, '/v1/responses', { model: 'gpt', input, store: false })
    expectSuccess(response)
    expect(upstreams.callsWith('gpt', key)[0]?.body).toEqual({ model: 'gpt', input, store: false, stream: true })
  })
})

describe('anthropic-beta', () => {
  const BETAS = 'interleaved-thinking-2025-05-14,claude-code-20250219'
  test('betas: a provider of the same API gets those of the client [GW-ANT-11]', async () => {
    const key = word()
    expectSuccess(await send(refusing, '/v1/messages', message('claude', key), { 'anthropic-beta': BETAS }))
    expect(upstreams.anthropic.callsWith(key)[0]?.headers['anthropic-beta']).toBe(BETAS)
    const other = word()
    expectSuccess(await send(refusing, '/v1/messages', message('claude', other)))
    expect(upstreams.anthropic.callsWith(other)[0]?.headers['anthropic-beta']).toBeUndefined()
  })

  test('betas: follow those of the declaration [GW-ANT-11]', async () => {
    const { governed, anthropic } = upstreams
    const headers = { 'Anthropic-Beta': 'context-1m-2025-08-07' }
    const provider = { kind: 'anthropic', base_url: anthropic.url, api_key: 'sk-ant-scripted', headers }
    const { model } = await governed.addProvider(provider, { upstream_name: 'claude' })
    const key = word()
    expectSuccess(await send(refusing, '/v1/messages', message(model, key), { 'anthropic-beta': BETAS }))
    expect(anthropic.callsWith(key)[0]?.headers['anthropic-beta']).toBe(`context-1m-2025-08-07,${BETAS}`)
  })

  test('betas: no other provider gets them [GW-ANT-11]', async () => {
    const key = word()
    expectSuccess(await send(refusing, '/v1/messages', message('scripted', key), { 'anthropic-beta': BETAS }))
    expect(governed.provider.callsWith(key)[0]?.headers['anthropic-beta']).toBeUndefined()
  })

  test.each([
    'write to ana@example.org',
    'AKIAQ3EGUPZ7RW5K2MLT',
    'card-4111-1111-1111-1111-2025-05-14',
    'de89370400440532013000-2025-05-14',
    Array.from({ length: 33 }, (_, i) => `b${i}-2025-05-14`).join(),
  ])('betas: 400 for another text, which no detector would read (%s) [GW-ANT-11]', async (header) => {
    const response = await send(refusing, '/v1/messages', message('claude', 'Hello'), { 'anthropic-beta': header })
    expect(response.body.error).toMatchObject({ code: 'VALIDATION_ERROR', param: 'anthropic-beta' })
  })
})
