import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { responsesClient } from '../support/responses-client.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { type Chunk, parseChunks } from '../support/stream-chunks.ts'

/** The stream helper of the OpenAI client from npm, against a real server. */
const tokens: Record<string, string> = {}
const governed = await sharedGoverned()
await governed.publish([{ id: 'redact', at: ['output'], when: 'content.findings.pii > 0', transforms: ['redact:pii'] }])
const sdk = await responsesClient(governed)
for (const release of ['validated', 'windowed']) {
  tokens[release] = (await governed.application({ settings: { extensions: ['tools'], release } })).token
}

const tokenOf = (token: string) => ({ token, logprob: -0.25, bytes: [...Buffer.from(token)], top_logprobs: [] })
/** About three characters each; the characters of a pair stay together. */
const tokensOf = (text: string) => (text.match(/.{1,3}/gsu) ?? []).map(tokenOf)

const TEXT = 'The quick brown fox jumps over the lazy dog: naïve 狐狸 🦊. '.repeat(20)
const REFUSAL = 'I would rather not help with that request.'

type Params = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>
const body = (prompt: string, more: object = {}): Params => ({
  model: 'scripted',
  messages: [{ role: 'user', content: prompt }],
  logprobs: true,
  ...more,
})

/** The final completion of the helper, with the log probabilities in its events. */
async function readStream(prompt: string, apiKey = sdk.token, more: object = {}) {
  const stream = sdk.client({ apiKey, maxRetries: 0 }).chat.completions.stream(body(prompt, more))
  const deltas: unknown[] = []
  const done: unknown[] = []
  stream.on('logprobs.content.delta', ({ content }) => deltas.push(...content))
  stream.on('logprobs.refusal.delta', ({ refusal }) => deltas.push(...refusal))
  stream.on('logprobs.content.done', ({ content }) => done.push(...content))
  stream.on('logprobs.refusal.done', ({ refusal }) => done.push(...refusal))
  const { choices } = await stream.finalChatCompletion()
  return { choices, deltas, done }
}

async function readChunks(prompt: string, token = sdk.token): Promise<Chunk[]> {
  const { status, text } = await governed.post('/v1/chat/completions', { ...body(prompt), stream: true }, { token })
  expect(status).toBe(200)
  return parseChunks(text)
}

const answer = (content: string) => ({
  message: { role: 'assistant', content },
  logprobs: { content: tokensOf(content), refusal: null },
})
const refusal = (content: unknown) => ({
  message: { role: 'assistant', content, refusal: REFUSAL },
  logprobs: { content: null, refusal: tokensOf(REFUSAL) },
})

describe.each(['validated', 'windowed'])('release: %s', (release) => {
  test('logprobs: the helper has each token once, in its events and in the final completion [GW-COMP-6]', async () => {
    const { choices, deltas, done } = await readStream(sdk.promptFor(answer(TEXT)), tokens[release])
    expect(choices[0]?.message.content).toBe(TEXT)
    const expected = tokensOf(TEXT)
    expect(choices[0]?.logprobs).toEqual({ content: expected, refusal: null })
    expect({ deltas, done }).toEqual({ deltas: expected, done: expected })
  })

  test('logprobs: null when a policy has changed the text [GW-COMP-6]', async () => {
    const prompt = sdk.promptFor(answer(`${TEXT}Write to jane.doe@mail.example.org today.`))
    const { choices, deltas } = await readStream(prompt, tokens[release])
    expect(choices[0]?.message.content).toBe(`${TEXT}Write to [EMAIL] today.`)
    expect({ logprobs: choices[0]?.logprobs, deltas }).toEqual({ logprobs: null, deltas: [] })
    const client = sdk.client({ apiKey: tokens[release] })
    expect((await client.chat.completions.create(body(prompt))).choices[0]?.logprobs).toBeNull()
  })
})

test('logprobs: the helper has those of each choice', async () => {
  const texts = ['One answer.', 'Another answer.']
  const choices = texts.map((text, index) => ({ index, finish_reason: 'stop', ...answer(text) }))
  const read = await readStream(sdk.promptFor({}, { choices }), sdk.token, { n: 2 })
  expect(read.choices.map(({ logprobs }) => logprobs?.content)).toEqual(texts.map(tokensOf))
})

test('logprobs: stand in one chunk, with the first content, because some clients count those of a first chunk twice [GW-COMP-6]', async () => {
  const chunks = await readChunks(sdk.promptFor(answer(TEXT)))
  const holders = chunks.flatMap(({ choices: [choice] }, index) => (choice && 'logprobs' in choice ? [index] : []))
  expect(holders).toEqual([1])
  expect(chunks[1]?.choices[0]?.delta.content).not.toBe('')
})

test('logprobs: stand in a chunk without a delta when the message has no content', async () => {
  const chunks = await readChunks(sdk.promptFor(refusal(null)))
  const holders = chunks.filter(({ choices: [choice] }) => choice && 'logprobs' in choice)
  expect(holders.map(({ choices: [choice] }) => choice?.delta)).toEqual([{}])
})

describe('refusal', () => {
  test.each([null, ''])('refusal: content is null when the provider sends %j, streamed or not [GW-COMP-5]', async (content) => {
    for (const apiKey of [sdk.token, (await governed.application()).token]) {
      const prompt = sdk.promptFor(refusal(content))
      const message = { role: 'assistant', content: null, refusal: REFUSAL }
      const logprobs = { content: null, refusal: tokensOf(REFUSAL) }
      const { choices } = await sdk.client({ apiKey }).chat.completions.create(body(prompt))
      expect(choices[0]).toMatchObject({ message, logprobs })
      const streamed = await readStream(prompt, apiKey)
      expect(streamed.choices[0]).toMatchObject({ message, logprobs })
      expect(streamed.deltas).toEqual(tokensOf(REFUSAL))
    }
  })

  test('refusal: the first chunk has no content [GW-SSE-2]', async () => {
    const [first] = await readChunks(sdk.promptFor(refusal(null)))
    expect(first?.choices[0]?.delta).toEqual({ role: 'assistant', content: null })
  })
})

test('tool call: content is null in the final completion', async () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  const { choices } = await readStream(sdk.promptFor({ message, finish_reason: 'tool_calls' }))
  expect(choices[0]?.message).toMatchObject({ content: null, tool_calls: [call] })
})
