import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { word } from '../support/scripted-provider.ts'

const SLASHED = 'meta-llama/Llama-3'
const PAGE = 'https://app.example.org'

const governed = await closeAfterAll(startGoverned({ OPENAI_MODELS: `scripted,${SLASHED}` }))

const send = (
  path: string,
  { token = '', method = 'GET', headers = {} }: { token?: string; method?: string; headers?: object } = {},
) => fetch(governed.server.base + path, { method, headers: { ...(token && { authorization: `Bearer ${token}` }), ...headers } })
const body = async (response: Response) => (await response.json()) as Record<string, unknown>

describe('GET /v1/models/{id} [GW-MOD-3]', () => {
  test('returns the entry of the list, with and without /v1, with plain or percent-encoded slashes', async () => {
    const { token } = await governed.application()
    const list = (await body(await send('/v1/models', { token }))).data as { id: string }[]
    for (const id of ['scripted', 'demo-mini', SLASHED]) {
      const entry = list.find((model) => model.id === id)
      expect(entry, id).toBeDefined()
      for (const prefix of ['/v1/models', '/models']) {
        for (const written of [id, encodeURIComponent(id)]) {
          const response = await send(`${prefix}/${written}`, { token })
          expect([response.status, await body(response)], written).toEqual([200, entry])
        }
      }
    }
    const id = 'openai/scripted'
    expect(await body(await send(`/v1/models/${id}`, { token }))).toMatchObject({ id, owned_by: 'openai' })
  })

  test('is recorded with the endpoint models', async () => {
    const { token } = await governed.application()
    const response = await send('/v1/models/scripted', { token })
    expect(await governed.recordOf(response)).toMatchObject({ endpoint: 'models', status: 200 })
    const missing = await send('/v1/models/nothing', { token })
    expect(await governed.recordOf(missing)).toMatchObject({ endpoint: 'models', status: 404, error_code: 'NOT_FOUND' })
  })

  test('404 is the same for unknown models and for models of another Application', async () => {
    const { token } = await governed.application({ models: ['demo-*'] })
    const errorOf = async (id: string) => {
      const response = await send(`/v1/models/${id}`, { token })
      const { error } = await body(response)
      const { audit_id: _, ...rest } = error as Record<string, unknown>
      return [response.status, JSON.stringify(rest).replaceAll(id, 'ID')]
    }
    const foreign = await errorOf('scripted')
    expect(foreign[0]).toBe(404)
    expect(foreign[1]).toContain('"code":"NOT_FOUND"')
    expect(await errorOf('nothing')).toEqual(foreign)
    expect((await send('/v1/models/scripted')).status).toBe(401)
    expect((await send(`/v1/models/${'x'.repeat(200)}%00`, { token })).status).toBe(400)
  })
})

test('chat: 422 with the models of the Application when the model is unknown', async () => {
  const { token } = await governed.application({ models: ['demo-mini'] })
  const refused = await governed.chat('hi', { model: 'gpt-9' }, { token })
  expect(refused.status).toBe(422)
  expect(refused.body.error).toMatchObject({
    code: 'NO_ELIGIBLE_PROVIDER',
    param: 'model',
    message: 'No provider may serve the model "gpt-9" for this request. This Application may use: demo-mini.',
    details: { models: ['demo-mini'] },
  })
})

