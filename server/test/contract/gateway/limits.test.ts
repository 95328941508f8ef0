import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { CHAT, ENDPOINTS, expectError, expectSuccess, type GatewayResponse } from '../../support/gateway-client.ts'
import { completion, json, says, word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'

test('wait_for_approval_seconds: 0 to 120 [GW-CHAT-5]', async () => {
  const sendRequest = (wait: unknown) => governed.chat('Good morning', { governance: { wait_for_approval_seconds: wait } })
  for (const wait of [-1, 121, 1.5, '5']) {
    expect(expectError(await sendRequest(wait), 'VALIDATION_ERROR').param).toBe('governance.wait_for_approval_seconds')
  }
  for (const wait of [0, 120]) expectSuccess(await sendRequest(wait))
})

const POSTS = ENDPOINTS.filter(({ method }) => method === 'POST')
const GETS = ENDPOINTS.filter(({ method }) => method === 'GET')

/** An Application with these limits. `burst` sends `count` requests at the same time and counts the admitted ones. */
async function createLimitedApplication(limits: object) {
  const { token } = await governed.application({ limits })
  const send = ({ method, path, json }: { method: string; path: string; json?: unknown }): Promise<GatewayResponse> =>
    governed.api(method, path, { token, json })
  const chat = (prompt = 'Good morning', more = {}) => governed.chat(prompt, more, { token })
  const burst = async (count: number, sendRequest: () => Promise<GatewayResponse>) => {
    const responses = await Promise.all(Array.from({ length: count }, sendRequest))
    const refusals = responses.filter(({ status }) => status === 429)
    for (const response of refusals) expectError(response, 'RATE_LIMITED')
    return { admitted: count - refusals.length, refusals }
  }
  return { send, chat, burst }
}

describe('rate limits', () => {
  test.each(POSTS)('$name: 429 with Retry-After in whole seconds [GW-LIM-1, GW-LIM-4, API-ERR-12]', async (endpoint) => {
    const { burst, send } = await createLimitedApplication({ requests_per_minute: 1, burst: 1 })
    const { admitted, refusals } = await burst(3, () => send(endpoint))
    expect(admitted).toBe(1)
    for (const { headers, body } of refusals) {
      expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
      expect(body.error.type).toBe('rate_limit_error')
    }
  })
  test.each(GETS)('$name: never 429 [GW-LIM-1]', async (endpoint) => {
    const { burst, send } = await createLimitedApplication({ requests_per_minute: 1, burst: 1 })
    expect((await burst(8, () => send(endpoint))).admitted).toBe(8)
  })
  test('burst: admits 5 of 40 concurrent requests when it is 5 [GW-LIM-3]', async () => {
    const { burst, chat } = await createLimitedApplication({ requests_per_minute: 1, burst: 5 })
    expect((await burst(40, () => chat())).admitted).toBe(5)
  })
  test('concurrency: running requests count, and completed ones do not [GW-LIM-2]', async () => {
    const { burst, chat } = await createLimitedApplication({ concurrency: 2 })
    const key = word()
    // The provider responds when four requests are refused, however long that takes.
    const { promise: refused, resolve } = Promise.withResolvers<void>()
    governed.provider.on(key, (response, call) => void refused.then(() => says('done')(response, call)))
    let refusals = 0
    const send = async () => {
      const response = await chat(key)
      if (response.status === 429 && ++refusals === 4) resolve()
      return response
    }
    expect((await burst(6, send)).admitted).toBe(2)
    expect((await burst(2, send)).admitted).toBe(2)
  })
  test('tokens per minute: x-should-retry is false when the request alone exceeds the limit [GW-LIM-2]', async () => {
    const { chat } = await createLimitedApplication({ tokens_per_minute: 50 })
    const large = await chat('word '.repeat(200))
    expectError(large, 'RATE_LIMITED')
    expect(large.headers.get('x-should-retry')).toBe('false')
    expectSuccess(await chat())
  })
  test('tokens per minute: the tokens that the provider reports count [GW-LIM-2]', async () => {
    const { chat } = await createLimitedApplication({ tokens_per_minute: 40 })
    // Each request is estimated at 7 tokens, and the provider reports 18.
    expect([await chat(), await chat(), await chat()].map(({ status }) => status)).toEqual([200, 200, 429])
  })
  test('tokens per minute: a total below its parts does not count [GW-LIM-2]', async () => {
    const { chat } = await createLimitedApplication({ tokens_per_minute: 1_000 })
    const usage = { prompt_tokens: 600, completion_tokens: 600, total_tokens: 1 }
    const key = word()
    governed.provider.on(key, (response) => json(response, 200, completion('ok', { usage })))
    expect([await chat(key), await chat(key)].map(({ status }) => status)).toEqual([200, 429])
  })
  describe.each([
    ['no usage', undefined],
    ['zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
  ])('tokens per minute when the provider reports %s', (_, usage) => {
    const uncounted = (text: string): string => {
      const key = word()
      governed.provider.on(key, (response) => json(response, 200, completion(text, { usage })))
      return key
    }
    test('tools are counted', async () => {
      const { token } = await governed.application({ limits: { tokens_per_minute: 1_000 }, settings: { extensions: ['tools'] } })
      const sendRequest = (description: string) => {
        const tools = [{ type: 'function', function: { name: 'look', description } }]
        return governed.chat(uncounted('ok'), { model: 'scripted', tools }, { token })
      }
      expect(expectError(await sendRequest('lorem '.repeat(30_000)), 'RATE_LIMITED').details).toEqual({ limit: 'tokens' })
      for (const status of [200, 200, 429]) expect((await sendRequest('lorem '.repeat(300))).status).toBe(status)
    })
    test('completions are counted', async () => {
      const { chat } = await createLimitedApplication({ tokens_per_minute: 1_000 })
      for (const status of [200, 429]) expect((await chat(uncounted('word '.repeat(800)))).status).toBe(status)
    })
  })
  test('per user: a user at the limit does not block another user [GW-LIM-2]', async () => {
    const { chat } = await createLimitedApplication({ user_requests_per_minute: 1 })
    const statusOf = async (id: string) => (await chat('Good morning', { governance: { user: { id } } })).status
    expect([await statusOf('mara'), await statusOf('mara'), await statusOf('noor')]).toEqual([200, 429, 200])
  })
  describe('per user: verified users', () => {
    const [alice, bob] = [0, 1].map((index) => () => ({ userToken: governed.demo.users[index]?.user_token ?? '' }))
    const sendRequest = async (token: string, options: object | undefined, asserted?: string) => {
      const governance = asserted === undefined ? {} : { governance: { user: { id: asserted } } }
      return governed.chat('Good morning', governance, { token, ...options })
    }
    test('user: requests count for the verified user and not for the asserted one', async () => {
      const { token } = await governed.application({ limits: { user_requests_per_minute: 2 } })
      expectSuccess(await sendRequest(token, alice?.()))
      expectSuccess(await sendRequest(token, alice?.(), 'someone'))
      expectError(await sendRequest(token, alice?.()), 'RATE_LIMITED')
      for (const name of ['alice', 'bob', 'someone else']) expectError(await sendRequest(token, alice?.(), name), 'RATE_LIMITED')
      expectSuccess(await sendRequest(token, bob?.()))
      expectSuccess(await sendRequest(token, undefined, 'bob'))
      expectError(await sendRequest(token, bob?.()), 'RATE_LIMITED')
    })
    test('refusal: has the headers and is recorded, because stage 2 had admitted the request', async () => {
      const { token } = await governed.application({ limits: { user_requests_per_minute: 1 } })
      const { headers: first } = await sendRequest(token, alice?.())
      expect(first.get('ratelimit')).toMatch(/"user";r=0;t=60/)
      const response = await sendRequest(token, alice?.())
      const { audit_id, details, message } = expectError(response, 'RATE_LIMITED')
      expect({ details, message }).toEqual({ details: { limit: 'user' }, message: expect.stringContaining('for one user') })
      expect(response.headers.get('retry-after')).toMatch(/^(59|60)$/)
      expect(response.headers.get('ratelimit')).toMatch(/"user";r=0;t=(59|60)/)
      expect(response.headers.get('x-audit-id')).toBe(audit_id)
      const record = expectSuccess(await governed.api('GET', `/v1/audit/${audit_id}`, { token }))
      expect(record).toMatchObject({ status: 429, error_code: 'RATE_LIMITED', user: { verified: true }, attempts: [] })
      expect(record.stages).toContainEqual(expect.objectContaining({ name: 'identify', outcome: 'stopped' }))
    })
    test("user: requests above the user's limit do not count for the Application", async () => {
      const limits = { user_requests_per_minute: 1, requests_per_minute: 1, burst: 3, concurrency: 1, tokens_per_minute: 100 }
      const { token } = await governed.application({ limits })
      expectSuccess(await sendRequest(token, alice?.()))
      for (let i = 0; i < 5; i++) expectError(await sendRequest(token, alice?.()), 'RATE_LIMITED')
      expectSuccess(await sendRequest(token, bob?.()))
      expectSuccess(await sendRequest(token, undefined))
    })
    test('searches: are counted', async () => {
      const { token } = await governed.application({ limits: { user_requests_per_minute: 1 }, settings: { knowledge: true } })
      const search = () => governed.post('/v1/knowledge/search', { query: 'opening hours' }, { token, ...alice?.() })
      expectSuccess(await search())
      expectError(await search(), 'RATE_LIMITED')
    })
  })
  test('Application: an Application at its limit does not block another Application', async () => {
    const { burst, chat } = await createLimitedApplication({ requests_per_minute: 1, burst: 1 })
    await burst(3, () => chat())
    expectSuccess(await governed.chat('Good morning'))
  })
  test('RateLimit and RateLimit-Policy headers, and a message that names the gateway, not the provider [GW-LIM-4]', async () => {
    const { chat } = await createLimitedApplication({ requests_per_minute: 1, burst: 2 })
    for (const { headers } of [await chat(), await chat()]) {
      expect(headers.get('ratelimit')).toMatch(/"requests";r=[01];t=\d+/)
      expect(headers.get('ratelimit-policy')).toMatch(/"requests";q=1;w=60/)
    }
    const { headers, body } = await chat()
    expect(headers.get('ratelimit')).toMatch(/"requests";r=0;t=\d+/)
    expect(body.error.message).toMatch(/gateway/)
    expect(body.error.message).not.toMatch(/provider/)
  })
  test('defaults: 600 requests a minute with burst 60, 200 concurrent [GW-LIM-2]', async () => {
    const created = expectSuccess(await governed.admin('POST', '/applications', { json: { name: word() } }), 201)
    const unlimited = { tokens_per_minute: null, user_requests_per_minute: null }
    expect(created.limits).toEqual({ requests_per_minute: 600, burst: 60, concurrency: 200, ...unlimited })
  })
})

describe('sizes', () => {
  test('messages: at most 2,048 per request [GW-CHAT-15]', async () => {
    const messages = (count: number) => Array.from({ length: count }, () => ({ role: 'user', content: 'x' }))
    expectSuccess(await governed.chat(messages(2_048)))
    expect(expectError(await governed.chat(messages(2_049)), 'PAYLOAD_TOO_LARGE').param).toBe('messages')
  })
  test('message content: at most 4 MiB, in bytes [GW-CHAT-14]', async () => {
    const words = 'word '.repeat(Math.floor(4_194_304 / 5))
    expectSuccess(await governed.chat(words))
    for (const content of [`${words}      `, 'é'.repeat(2_097_153)]) {
      expect(expectError(await governed.chat(content), 'PAYLOAD_TOO_LARGE').param).toBe('messages[0].content')
    }
  }, 240_000)
  test('JSON: at most 32 levels [API-BODY-3]', async () => {
    // The body and `metadata` are two levels.
    const deep = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels))
    expectSuccess(await governed.chat('x', { metadata: { deep: deep(30) } }))
    expectError(await governed.chat('x', { metadata: { deep: deep(31) } }), 'VALIDATION_ERROR')
  })
  test('body: 413 reaches a client that is still sending, and its connection serves the next request [API-BODY-4]', async () => {
    const { token } = await governed.application()
    const socket = connect(Number(new URL(governed.server.base).port), '127.0.0.1')
    const ended = once(socket, 'close')
    let received = ''
    socket.on('data', (chunk) => (received += chunk))
    const headers = ['host: localhost', `authorization: Bearer ${token}`, 'content-type: application/json']
    socket.write(`${[`POST ${CHAT} HTTP/1.1`, ...headers, 'content-length: 40000000'].join('\r\n')}\r\n\r\n`)
    await vi.waitFor(() => expect(received).toContain('PAYLOAD_TOO_LARGE'))
    for (let sent = 0; sent < 40; sent++) if (!socket.write('x'.repeat(1_000_000))) await once(socket, 'drain')
    socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
    await ended
    expect(received).toMatch(/^HTTP\/1\.1 413 [\s\S]*HTTP\/1\.1 200 /)
  })

  test('body: 16 MiB are accepted, and one byte more is 413 [GW-CHAT-13, API-BODY-4, API-ERR-10]', async () => {
    const body = (bytes: number) => {
      const frame = JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: 'x' }], pad: '' })
      return frame.replace('""}', `"${'word '.repeat(bytes / 5).slice(0, bytes - frame.length)}"}`)
    }
    expectSuccess(await governed.post(CHAT, undefined, { raw: body(16_777_216) }))
    expectError(await governed.post(CHAT, undefined, { raw: body(16_777_217) }), 'PAYLOAD_TOO_LARGE')
  }, 240_000)
  test('body: 413 above 1 MiB on other paths [GW-CHAT-16]', async () => {
    const json = { content: 'word '.repeat(210_000), scope: 'application', kind: 'fact', classification: 'internal' }
    expectError(await governed.post('/v1/memory/capture', json), 'PAYLOAD_TOO_LARGE')
  })
})
