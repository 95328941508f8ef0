import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { type Body, body, envelope, failure, type Input, responsesClient, WEATHER } from '../support/responses-client.ts'
import { json, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

/** Verdicts and errors of the responses API, with the OpenAI client from npm. */
const governed = await closeAfterAll(sharedGoverned())
const sdk = await responsesClient(governed)

const TEXT = 'The quick brown fox jumps over the lazy dog: naïve 狐狸 🦊.'
const countResponses = (status: number): number =>
  governed.server
    .logs()
    .split('\n')
    .filter((line) => line.includes('"answered"') && line.includes(`"status":${status},`)).length

describe('governance', () => {
  test('403: a denial has code and audit id, and the record is that of a chat [GW-RESP-16]', async () => {
    const error = await failure(sdk.client().responses.create(body('juniper-deny')))
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
    expect(error).toMatchObject({ code: 'POLICY_DENIED', type: 'permission_error' })
    const record = await governed.api('GET', `/v1/audit/${envelope(error).audit_id}`, { token: sdk.token })
    expect(record.body).toMatchObject({ endpoint: 'chat', status: 403 })
  })
  test('a denial in instructions, and in the arguments and the result of a call [GW-RESP-16]', async () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' } as const
    const result = { type: 'function_call_output', call_id: 'c1', output: 'fine' } as const
    const inputs: Body[] = [
      body('hello', { instructions: 'juniper-deny' }),
      body([{ ...call, arguments: '{"a":"juniper-deny"}' }, result], { tools: [WEATHER] }),
      body([call, { ...result, output: 'juniper-deny' }], { tools: [WEATHER] }),
    ]
    for (const input of inputs) {
      expect(await failure(sdk.client().responses.create(input))).toBeInstanceOf(OpenAI.PermissionDeniedError)
    }
  })
  test('409: sent once, and released when the approved request is sent again [GW-RESP-16]', async () => {
    const before = countResponses(409)
    const key = sdk.promptForText(TEXT)
    const sendRequest = (governance: object = {}) => sdk.client().responses.create(body(`${key} juniper-hold`, { governance }))
    const error = await failure(sendRequest())
    expect(error).toBeInstanceOf(OpenAI.ConflictError)
    expect(countResponses(409) - before).toBe(1)
    const { review_item_id } = envelope(error)
    await governed.decide(String(review_item_id), 'approve')
    const released = await sendRequest({ review_item_id })
    expect(released.output_text).toBe(TEXT)
    const governance = { review_item_id }
    const streamed = await sdk
      .client()
      .responses.stream(body(`${key} juniper-hold`, { governance }))
      .finalResponse()
    expect(streamed.id).toBe(released.id)
    expect(governed.provider.callsWith(key)).toHaveLength(1)
  })
  test('409 for a held completion [GW-RESP-16]', async () => {
    const key = sdk.promptForText('sorrel-hold')
    expect(await failure(sdk.client().responses.create(body(key)))).toBeInstanceOf(OpenAI.ConflictError)
    expect(governed.provider.callsWith(key)).toHaveLength(1)
  })
})

describe('errors', () => {
  const refused = (more: object) => failure(sdk.client({ maxRetries: 0 }).responses.create(body('x', more)))

  test.each([
    ['temperature', { temperature: 'hot' }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['reasoning.effort', { reasoning: { effort: 'VERY HIGH' } }],
    ['input[0].content', { input: [{ role: 'user', content: 7 }] }],
    [
      'input[1].type',
      {
        input: [
          { role: 'user', content: 'x' },
          { type: 'web_search_call', id: 'ws_1' },
        ],
      },
    ],
    ['tools[0].type', { tools: [{ type: 'web_search' }] }],
    ['store', { store: 'yes' }],
    ['conversation', { conversation: 'conv_1' }],
    ['background', { background: true }],
  ])("400: names the client's field %s [GW-RESP-9]", async (param, more) => {
    const error = await refused(more)
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error).toMatchObject({ code: 'VALIDATION_ERROR', type: 'invalid_request_error', param })
    expect(error.message).toContain(`${param}: `)
  })
  test("400: names the client's field that needs an extension [GW-RESP-9]", async () => {
    const { token } = await governed.application()
    const paramOf = async (input: Input, more: object = {}) =>
      (await failure(sdk.client({ apiKey: token, maxRetries: 0 }).responses.create(body(input, { instructions: 'x', ...more }))))
        .param
    const image: Input = [
      { role: 'user', content: [{ type: 'input_image', image_url: 'https://a.example/i.png', detail: 'low' }] },
    ]
    expect(await paramOf(image)).toBe('input[0].content')
    expect(await paramOf([{ role: 'developer', content: 'x' }])).toBe('input[0].role')
    const call: Input = [
      { role: 'user', content: 'x' },
      { type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' },
    ]
    expect(await paramOf(call)).toBe('input[1].type')
    expect(await paramOf([{ role: 'user', content: 'x' }], { tools: [WEATHER] })).toBe('tools')
  })
  test("400: names the client's field when the provider refuses one [GW-RESP-9]", async () => {
    const key = word()
    const error = { message: 'Invalid value', type: 'invalid_request_error', code: 'invalid_value', param: 'messages[1].content' }
    governed.provider.on(key, (response) => json(response, 400, { error }))
    expect(await refused({ input: key, instructions: 'Be brief.' })).toMatchObject({ status: 400, param: 'input' })
  })
  test('other classes: 401, 422 and 429, as in a chat [GW-RESP-16]', async () => {
    const once = (options: object = {}) => sdk.client({ maxRetries: 0, ...options })
    expect(await failure(once({ apiKey: 'gk_none' }).responses.create(body('x')))).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(await refused({ model: 'none' })).toBeInstanceOf(OpenAI.UnprocessableEntityError)
    const { token } = await governed.application({ limits: { requests_per_minute: 1, burst: 1 } })
    await once({ apiKey: token }).responses.create(body('Good morning'))
    expect(await failure(once({ apiKey: token }).responses.create(body('Good morning')))).toBeInstanceOf(OpenAI.RateLimitError)
  })
  test('preflight: works like that of a chat [GW-RESP-1]', async () => {
    const origin = `https://${word()}.example.org`
    await governed.application({ settings: { cors: { origins: [origin] } } })
    const headers = { origin, 'access-control-request-method': 'POST' }
    // A new origin takes effect within a second.
    await expect
      .poll(async () => (await fetch(`${governed.base}/v1/responses`, { method: 'OPTIONS', headers })).status, {
        timeout: 20_000,
      })
      .toBe(204)
  })
})