describe('credential of another API', () => {
  const message = async (path: string, token: string) => {
    const response = await send(path, { token })
    const { error } = await body(response)
    expect([response.status, (error as { code: string }).code]).toEqual([401, 'AUTH_INVALID_KEY'])
    return (error as { message: string }).message
  }

  test('401 with a message that names the API of the path and its credential', async () => {
    const { token } = await governed.application()
    expect(await message('/v1/conversations', token)).toBe(
      "This path belongs to the messaging API, which takes a member's access token (gu_…) or user token (a JWT). The request carries the API key of an Application (gk_…), which belongs to the gateway API. A request to Anthropic's Messages API also needs the header anthropic-version.",
    )
    expect(await message('/v1/models', 'gu_x')).toMatch(
      /^This path belongs to the gateway API, which takes the API key of an Application \(gk_…\)\./,
    )
    expect(await message('/v1/models', 'eyJh.eyJz.c2ln')).toContain('which belongs to the messaging API')
    expect(await message('/v1/models', 'ga_x')).toContain('which belongs to the admin API (/admin/v1)')
    expect(await message('/admin/v1/applications', token)).toMatch(/^This path belongs to the admin API/)
  })

  test('401 is the same for valid and invalid credentials', async () => {
    const { token } = await governed.application()
    expect(await message('/v1/contacts', token)).toBe(await message('/v1/contacts', 'gk_unknown'))
    expect(await message('/v1/models', 'gk_unknown')).toBe('The API key is missing or not valid.')
  })
})

describe('cross-origin requests', () => {
  const preflight = (origin: string, path = '/v1/chat/completions') =>
    send(path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-stainless-lang',
      },
    })
  const corsOf = ({ headers }: Response) => [...headers].filter(([name]) => name.startsWith('access-control-'))

  test('refused unless an Application allows the origin', async () => {
    const { token } = await governed.application()
    const refused = await preflight(`https://${word()}.example.org`)
    expect([refused.status, corsOf(refused), refused.headers.get('allow')]).toEqual([405, [], 'POST'])
    expect(corsOf(await send('/v1/models', { token, headers: { origin: PAGE } }))).toEqual([])
  })

  test('allowed for the origins of the Application, and not for those of another', async () => {
    const origin = `https://${word()}.example.org`
    const { token } = await governed.application({ settings: { cors: { origins: [origin] } } })
    const other = await governed.application()
    // A new origin takes effect within a second.
    await expect.poll(async () => (await preflight(origin)).status).toBe(204)
    const allowed = await preflight(origin)
    expect(Object.fromEntries(corsOf(allowed))).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'authorization,content-type,x-stainless-lang',
      'access-control-max-age': '600',
    })
    for (const path of ['/v1/models/meta-llama%2FLlama-3', '/v1/audit/aud_x', '/v1/memory/search']) {
      expect((await preflight(origin, path)).status, path).toBe(204)
    }
    const response = await send('/v1/models', { token, headers: { origin } })
    expect(response.headers.get('access-control-allow-origin')).toBe(origin)
    expect(response.headers.get('vary')).toContain('origin')
    for (const name of ['x-request-id', 'x-audit-id', 'retry-after', 'ratelimit', 'x-gatehouse-verdict']) {
      expect(response.headers.get('access-control-expose-headers')).toContain(name)
    }
    expect(corsOf(await send('/v1/models', { token: other.token, headers: { origin } }))).toEqual([])
    expect(corsOf(await send('/v1/models', { token, headers: { origin: `${origin}.evil.example` } }))).toEqual([])
  })

  test('allowed for streams and errors, until the setting is removed', async () => {
    const origin = `https://${word()}.example.org`
    const { id, token } = await governed.application({ settings: { cors: { origins: [origin] } } })
    const stream = { model: 'demo-mini', stream: true, messages: [{ role: 'user', content: 'hi' }] }
    for (const [json, status] of [
      [stream, 200],
      [{}, 400],
    ] as const) {
      const response = await fetch(`${governed.server.base}/v1/chat/completions`, {
        method: 'POST',
        headers: { origin, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(json),
      })
      await response.text()
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([status, origin])
    }
    expectSuccess(await governed.admin('PATCH', `/applications/${id}`, { json: { settings: { cors: null } } }))
    await expect.poll(async () => (await preflight(origin)).status).toBe(405)
  })

  test('origins: 400 unless they have the form that browsers send', async () => {
    for (const origin of ['https://a.example/', 'a.example', 'https://A.example', 'ftp://a.example', 'https://a.example/path']) {
      const json = { name: word(), settings: { cors: { origins: [origin] } } }
      expect((await governed.admin('POST', '/applications', { json })).status, origin).toBe(400)
    }
  })
})
