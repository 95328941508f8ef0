import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { startScriptedEntra } from '../support/scripted-entra.ts'
import { startScriptedTokens } from '../support/scripted-google.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const entra = await closeAfterAll(startScriptedEntra())
const governed = await closeAfterAll(sharedGoverned())
const token = (await governed.application()).token

/** Sends a chat to a new provider with these fields, and returns the request that it got. */
async function requestOf(fields: object, more: object = {}) {
  const declared = { base_url: governed.provider.url.replace('/v1', ''), api_key: 'the-key', ...fields }
  const { model } = await governed.addProvider(declared, { upstream_name: 'deployed' })
  const key = word()
  expectSuccess(await governed.chat(key, { model, ...more }, { token }))
  return governed.provider.callsWith(key)[0]
}

test('fallback: another model answers under the same name when the first one fails, and the record has both attempts', async () => {
  const [model, large, small] = [word(), word(), word()]
  const add = async (upstream_name: string, fallback_order: number) => {
    const { id } = await governed.addProvider({ base_url: governed.provider.url })
    const json = { upstream_name, fallback_order }
    expectSuccess(await governed.admin('PUT', `/providers/${id}/models/${model}`, { json }))
    return id
  }
  const second = await add(small, 1)
  const first = await add(large, 0)
  governed.provider.on(large, (response) => response.writeHead(500).end())
  const { token } = await governed.application({ models: [model] })
  const key = word()
  const answer = expectSuccess(await governed.chat(key, { model }, { token }))
  expect(answer.model).toBe(model)
  expect(governed.provider.callsWith(key).map(({ body }) => body.model)).toEqual([large, small])
  const record = expectSuccess(await governed.admin('GET', `/audit/${answer.governance.audit_id}`))
  expect(record.attempts).toMatchObject([
    { provider: first, model, outcome: 'status', status: 500 },
    { provider: second, model, outcome: 'ok', status: 200 },
  ])
})

const ACME = { kind: 'azure-openai', base_url: 'https://acme.openai.azure.com' }

describe('azure', () => {
  test('azure: the version of the API is part of the path', async () => {
    const path = '/openai/deployments/{deployment}/chat/completions?api-version=2025-04-01-preview'
    expect(await requestOf({ kind: 'azure-openai', path })).toMatchObject({
      path: path.replace('{deployment}', 'deployed'),
      headers: { 'api-key': 'the-key' },
    })
  })

  test('azure: the v1 form names the deployment in the body', async () => {
    expect(await requestOf({ kind: 'azure-openai', path: '/openai/v1/chat/completions' })).toMatchObject({
      path: '/openai/v1/chat/completions',
      headers: { 'api-key': 'the-key' },
      body: { model: 'deployed' },
    })
  })

  test('azure: a bearer token replaces the key header when the declaration says so', async () => {
    const call = await requestOf({ kind: 'azure-openai', headers: { Authorization: 'Bearer {api_key}' } })
    expect(call?.headers.authorization).toBe('Bearer the-key')
    expect(call?.headers).not.toHaveProperty('api-key')
  })

  test('azure: a service principal is exchanged for a token, and its secret is sent in no header [GW-PROV-15]', async () => {
    const headers = { 'api-key': '{api_key}', 'x-team': 'platform' }
    const call = await requestOf({ kind: 'azure-openai', api_key: entra.principal(), headers })
    expect(call?.headers).toMatchObject({ authorization: `Bearer ${entra.issued.at(-1)}`, 'x-team': 'platform' })
    expect(call?.headers).not.toHaveProperty('api-key')
    expect(JSON.stringify(call?.headers)).not.toContain(entra.secret)
  })

  test('azure: a service principal that Entra ID refuses is a rejected key, which the connection test names', async () => {
    const api_key = entra.principal({ password: 'another-secret' })
    const base_url = governed.provider.url.replace('/v1', '')
    const { id } = await governed.addProvider({ kind: 'azure-openai', base_url, api_key })
    const error = expectError(await governed.admin('POST', `/providers/${id}/discover`, { json: {} }), 'PROVIDER_ERROR')
    expect(error.details.cause).toBe('token_rejected')
    expect(JSON.stringify(error)).not.toContain('private:')
    expect(governed.server.logs()).not.toContain('another-secret')
  })

  test.each([
    ['appId', { appId: undefined }],
    ['token_uri', { token_uri: 'http://169.254.169.254/token' }],
  ])('azure: 400 names %s when the service principal is wrong', async (name, change) => {
    const json = { ...ACME, id: word(), api_key: entra.principal(change) }
    const error = expectError(await governed.admin('POST', '/providers', { json }), 'VALIDATION_ERROR')
    expect(error).toMatchObject({ param: 'api_key', message: expect.stringContaining(name) })
  })
})

