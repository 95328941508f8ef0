import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { prompts, TEXT } from '../support/client-fixture.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { startGoverned } from '../support/governed.ts'
import { envelope, failure } from '../support/responses-client.ts'
import { word } from '../support/scripted-provider.ts'

/** The OpenAI client from npm, against a real server. */
const clock = adjustableClock()
const governed = await closeAfterAll(startGoverned({}, { clock }))

/** The client with its default retries. `path` follows the base URL. */
const client = (path = '/v1', options: object = {}): OpenAI =>
  new OpenAI({ apiKey: governed.key(), baseURL: governed.base + path, ...options })

type Params = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>
const body = (content: string, more: object = {}): Params => ({
  model: 'scripted',
  messages: [{ role: 'user', content }],
  ...more,
})
const { promptForText: promptFor } = prompts(governed)
describe.each(['/v1', ''])('with base URL {base}%s', (path) => {
  test('chat', async () => {
    const completion = await client(path).chat.completions.create(body(promptFor(TEXT)))
    expect(completion.choices[0]?.message.content).toBe(TEXT)
    expect(completion.usage?.total_tokens).toBe(18)
    expect(completion._request_id).toMatch(/^req_/)
    // Fields that the client does not know are returned.
    expect(completion).toMatchObject({ governance: { audit_id: expect.stringMatching(/^aud_/), decision: { verdict: 'allow' } } })
  })
  test('stream: true, iterated', async () => {
    const stream = await client(path).chat.completions.create({ ...body(promptFor(TEXT)), stream: true })
    const chunks = await Array.fromAsync(stream)
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(TEXT)
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(chunks[0]).toMatchObject({ governance: { audit_id: expect.any(String) } })
  })
  test('.stream()', async () => {
    const stream = client(path).chat.completions.stream(body(promptFor(TEXT)))
    const deltas: string[] = []
    stream.on('content', (delta) => deltas.push(delta))
    const final = await stream.finalChatCompletion()
    expect(deltas.join('')).toBe(TEXT)
    expect(final.choices[0]?.message.content).toBe(TEXT)
  })
  test('usage chunk', async () => {
    const options = { stream_options: { include_usage: true } }
    const stream = client(path).chat.completions.stream({ ...body(promptFor(TEXT)), ...options })
    expect(await stream.totalUsage()).toMatchObject({ prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 })
    const chunks = await Array.fromAsync(await client(path).chat.completions.create({ ...body('x'), ...options, stream: true }))
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 18 } })
  })
  test('models.list', async () => {
    const models = await Array.fromAsync(client(path).models.list())
    expect(models).toContainEqual(expect.objectContaining({ id: 'scripted', object: 'model', owned_by: 'openai' }))
  })
})

describe('error classes: have code, request id and details', () => {
  const once = client('/v1', { maxRetries: 0 })
  const chat = (content: string, more: object = {}) => failure(once.chat.completions.create(body(content, more)))

  test('403 PermissionDeniedError', async () => {
    const error = await chat('juniper-deny')
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
    expect(envelope(error).audit_id).toMatch(/^aud_/)
    expect(error.requestID).toMatch(/^req_/)
  })
  test('404 NotFoundError', async () => {
    expect(await once.models.retrieve('scripted')).toMatchObject({ id: 'scripted', object: 'model' })
    const error = await failure(once.models.retrieve('no-such-model'))
    expect(error).toBeInstanceOf(OpenAI.NotFoundError)
    expect(error.code).toBe('NOT_FOUND')
  })
  test('410 APIError', async () => {
    const prompt = `juniper-brief ${word()}`
    const { review_item_id } = envelope(await chat(prompt))
    clock.advance(31_000)
    const error = await chat(prompt, { governance: { review_item_id } })
    expect({ status: error.status, code: error.code }).toEqual({ status: 410, code: 'REVIEW_HOLD_EXPIRED' })
  })
  test('a refusal of a stream is thrown before the first chunk', async () => {
    expect(await chat('juniper-deny', { stream: true })).toBeInstanceOf(OpenAI.PermissionDeniedError)
    const key = promptFor('sorrel-deny')
    const error = await failure(client().chat.completions.stream(body(key)).finalChatCompletion())
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
  })
})

describe('reviews', () => {
  test('409, then the resubmission with governance.review_item_id gets the result once approved', async () => {
    const key = promptFor(TEXT)
    const sendRequest = (governance: object = {}) => client().chat.completions.create(body(`${key} juniper-hold`, { governance }))
    const review_item_id = String(envelope(await failure(sendRequest())).review_item_id)
    await governed.decide(review_item_id, 'approve')
    for (let i = 0; i < 2; i++) expect((await sendRequest({ review_item_id })).choices[0]?.message.content).toBe(TEXT)
    expect(governed.provider.callsWith(key)).toHaveLength(1)
  })
  test('a stream waits for the approval', async () => {
    const key = promptFor(TEXT)
    const review_item_id = String(
      envelope(await failure(client().chat.completions.create(body(`${key} juniper-hold`)))).review_item_id,
    )
    const governance = { review_item_id, wait_for_approval_seconds: 30 }
    const final = client()
      .chat.completions.stream(body(`${key} juniper-hold`, { governance }))
      .finalChatCompletion()
    await sleep(100)
    await governed.decide(review_item_id, 'approve')
    expect((await final).choices[0]?.message.content).toBe(TEXT)
  })
  test('a denial by the reviewer is PermissionDeniedError', async () => {
    const prompt = `juniper-hold ${word()}`
    const review_item_id = String(envelope(await failure(client().chat.completions.create(body(prompt)))).review_item_id)
    await governed.decide(review_item_id, 'deny')
    const denied = await failure(client().chat.completions.create(body(prompt, { governance: { review_item_id } })))
    expect(denied).toBeInstanceOf(OpenAI.PermissionDeniedError)
    expect(denied.code).toBe('POLICY_REVIEW_DENIED')
  })
})

describe('other options of the client', () => {
  test('a user token in a default header is verified', async () => {
    const userToken = governed.demo.users[0]?.user_token ?? ''
    const completion = await client('/v1', { defaultHeaders: { 'X-Gateway-User-Token': userToken } }).chat.completions.create(
      body('x'),
    )
    expect(completion).toMatchObject({ governance: { user_verified: true } })
  })
  test('abort: the stream ends, the audit record keeps status 200, and the server continues', async () => {
    const prompt = promptFor('some words that go on '.repeat(40_000))
    const stream = await client().chat.completions.create({ ...body(prompt), stream: true })
    let auditId = ''
    for await (const chunk of stream) {
      auditId ||= (chunk as unknown as { governance: { audit_id: string } }).governance.audit_id
      if (chunk.choices[0]?.delta.content) break
    }
    expect(stream.controller.signal.aborted).toBe(true)
    expect(await governed.record(auditId)).toMatchObject({ status: 200 })
    expect((await client().chat.completions.create(body(promptFor('fine')))).choices[0]?.message.content).toBe('fine')
  })
  test('withResponse: returns the headers', async () => {
    const { response, request_id } = await client().chat.completions.create(body('x')).withResponse()
    expect(request_id).toMatch(/^req_/)
    expect(response.headers.get('x-audit-id')).toMatch(/^aud_/)
    expect(response.headers.get('ratelimit')).toBeTruthy()
  })
})
