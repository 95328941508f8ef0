import Anthropic from '@anthropic-ai/sdk'
import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { json, word } from '../support/scripted-provider.ts'
import { startThreeUpstreams } from '../support/three-upstreams.ts'

/** Refusals of a provider of the Messages API, read by a client of the same API. */
const upstreams = await closeAfterAll(startThreeUpstreams())
const { governed, anthropic } = upstreams
const client = new Anthropic({ apiKey: governed.key(), baseURL: governed.base, maxRetries: 0 })

/** A prompt that the provider refuses with this explanation. */
const promptRefusedWith = (explanation: string): string => {
  const key = word()
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [], stop_sequence: null }
  const stop = { stop_reason: 'refusal', stop_details: { type: 'refusal', category: 'cyber', explanation } }
  anthropic.on(key, (response) => json(response, 200, { ...message, ...stop, usage: { input_tokens: 11, output_tokens: 7 } }))
  return key
}
const body = (content: string): Anthropic.MessageCreateParamsNonStreaming => ({
  model: 'claude',
  max_tokens: 99,
  messages: [{ role: 'user', content }],
})

test('refusal: stop details reach the client, and policies read and redact their explanation [GW-ANT-5]', async () => {
  const plain = await client.messages.create(body(promptRefusedWith('It is forbidden.')))
  expect(plain).toMatchObject({
    content: [],
    stop_reason: 'refusal',
    stop_details: { category: 'cyber', explanation: 'It is forbidden.' },
  })
  const redacted = await client.messages.create(body(promptRefusedWith('sorrel-redact: ask ann.smith@example.com instead.')))
  expect(redacted).toMatchObject({ content: [], stop_details: { explanation: 'sorrel-redact: ask [EMAIL] instead.' } })
  expect(JSON.stringify(redacted)).not.toContain('ann.smith')
  const denied = client.messages.create(body(promptRefusedWith('sorrel-deny')))
  await expect(denied).rejects.toBeInstanceOf(Anthropic.PermissionDeniedError)
})
