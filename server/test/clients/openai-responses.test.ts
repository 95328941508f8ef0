import OpenAI from 'openai'
import { zodTextFormat } from 'openai/helpers/zod'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { closeAfterAll } from '../support/close-after-all.ts'
import { body, type Input, responsesClient } from '../support/responses-client.ts'
import { sharedGoverned } from '../support/shared-server.ts'

/** The responses API of the OpenAI client from npm, against a real server. */
const governed = await closeAfterAll(sharedGoverned())
const sdk = await responsesClient(governed)

const TEXT = 'The quick brown fox jumps over the lazy dog: naïve 狐狸 🦊.'

describe('create', () => {
  test.each(['/v1', ''])('text input: returns the text with base URL {base}%s [GW-RESP-1, GW-RESP-10]', async (path) => {
    const key = sdk.promptForText(TEXT)
    const response = await sdk.client({ baseURL: governed.base + path }).responses.create(body(key))
    expect(response.output_text).toBe(TEXT)
    expect(response).toMatchObject({ object: 'response', status: 'completed', error: null, incomplete_details: null })
    expect(response.id).toMatch(/^resp_/)
    expect(response._request_id).toMatch(/^req_/)
    expect(response).toMatchObject({ governance: { audit_id: expect.stringMatching(/^aud_/), decision: { verdict: 'allow' } } })
    expect(sdk.sentFor(key)?.messages).toEqual([{ role: 'user', content: key }])
  })
  test('an Application without extensions: accepts instructions and lists with one text [GW-RESP-2, GW-RESP-3]', async () => {
    const { token } = await governed.application()
    const key = sdk.promptForText('fine')
    const input: Input = [
      { role: 'user', content: [{ type: 'input_text', text: 'hello' }] },
      {
        type: 'message',
        id: 'msg_1',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'hi', annotations: [] }],
      },
      { role: 'user', content: key },
    ]
    const response = await sdk.client({ apiKey: token }).responses.create(body(input, { instructions: 'Be brief.', tools: [] }))
    expect(response.output_text).toBe('fine')
    expect(response.instructions).toBe('Be brief.')
    expect(sdk.sentFor(key)?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'hi' },
      { role: 'user', content: key },
    ])
  })
  test('settings: reach the provider under the names of the chat API, and the response repeats them [GW-RESP-5, GW-RESP-11]', async () => {
    const key = sdk.promptForText('fine')
    const settings = {
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 77,
      metadata: { team: 'desk' },
      reasoning: { effort: 'low' },
      safety_identifier: 'user-7f3a',
      prompt_cache_key: 'support-desk',
      service_tier: 'flex',
    }
    const response = await sdk.client().responses.create(body(key, { ...settings, text: { verbosity: 'low' }, store: false }))
    expect(response).toMatchObject({
      ...settings,
      reasoning: { effort: 'low', summary: null },
      text: { format: { type: 'text' }, verbosity: 'low' },
      tools: [],
      tool_choice: 'auto',
      truncation: 'disabled',
      store: false,
      previous_response_id: null,
    })
    const { max_output_tokens, reasoning, ...same } = settings
    expect(sdk.sentFor(key)).toMatchObject({ ...same, max_completion_tokens: 77, reasoning_effort: 'low', verbosity: 'low' })
    for (const name of ['input', 'text', 'store', 'max_output_tokens']) expect(sdk.sentFor(key)).not.toHaveProperty(name)
  })
  test('usage: has the details, and other fields of the provider [GW-RESP-12]', async () => {
    const usage = {
      prompt_tokens: 11,
      completion_tokens: 7,
      total_tokens: 18,
      prompt_tokens_details: { cached_tokens: 5 },
      completion_tokens_details: { reasoning_tokens: 3 },
    }
    const key = sdk.promptFor({ message: { role: 'assistant', content: 'fine' } }, { usage: { ...usage, cost: 2 } })
    const response = await sdk.client().responses.create(body(key))
    expect(response.usage).toEqual({
      cost: 2,
      input_tokens: 11,
      input_tokens_details: { cached_tokens: 5, cache_write_tokens: 0 },
      output_tokens: 7,
      output_tokens_details: { reasoning_tokens: 3 },
      total_tokens: 18,
    })
  })
  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ])('finish reason %s: the response is incomplete [GW-RESP-10]', async (finish_reason, reason) => {
    const key = sdk.promptFor({ message: { role: 'assistant', content: 'cut' }, finish_reason })
    const response = await sdk.client().responses.create(body(key))
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason }, completed_at: null })
    expect(response.output[0]).toMatchObject({ type: 'message', status: 'incomplete' })
    const final = await sdk.client().responses.stream(body(key)).finalResponse()
    expect(final).toMatchObject({ status: 'incomplete', incomplete_details: { reason } })
  })
  test('refusal: is a part of the message, also in a stream [GW-RESP-10]', async () => {
    const key = sdk.promptFor({ message: { role: 'assistant', content: null, refusal: 'I cannot help with that request.' } })
    const content = [{ type: 'refusal', refusal: 'I cannot help with that request.' }]
    expect((await sdk.client().responses.create(body(key))).output).toMatchObject([{ type: 'message', content }])
    const stream = sdk.client().responses.stream(body(key))
    const deltas: string[] = []
    stream.on('response.refusal.delta', ({ delta }) => deltas.push(delta))
    expect((await stream.finalResponse()).output).toMatchObject([{ type: 'message', content }])
    expect(deltas.join('')).toBe('I cannot help with that request.')
  })
  test('parse: the text is parsed by its schema [GW-RESP-5]', async () => {
    const Event = z.object({ name: z.string(), people: z.array(z.string()) })
    const key = sdk.promptForText('{"name":"fair","people":["Ann","Bob"]}')
    const response = await sdk.client().responses.parse(body(key, { text: { format: zodTextFormat(Event, 'event') } }))
    expect(response.output_parsed).toEqual({ name: 'fair', people: ['Ann', 'Bob'] })
    expect(sdk.sentFor(key)).toMatchObject({
      response_format: { type: 'json_schema', json_schema: { name: 'event', strict: true, schema: { type: 'object' } } },
    })
  })
  test('logprobs and citations: are in the text part; other fields of the provider are in provider_fields [GW-RESP-13]', async () => {
    const logprobs = { content: [{ token: 'a', logprob: -0.1, bytes: [97], top_logprobs: [] }] }
    const url_citation = { url: 'https://example.org/a', title: 'A', start_index: 0, end_index: 1 }
    const message = { role: 'assistant', content: 'a', annotations: [{ type: 'url_citation', url_citation }], own_note: 'n1' }
    const key = sdk.promptFor({ message, logprobs, native_finish_reason: 'STOP' }, { system_fingerprint: 'fp_1' })
    const include = ['message.output_text.logprobs']
    const response = await sdk.client().responses.create(body(key, { include, top_logprobs: 2 }))
    expect(response.output[0]).toMatchObject({
      content: [{ text: 'a', logprobs: logprobs.content, annotations: [{ type: 'url_citation', ...url_citation }] }],
    })
    expect(response).toMatchObject({
      provider_fields: {
        response: { system_fingerprint: 'fp_1' },
        choice: { native_finish_reason: 'STOP' },
        message: { own_note: 'n1' },
      },
    })
    expect(sdk.sentFor(key)).toMatchObject({ logprobs: true, top_logprobs: 2 })
    // The history accepts what the response had.
    const next = sdk.promptForText('fine')
    await sdk.client().responses.create(body([...response.output, { role: 'user', content: next }] as Input))
    expect(sdk.sentFor(next)?.messages[0]).toEqual({ role: 'assistant', content: 'a', annotations: message.annotations })
  })
})