describe('presets', () => {
  test('preset: names of parameters are those of the server, and a declared base URL replaces that of the preset [GW-PROV-17]', async () => {
    const fields = { preset: 'mistral', base_url: governed.provider.url }
    const call = await requestOf(fields, { max_completion_tokens: 50, seed: 7 })
    expect(call?.body).toMatchObject({ max_tokens: 50, random_seed: 7 })
    expect(call?.body).not.toHaveProperty('max_completion_tokens')
    expect(call?.headers.authorization).toBe('Bearer the-key')
  })

  test('preset: gives a new provider its base URL and can be removed', async () => {
    const id = word()
    const created = expectSuccess(await governed.admin('POST', '/providers', { json: { id, preset: 'groq' } }), 201)
    expect(created).toMatchObject({ kind: 'openai', preset: 'groq', base_url: 'https://api.groq.com/openai/v1' })
    const changed = expectSuccess(await governed.admin('PATCH', `/providers/${id}`, { json: { preset: null } }))
    expect(changed).toMatchObject({ preset: null, base_url: 'https://api.groq.com/openai/v1' })
  })

  test('preset: all are listed for forms', async () => {
    const { data } = expectSuccess(await governed.admin('GET', '/provider-presets'))
    expect(data).toContainEqual({
      id: 'ollama',
      object: 'provider_preset',
      title: 'Ollama',
      base_url: 'http://localhost:11434/v1',
      needs_key: false,
      max_classification: 'restricted',
      hint: expect.stringContaining('localhost'),
    })
  })
})

const google = await closeAfterAll(startScriptedTokens({ now: () => Date.now() }))
const VERTEX = { kind: 'vertex', region: 'europe-west1', api_key: google.keyFile() }
test.each([
  ['region', { kind: 'bedrock' }],
  ['region', { kind: 'bedrock', region: 'evil.example.com/' }],
  ['api_key', { kind: 'bedrock', region: 'us-east-1', api_key: 'AKIDSCRIPTED00000001:short' }],
  ['preset', { kind: 'bedrock', region: 'us-east-1', preset: 'groq' }],
  ['api_key', { ...VERTEX, api_key: 'AIza-not-a-key-file' }],
  ['api_key', { ...VERTEX, api_key: JSON.stringify({ type: 'service_account', project_id: 'p' }) }],
  ['region', { ...VERTEX, region: null }],
  ['preset', { preset: 'unknown' }],
  ['preset', { preset: 'groq', kind: 'anthropic' }],
  ['base_url', { kind: 'anthropic', base_url: 'https://api.anthropic.com/v1' }],
])('declaration: 400 names %s when it is %j', async (param, fields) => {
  const response = await governed.admin('POST', '/providers', { json: { id: word(), ...fields } })
  expect(expectError(response, 'VALIDATION_ERROR').param).toBe(param)
})

test('connection test: 409 when a provider has neither a list nor a model', async () => {
  const id = word()
  expectSuccess(await governed.admin('POST', '/providers', { json: { ...ACME, id, api_key: 'k' } }), 201)
  const error = expectError(await governed.admin('POST', `/providers/${id}/discover`, { json: {} }), 'CONFLICT')
  expect(error.message).toContain('Add a model')
})
