import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import tls from 'node:tls'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { createCertificate } from '../../../test/support/certificate.ts'
import {
  type Behaviour,
  completion,
  FAULTS,
  faultyProvider,
  type ReceivedRequest,
  respond,
  startFaultyProvider,
  UPSTREAM_SECRET,
} from '../../../test/support/faulty-provider.ts'
import { testPools, testProvider } from '../../../test/support/providers.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { DISCOVERY_CAUSES } from './connection-causes.ts'
import { discoverModels } from './discover-models.ts'
import { NO_PRICES } from './prices.ts'
import type { Provider } from './provider.ts'
import { testConnection } from './test-connection.ts'

const pools = testPools()
const deps = { clock: systemClock, newId: (prefix: string) => `${prefix}_1` }
afterAll(() => pools.close())

/** The cause of a failed test; undefined: the test succeeded. */
async function causeFor(change: Partial<Provider>): Promise<string | undefined> {
  const result = await testConnection(testProvider({ timeoutMs: 20_000, ...change }), pools, deps)
  return result.ok ? undefined : result.cause
}

describe('TLS', () => {
  const authority = createCertificate('Test authority', { isAuthority: true })
  const trusted = tls.getCACertificates('default')
  beforeAll(() => tls.setDefaultCACertificates([...trusted, authority.cert]))
  afterAll(() => tls.setDefaultCACertificates(trusted))
  const LOOPBACK = [127, 0, 0, 1]

  test.each([
    ['nothing is wrong', { issuer: authority.issuer, ip: LOOPBACK }, undefined],
    ['the certificate is self-signed', { ip: LOOPBACK }, 'tls_untrusted'],
    [
      'the authority is unknown',
      { issuer: createCertificate('Another', { isAuthority: true }).issuer, ip: LOOPBACK },
      'tls_untrusted',
    ],
    ['the certificate has expired', { issuer: authority.issuer, ip: LOOPBACK, validUntil: new Date(0) }, 'tls_expired'],
    ['the certificate is for another host', { issuer: authority.issuer, ip: [192, 0, 2, 1] }, 'tls_wrong_host'],
  ])('connection test: names the problem of TLS when %s', async (_, options, cause) => {
    const { cert, key } = createCertificate('provider', options)
    const server = createServer({ cert, key }, ({ method }, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify(method === 'GET' ? { object: 'list', data: [{ id: 'm' }] } : completion('H'))),
    ).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    expect(await causeFor({ baseUrl: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1` })).toBe(cause)
  })
})

describe('causes', () => {
  test.each([
    ['answers 403', respond({ error: { message: UPSTREAM_SECRET } }, { status: 403 }), 'unauthorized'],
    ['answers 400 for the key', respond([{ error: { status: 'API_KEY_INVALID' } }], { status: 400 }), 'unauthorized'],
    ['has no credit', respond({ error: { code: 'insufficient_quota' } }, { status: 429 }), 'quota_exhausted'],
    ['answers 429', respond({}, { status: 429 }), 'rate_limited'],
    ['redirects', FAULTS['redirects to metadata'], 'redirect'],
    ['sends HTML as JSON', FAULTS['sends HTML as JSON'], 'not_json'],
    ['sends null', FAULTS['sends null'], 'not_json'],
    ['sends no list', respond({ object: 'list' }), 'not_json'],
    ['sends too much', FAULTS['sends 100 MB'], 'too_large'],
  ])('connection test: names the cause when the provider %s', async (_, behaviour, cause) => {
    expect(await causeFor({ baseUrl: (await faultyProvider(behaviour)).baseUrl })).toBe(cause)
  })

  test('connection test: names the cause when there is no provider at the address', async () => {
    const closed = await startFaultyProvider()
    await closed.close()
    expect(await causeFor({ baseUrl: closed.baseUrl })).toBe('refused')
    expect(await causeFor({ baseUrl: closed.baseUrl, source: 'api' })).toBe('address_not_allowed')
    const { baseUrl } = await faultyProvider(FAULTS['hangs before headers'], FAULTS['drips a byte at a time'])
    for (let i = 0; i < 2; i++) expect(await causeFor({ baseUrl, timeoutMs: 200 })).toBe('timeout')
    const notFound = Object.assign(new Error('no'), { code: 'ENOTFOUND' })
    const unknown = testPools({ lookup: (_host, _options, done) => done(notFound, '') })
    const nowhere = testProvider({ baseUrl: 'http://models.example.com/v1' })
    const result = await testConnection(nowhere, unknown, deps)
    expect(!result.ok && result.cause).toBe('dns')
    await unknown.close()
  })

  test('connection test: every cause has a text with what to do', () => {
    for (const text of Object.values(DISCOVERY_CAUSES))
      expect(text).toMatch(/^(?:It|Its|No|The) .*\. ?.*(?:Check|Try|Enter|Set|Renew|See) .*\.$/s)
  })
})

describe('providers without a list', () => {
  const azure = (baseUrl: string, change: Partial<Provider> = {}) => ({
    kind: 'azure-openai' as const,
    baseUrl,
    path: '/openai/deployments/{deployment}/chat/completions?api-version=2024-10-21',
    ...change,
  })
  const invalid = respond({ error: { code: 'invalid_value', message: 'messages: list is too short' } }, { status: 400 })

  test('connection test: requests one token, and a refusal proves address, path and key', async () => {
    const { baseUrl, calls } = await faultyProvider(invalid)
    expect(await testConnection(testProvider(azure(baseUrl)), pools, deps)).toEqual({
      ...{ ok: true, list: undefined },
      call: { model: 'small', outcome: 'refused', ms: expect.any(Number) },
    })
    expect(calls).toMatchObject([
      {
        method: 'POST',
        path: '/v1/openai/deployments/small/chat/completions?api-version=2024-10-21',
        headers: { 'api-key': 'sk-test' },
      },
    ])
    expect(JSON.parse(calls[0]?.body ?? '')).toMatchObject({ model: 'small', messages: [{ content: 'Hi' }], max_tokens: 1 })
  })

  test.each([
    ['accepts it', respond(completion('Hello.')), undefined],
    ['answers 422', respond({ detail: [{ type: 'too_short' }] }, { status: 422 }), undefined],
    ['does not accept the key', FAULTS['answers 401'], 'unauthorized'],
    ['has nothing at the path', FAULTS['answers 404'], 'not_found'],
    ['does not have the deployment', respond({ error: { code: 'DeploymentNotFound' } }, { status: 404 }), 'model_not_found'],
    ['refuses the model', respond({ error: { code: 'model_not_found' } }, { status: 400 }), 'model_not_found'],
    ['is a sign-in page', FAULTS['sends HTML'], 'not_json'],
  ])('connection test: result is right when a provider without a list %s', async (_, behaviour, cause) => {
    expect(await causeFor(azure((await faultyProvider(behaviour)).baseUrl))).toBe(cause)
  })
})

describe('providers with a list', () => {
  const ids = ['gpt-4o', 'llama3.1:8b', 'a/b', 'text-embedding-3-small', 'whisper-1', 'tts-1', 'omni-moderation-latest', 'gpt-4o']
  const listing = (...names: string[]) => respond({ object: 'list', data: names.map((id) => ({ id, object: 'model' })) })
  const run = (behaviours: Behaviour[], change: Partial<Provider> = {}, model?: string) =>
    faultyProvider(...behaviours).then(async ({ baseUrl, calls }) => ({
      result: await testConnection(testProvider({ baseUrl, ...change }), pools, deps, model),
      calls,
    }))
  const bodies = (calls: readonly ReceivedRequest[]) => calls.slice(1).map(({ body }) => JSON.parse(body))

  test('discovery: requests the models with the key and returns chat models, sorted, each once, and counts the others', async () => {
    const data = [...ids.map((id) => ({ id, object: 'model' })), { id: 7 }, null, { id: 'with space' }, { id: '*' }]
    const { baseUrl, calls } = await faultyProvider(respond({ object: 'list', data }))
    const discovery = await discoverModels(testProvider({ baseUrl }), pools, deps)
    const leftOut = { embedding: 1, other: 3 }
    expect(discovery).toEqual({ ok: true, list: { models: ['a/b', 'gpt-4o', 'llama3.1:8b'], leftOut } })
    expect(calls[0]).toMatchObject({ method: 'GET', path: '/v1/models', headers: { authorization: 'Bearer sk-test' } })
  })

  test('connection test: fails when the list needs no key and the request to a model does', async () => {
    const { result } = await run([listing('small'), FAULTS['answers 401']])
    expect(result).toMatchObject({ ok: false, cause: 'unauthorized' })
  })

  test('connection test: asks the named model, else the first added one that can chat, else the first listed one', async () => {
    const answers = [listing('first', 'second'), respond(completion('H'))]
    const models = ['text-embedding', 'own'].map((id) => ({ id, upstreamName: null, ...NO_PRICES, createdAt: new Date(0) }))
    const named = await run(answers, {}, 'second')
    const added = await run(answers, { models })
    const listed = await run(answers, { models: [] })
    expect([named, added, listed].map(({ calls }) => bodies(calls)[0].model)).toEqual(['second', 'own', 'first'])
    expect(listed.result).toMatchObject({ ok: true, call: { model: 'first', outcome: 'answered' } })
  })

  test('connection test: sends nothing to a model when the list is empty', async () => {
    const { result, calls } = await run([listing()], { models: [] })
    expect(result).toMatchObject({ ok: true, list: { models: [] } })
    expect(result).toHaveProperty('call', undefined)
    expect(calls).toHaveLength(1)
  })

  test('connection test: an embedding model gets a text to embed', async () => {
    const { result, calls } = await run([listing('e'), respond({ data: [{ index: 0, embedding: [1] }] })], {}, 'text-embedding-3')
    expect(result).toMatchObject({ ok: true, call: { model: 'text-embedding-3', outcome: 'answered' } })
    expect(calls[1]).toMatchObject({ path: '/v1/embeddings', body: expect.stringContaining('"input":"Hi"') })
  })

  test('connection test: a listed model that is missing in the chat API does not fail the test, a chosen one does', async () => {
    const answers = [listing('old'), respond({ error: { code: 'model_not_found' } }, { status: 404 })]
    expect((await run(answers, { models: [] })).result).toMatchObject({ ok: true, call: { model: 'old', outcome: 'refused' } })
    expect((await run(answers, { models: [] }, 'old')).result).toMatchObject({ ok: false, cause: 'model_not_found' })
    expect((await run([listing('old'), FAULTS['answers 404']], { models: [] })).result).toMatchObject({ cause: 'not_found' })
  })
})
