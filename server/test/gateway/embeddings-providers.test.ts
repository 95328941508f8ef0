import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { type ChatOptions, EMBEDDINGS, expectError, expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { embeddingList, json, startScriptedProvider, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const spare = await closeAfterAll(startScriptedProvider())
const governed = await closeAfterAll(sharedGoverned())
beforeEach(() => governed.provider.reset())

type Fields = Readonly<Record<string, unknown>>

const embed = (input: unknown, more: Fields = {}, options: ChatOptions = {}): Promise<GatewayResponse> =>
  governed.post(EMBEDDINGS, { model: 'scripted', input, ...more }, options)
const STAGES_OK = ['authenticate', 'admit', 'identify', 'classify', 'authorize', 'route', 'invoke', 'record']

describe('embeddings: providers', () => {
  test('502 when the vectors of the response are not those of the inputs [GW-EMB-10]', async () => {
    const key = word()
    governed.provider.on(key, (response) => json(response, 200, embeddingList({ input: 'only one' })))
    const response = await embed([key, 'second'])
    expectError(response, 'PROVIDER_ERROR')
    const { attempts, response: sent } = await governed.recordOf(response)
    expect((attempts as Fields[]).map(({ outcome }) => outcome)).toEqual(['malformed', 'malformed', 'malformed'])
    expect(sent).toBeNull()
  })

  test('another provider of the model answers when the first fails [GW-EMB-10]', async () => {
    const declared = { kind: 'openai', base_url: spare.url, api_key: 'sk-second', weight: 0 }
    const { id, model } = await governed.addProvider(declared, { upstream_name: 'scripted', input_price: 2 })
    expectSuccess(await governed.admin('PUT', `/providers/openai/models/${model}`, { json: { upstream_name: 'scripted' } }))
    const { token } = await governed.application()
    const key = word()
    governed.provider.on(key, (response) => json(response, 503, {}))
    const response = await embed(key, { model }, { token })
    expect(expectSuccess(response).governance).toMatchObject({ provider: id })
    const { attempts } = await governed.recordOf(response)
    expect((attempts as Fields[]).at(-1)).toMatchObject({ provider: id, outcome: 'ok', prompt_tokens: 9, cost: 0.000018 })
    expect(attempts).toContainEqual(expect.objectContaining({ provider: 'openai', status: 503 }))
  })

  test('400 with param input when the provider refuses the request [GW-EMB-10]', async () => {
    const key = word()
    const refusal = {
      error: { message: 'secret-text maximum context length', type: 'invalid_request_error', param: 'input', code: null },
    }
    governed.provider.on(key, (response) => json(response, 400, refusal))
    const response = await embed(key)
    expect(expectError(response, 'VALIDATION_ERROR')).toMatchObject({
      param: 'input',
      details: { reason: 'provider_refused', provider_code: 'context_length_exceeded' },
    })
    expect(response.text).not.toContain('secret-text')
  })

  test('422 when the model is unknown or belongs to another Application [GW-EMB-2]', async () => {
    const { token } = await governed.application({ models: ['demo-*'] })
    const errorOf = async (model: string) => {
      const { audit_id: _, ...error } = expectError(await embed('x', { model }, { token }), 'NO_ELIGIBLE_PROVIDER')
      return JSON.stringify(error).replaceAll(model, 'MODEL')
    }
    expect(await errorOf('scripted')).toBe(await errorOf('nothing'))
    const withoutDefault = await governed.application({ default_model: null })
    expectError(await embed('x', { model: undefined }, { token: withoutDefault.token }), 'NO_ELIGIBLE_PROVIDER')
    expect(governed.provider.calls).toEqual([])
  })
})

describe('embeddings: limits and records', () => {
  test('429 when the tokens that the provider counted use up the token limit, and the provider is not called [GW-EMB-11]', async () => {
    const { token } = await governed.application({ limits: { tokens_per_minute: 100 } })
    const key = word()
    const usage = { prompt_tokens: 99, total_tokens: 99 }
    governed.provider.on(key, (response, { body }) => json(response, 200, { ...embeddingList(body), usage }))
    expectSuccess(await embed(key, {}, { token }))
    expect(expectError(await embed(key, {}, { token }), 'RATE_LIMITED').details).toEqual({ limit: 'tokens' })
    expect(governed.provider.calls).toHaveLength(1)
  })

  test('the record has the stages, tokens, attempts and keyed hashes, and no content [GW-EMB-11, GW-PIPE-14]', async () => {
    const secret = word()
    const governance = { user: { id: 'jane', role: 'clerk' }, session_id: 's-1' }
    const response = await embed([secret, 'second text'], { governance })
    expectSuccess(response)
    const record = await governed.recordOf(response)
    expect(record).toMatchObject({
      endpoint: 'embeddings',
      status: 200,
      error_code: null,
      user: { role: 'clerk', id: expect.stringMatching(/^[0-9a-f]{64}$/) },
      request: { messages: 2, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      response: { embeddings: 2, bytes: expect.any(Number), hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      attempts: [{ provider: 'openai', model: 'scripted', status: 200, outcome: 'ok', prompt_tokens: 9 }],
      features: { 'request.endpoint': 'embeddings', 'request.model': 'scripted', 'request.message_count': 2 },
    })
    expect(JSON.stringify(record)).not.toContain(secret)
    const stages = record.stages as { name: string; outcome: string }[]
    expect(stages.filter(({ outcome }) => outcome === 'ok').map(({ name }) => name)).toEqual(STAGES_OK)
    expect(stages.filter(({ outcome }) => outcome === 'skipped')).toHaveLength(12 - STAGES_OK.length)
  })

  test('metrics count the endpoint, and audit search filters by it [GW-EMB-11]', async () => {
    const { governance } = expectSuccess(await embed('x'))
    expect((await governed.api('GET', '/metrics')).text).toContain(
      'gatehouse_requests_total{endpoint="embeddings",status="200",code=""}',
    )
    const { data } = expectSuccess(await governed.admin('GET', '/audit?endpoint=embeddings&limit=5'))
    expect(data).toContainEqual(expect.objectContaining({ id: governance.audit_id, endpoint: 'embeddings' }))
  })

  test('a replay of another policy set includes embeddings at the point input', async () => {
    expectSuccess(await embed('x'))
    const source = JSON.stringify({ name: 'none', rules: [{ id: 'all', at: ['input'], when: 'true', verdict: 'deny' }] })
    const replay = await governed.admin('POST', '/policy-sets/replay', { json: { source } })
    expect(JSON.stringify(expectSuccess(replay))).toContain('"embeddings"')
  })
})