describe('reasoning', () => {
  const data = Buffer.from('a state that only its provider can decode, and no other').toString('base64')
  test('details: are items with their encrypted content, and come back in the next turn [GW-RESP-7, GW-RESP-8]', async () => {
    const reasoning_details = [
      { type: 'reasoning.summary', summary: 'I compare both.', id: 'rs_a' },
      { type: 'reasoning.encrypted', data, id: 'rs_b' },
    ]
    const key = sdk.promptFor({
      message: { role: 'assistant', content: 'Both.', reasoning: 'I compare both.', reasoning_details },
    })
    const include = ['reasoning.encrypted_content']
    const { output } = await sdk.client().responses.create(body(key, { include }))
    expect(output).toMatchObject([
      { type: 'reasoning', id: 'rs_a', summary: [{ type: 'summary_text', text: 'I compare both.' }] },
      { type: 'reasoning', id: 'rs_b', encrypted_content: data },
      { type: 'message', content: [{ text: 'Both.' }] },
    ])
    const next = sdk.promptForText('fine')
    await sdk.client().responses.create(body([...output, { role: 'user', content: next }] as Input, { include }))
    expect(sdk.sentFor(next)?.messages[0]).toEqual({ role: 'assistant', content: 'Both.', reasoning_details })
  })
  test('text: is reasoning_text, also in a stream [GW-RESP-8, GW-RESP-15]', async () => {
    const key = sdk.promptFor({
      message: { role: 'assistant', content: 'Both.', reasoning_content: 'I weigh one against the other.' },
    })
    const content = [{ type: 'reasoning_text', text: 'I weigh one against the other.' }]
    const stream = sdk.client().responses.stream(body(key))
    const deltas: string[] = []
    stream.on('response.reasoning_text.delta', ({ delta }) => deltas.push(delta))
    const { output } = await stream.finalResponse()
    expect(output[0]).toMatchObject({ type: 'reasoning', summary: [], content })
    expect(deltas.join('')).toBe('I weigh one against the other.')
  })
  test('history: detectors read the text of reasoning items [GW-RESP-7]', async () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'juniper-deny' }] }
    const input = [item, { role: 'assistant', content: 'a' }, { role: 'user', content: 'b' }] as Input
    await expect(sdk.client().responses.create(body(input))).rejects.toBeInstanceOf(OpenAI.PermissionDeniedError)
  })
})
