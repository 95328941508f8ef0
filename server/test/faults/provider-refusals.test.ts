import OpenAI from 'openai'
import { describe, expect, test, vi } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectSuccess, type ResponseBody } from '../support/gateway-client.ts'
import { json, says, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const SECRET = 'upstream-private-diagnostics'

const governed = await closeAfterAll(sharedGoverned())

/** The real client with its default retries. */
const client = () => new OpenAI({ apiKey: governed.key(), baseURL: `${governed.base}/v1` })
const error = (code: string, more: object = {}) => ({
  error: { message: `${SECRET}: ${code}`, type: 'invalid_request_error', param: null, code, ...more },
})

/** Scripts a response of the provider; returns its prompt. */
function scriptResponse(status: number, body: unknown, headers: Record<string, string> = {}): string {
  const key = word()
  governed.provider.on(key, (response) => json(response, status, body, headers))
  return key
}

/** Sends a prompt; returns the error that the client throws. */
async function failure(prompt: string, more: object = {}): Promise<InstanceType<typeof OpenAI.APIError>> {
  const messages = [{ role: 'user' as const, content: prompt }]
  const thrown = await client()
    .chat.completions.create({ model: 'scripted', messages, ...more })
    .catch((cause: unknown) => cause)
  if (!(thrown instanceof OpenAI.APIError)) throw new Error('the call succeeded')
  return thrown
}
const recordOf = (thrown: InstanceType<typeof OpenAI.APIError>): Promise<ResponseBody> =>
  governed.record(thrown.headers?.get('x-audit-id') ?? '')
const lastError = async (): Promise<unknown> =>
  (expectSuccess(await governed.admin('GET', '/providers/openai')).health as { last_error: unknown }).last_error

describe('request that the provider refuses', () => {
  test.each([
    [400, 'context_length_exceeded', { param: 'messages' }, 'context_length_exceeded', 'messages'],
    [400, 'unsupported_parameter', { param: 'temperature' }, 'unsupported_parameter', 'temperature'],
    [400, 'anything new', {}, 'invalid_request', null],
    [404, 'model_not_found', {}, 'model_not_found', null],
    [413, 'request_too_large', {}, 'too_large', null],
    [422, 'invalid_value', { param: 'messages[0].content' }, 'invalid_value', 'messages[0].content'],
  ] as const)(
    'provider refusal: OpenAI client gets 400 after one provider call when the provider responds with %i %s [GW-PROV-3, GW-PROV-4, GW-PROV-7, GW-RETRY-1]',
    async (status, code, more, own, param) => {
      const prompt = scriptResponse(status, error(code, more))
      const thrown = await failure(prompt)
      expect(thrown).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', type: 'invalid_request_error', param })
      expect(thrown.error).toMatchObject({ details: { reason: 'provider_refused', provider_code: own } })
      expect(thrown.headers?.get('x-should-retry')).toBe('false')
      expect(governed.provider.callsWith(prompt)).toHaveLength(1)
      expect(JSON.stringify(thrown.error)).not.toContain(SECRET)
      expect(await recordOf(thrown)).toMatchObject({ status: 400, attempts: [{ status, outcome: 'refused', code: own }] })
    },
  )

  test('provider refusal: streamed request gets 400, and the circuit breaker stays closed', async () => {
    for (let i = 0; i < 8; i++) {
      expect((await failure(scriptResponse(400, error('context_length_exceeded')), { stream: true })).status).toBe(400)
    }
    const prompt = word()
    governed.provider.on(prompt, says('fine'))
    expectSuccess(await governed.chat(prompt))
  })

  test('provider refusal: counter has the code of the refusal', async () => {
    await failure(scriptResponse(400, error('content_filter')))
    const { text } = await governed.api('GET', '/metrics')
    expect(text).toMatch(/gatehouse_provider_refusals_total\{provider="openai",code="content_filter"\} [1-9]/)
    expect(text).toMatch(/gatehouse_provider_seconds_count\{provider="openai",outcome="refused"\} [1-9]/)
  })

  test('provider refusal: approved hold can be resubmitted when the provider refused the request', async () => {
    const prompt = `${scriptResponse(400, error('context_length_exceeded'))} juniper-hold`
    const held = await governed.chat(prompt)
    const id = held.body.error.review_item_id
    await governed.decide(id, 'approve')
    const first = await governed.resubmit({ prompt, id })
    expect(first.body.error.details).toMatchObject({ provider_code: 'context_length_exceeded' })
    expect(expectSuccess(await governed.admin('GET', `/reviews/${id}`))).toMatchObject({ state: 'approved' })
  })
})

describe('rate limit of the provider', () => {
  test('provider rate limit: request gets 429 with Retry-After and is not retried when the wait is long [GW-PROV-5, GW-RETRY-1]', async () => {
    const prompt = scriptResponse(429, error('rate_limit_exceeded'), { 'retry-after': '120' })
    const thrown = await failure(prompt)
    expect(thrown).toMatchObject({ status: 429, code: 'RATE_LIMITED', type: 'rate_limit_error' })
    expect(thrown.error).toMatchObject({
      details: { reason: 'provider_rate_limited' },
      message: expect.stringMatching(/provider's/),
    })
    expect([thrown.headers?.get('retry-after'), thrown.headers?.get('x-should-retry')]).toEqual(['120', 'false'])
    expect(governed.provider.callsWith(prompt)).toHaveLength(1)
    expect(await recordOf(thrown)).toMatchObject({ status: 429, attempts: [{ outcome: 'rate_limited' }] })
  })
})

describe('provider that rejects the API key', () => {
  test('provider key: request gets 502 after one call, and log, metric, provider and Home show the rejected key [GW-PROV-1]', async () => {
    const prompt = scriptResponse(401, error('invalid_api_key'))
    const thrown = await failure(prompt)
    expect(thrown).toMatchObject({ status: 502, code: 'PROVIDER_ERROR' })
    expect(governed.provider.callsWith(prompt)).toHaveLength(1)
    expect(await lastError()).toEqual({ kind: 'key_rejected', at: expect.any(String), fault: true })
    const { attention } = expectSuccess(await governed.admin('GET', '/overview')) as ResponseBody & { attention: unknown[] }
    expect(attention).toContainEqual({
      kind: 'provider_fault',
      text: 'The provider openai rejects its key: set a valid one.',
      link: '/providers/openai',
    })
    const line = governed.server
      .logs()
      .split('\n')
      .find((text) => text.includes('a provider needs an operator') && text.includes('key_rejected'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ provider: 'openai', kind: 'key_rejected', status: 401 })
    expect((await governed.api('GET', '/metrics')).text).toMatch(/outcome="key_rejected"\} [1-9]/)
  })

  test('provider key: fault ends when the provider responds normally', async () => {
    const prompt = word()
    governed.provider.on(prompt, says('fine'))
    expectSuccess(await governed.chat(prompt))
    expect(await lastError()).toMatchObject({ kind: 'key_rejected', fault: false })
  })

  test('provider quota: request gets 502 without a retry when the account is empty [GW-PROV-1]', async () => {
    const prompt = scriptResponse(429, error('insufficient_quota'))
    expect(await failure(prompt)).toMatchObject({ status: 502 })
    expect(governed.provider.callsWith(prompt)).toHaveLength(1)
    expect(await lastError()).toMatchObject({ kind: 'quota_exhausted', fault: true })
  })
})

test('provider refusal: no log and no record contains the text of the provider [GW-PROV-7]', async () => {
  await vi.waitFor(() => expect(governed.server.logs()).toContain('a provider needs an operator'), 20_000)
  expect(governed.server.logs()).not.toContain(SECRET)
  const { rows } = await governed.server.context.database.pool.query('select body from audit_record')
  expect(JSON.stringify(rows)).not.toContain(SECRET)
})
