import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { Random } from '../support/classification/random.ts'
import { type GrowingResponse, growingPrompt } from '../support/growing-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

/** The official clients read streams whose text leaves before the provider's last byte. */
const RULE = { id: 'no-secrets', at: ['output'], when: 'content.findings.secret > 0', verdict: 'deny' }
const LONG = 'Good morning to all of you, and thank you for coming. '.repeat(40)
const SECRET = `ghp_${new Random(9).string(36)}`

const governed = await sharedGoverned()
await governed.publish([RULE])
const apiKey = (await governed.application({ settings: { release: 'windowed' } })).token

const openai = () => new OpenAI({ apiKey, baseURL: `${governed.base}/v1` })
const anthropic = () => new Anthropic({ apiKey, baseURL: governed.base })

/** The stream of a client: calls `onText` for each text, and returns the complete text. */
const CLIENTS = {
  chat: async (prompt: string, onText: () => void) => {
    const messages = [{ role: 'user' as const, content: prompt }]
    const stream = openai().chat.completions.stream({ model: 'scripted', messages })
    stream.on('content', onText)
    return (await stream.finalChatCompletion()).choices[0]?.message.content
  },
  responses: async (prompt: string, onText: () => void) => {
    const stream = openai().responses.stream({ model: 'scripted', input: prompt })
    stream.on('response.output_text.delta', onText)
    return (await stream.finalResponse()).output_text
  },
  messages: async (prompt: string, onText: () => void) => {
    const messages = [{ role: 'user' as const, content: prompt }]
    const stream = anthropic().messages.stream({ model: 'scripted', max_tokens: 900, messages })
    stream.on('text', onText)
    return stream.finalText()
  },
}
type Read = (typeof CLIENTS)['chat']

/** Starts a client's stream, and returns when it has its first text: the provider has not ended its response then. */
async function begin(read: Read): Promise<{ readonly upstream: GrowingResponse; readonly text: Promise<unknown> }> {
  const { prompt, asked } = growingPrompt(governed.provider)
  const first = Promise.withResolvers<void>()
  const text = read(prompt, () => first.resolve()).catch((error: unknown) => error)
  const upstream = await asked
  upstream.send(LONG)
  await first.promise
  return { upstream, text }
}

describe.each(Object.entries(CLIENTS))('official client: %s [GW-WIN-1]', (_, read) => {
  test('text: the client has the first text before the last, and then the whole', async () => {
    const { upstream, text } = await begin(read)
    upstream.send('The end.')
    upstream.end()
    expect(await text).toBe(`${LONG}The end.`)
  })

  test('denial in mid-stream: the client throws an error with our code [GW-WIN-4]', async () => {
    const { upstream, text } = await begin(read)
    upstream.send(`The key is ${SECRET} and `, LONG)
    await upstream.closed
    const error = await text
    expect(error).toBeInstanceOf(Error)
    expect(JSON.stringify(error) + String(error)).toContain('A policy of your organisation denies this request.')
    expect(JSON.stringify(error)).toContain('POLICY_DENIED')
  })
})
