import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { anthropicMessage } from '../support/scripted-anthropic.ts'
import { completion, json, word } from '../support/scripted-provider.ts'
import { messageItem, responseObject } from '../support/scripted-responses.ts'
import { startThreeUpstreams, type UpstreamModel } from '../support/three-upstreams.ts'

/** Refusals of providers, read by clients of chat completions and of the Messages API. */
const tokens: Record<string, string> = {}
const upstreams = await closeAfterAll(startThreeUpstreams())
for (const extensions of [[], ['tools']]) {
  tokens[extensions.join()] = (await upstreams.governed.application({ settings: { extensions } })).token
}

const explained = { stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'cyber', explanation: 'No.' } }
const refused = { ...messageItem(''), content: [{ type: 'refusal', refusal: 'No.' }] }
const chosen = (message: object) =>
  completion('', { choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }] })

const REFUSALS: readonly (readonly [name: string, UpstreamModel, response: object, refusal: string | null])[] = [
  ['a refusal without content', 'scripted', chosen({ content: null, refusal: 'No.' }), 'No.'],
  ['a refusal with an empty content', 'scripted', chosen({ content: '', refusal: 'No.' }), 'No.'],
  ['stop_reason refusal with an explanation', 'claude', anthropicMessage([], explained), 'No.'],
  ['stop_reason refusal without an explanation', 'claude', anthropicMessage([], { stop_reason: 'refusal' }), null],
  ['a refusal part', 'gpt', responseObject([refused]), 'No.'],
]

describe.each(['', 'tools'])('extensions: [%s]', (extensions) => {
  test.each(REFUSALS)('refusal: content is null when the provider sends %s [GW-COMP-5]', async (_, model, response, refusal) => {
    const client = new OpenAI({ apiKey: tokens[extensions], baseURL: `${upstreams.governed.base}/v1`, maxRetries: 0 })
    const prompt = word()
    upstreams.on(model, prompt, (sent) => json(sent, 200, response))
    const body = { model, messages: [{ role: 'user' as const, content: prompt }] }
    const whole = await client.chat.completions.create(body)
    expect(whole.choices[0]?.message).toMatchObject({ content: null, ...(refusal !== null && { refusal }) })
    const streamed = await client.chat.completions.stream(body).finalChatCompletion()
    expect(streamed.choices[0]?.message).toMatchObject({ content: null, refusal })
  })
})

const { governed, anthropic } = upstreams
const client = new Anthropic({ apiKey: governed.key(), baseURL: governed.base, maxRetries: 0 })

/** A prompt that the provider refuses with this explanation. */
const promptRefusedWith = (explanation: string): string => {
  const key = word()
  const stop_details = { type: 'refusal', category: 'cyber', explanation }
  anthropic.on(key, (response) => json(response, 200, anthropicMessage([], { stop_reason: 'refusal', stop_details })))
  return key
}
const body = (content: string): Anthropic.MessageCreateParamsNonStreaming => ({
  model: 'claude',
  max_tokens: 99,
  messages: [{ role: 'user', content }],
})

test('refusal: stop details reach the client, and policies read and redact their explanation [GW-ANT-5]', async () => {
  const plain = await client.messages.create(body(promptRefusedWith('It is forbidden.')))
  const stop_details = { category: 'cyber', explanation: 'It is forbidden.' }
  expect(plain).toMatchObject({ content: [], stop_reason: 'refusal', stop_details })
  const redacted = await client.messages.create(body(promptRefusedWith('sorrel-redact: ask ann.smith@example.com instead.')))
  expect(redacted).toMatchObject({ content: [], stop_details: { explanation: 'sorrel-redact: ask [EMAIL] instead.' } })
  expect(JSON.stringify(redacted)).not.toContain('ann.smith')
  const denied = client.messages.create(body(promptRefusedWith('sorrel-deny')))
  await expect(denied).rejects.toBeInstanceOf(Anthropic.PermissionDeniedError)
})
