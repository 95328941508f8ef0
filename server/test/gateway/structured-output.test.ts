import { describe, expect, test } from 'vitest'
import { says, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

// Streamed answers with a strict schema. The gateway governs their text and does not compare it with the schema, which the provider guarantees (decision 0024).

const properties = { city: { type: 'string' } }
const SCHEMA = { type: 'object', properties, required: ['city'], additionalProperties: false }
const FORMAT = { type: 'json_schema', schema: SCHEMA }
const user = (content: string) => [{ role: 'user', content }]
const APIS = {
  chat: {
    path: '/v1/chat/completions',
    body: (prompt: string) => ({
      messages: user(prompt),
      response_format: { type: 'json_schema', json_schema: { name: 'city', strict: true, schema: SCHEMA } },
    }),
    delta: ({ choices }: Event) => choices?.[0]?.delta?.content,
  },
  responses: {
    path: '/v1/responses',
    body: (input: string) => ({ input, text: { format: { ...FORMAT, name: 'city', strict: true } } }),
    delta: ({ type, delta }: Event) => (type === 'response.output_text.delta' ? delta : undefined),
  },
  messages: {
    path: '/v1/messages',
    body: (prompt: string) => ({ max_tokens: 99, messages: user(prompt), output_config: { format: FORMAT } }),
    delta: ({ delta }: Event) => (delta as { text?: string } | undefined)?.text,
  },
} as const
type Api = keyof typeof APIS

interface Event {
  readonly type?: string
  readonly delta?: unknown
  readonly choices?: readonly { readonly delta?: { readonly content?: string } }[]
}

const governed = await sharedGoverned()
const token = (await governed.application({ default_model: 'scripted' })).token

/** The response to a streamed request whose completion is `text`. */
async function ask(api: Api, text: string) {
  const key = word()
  governed.provider.on(key, says(text))
  const { path, body } = APIS[api]
  const json = { model: 'scripted', stream: true, ...body(key) }
  const response = await governed.api('POST', path, { token, json, headers: { 'anthropic-version': '2023-06-01' } })
  return { response, sent: governed.provider.callsWith(key).at(-1)?.body }
}

const textIn = (api: Api, stream: string): string =>
  Array.from(stream.matchAll(/^data: (\{.*)$/gm), ([, data = '']) => APIS[api].delta(JSON.parse(data) as Event) ?? '').join('')

describe.each(Object.keys(APIS) as Api[])('strict schema in a stream: %s', (api) => {
  test('completion: reaches the client byte for byte when it fits', async () => {
    const text = JSON.stringify({ city: `${word()} am Main` })
    const { response, sent } = await ask(api, text)
    expect(response.status, response.text).toBe(200)
    expect(textIn(api, response.text)).toBe(text)
    expect(sent?.response_format).toMatchObject({ type: 'json_schema', json_schema: { strict: true, schema: SCHEMA } })
  })

  test.each([
    ['another field', JSON.stringify({ town: 'Bern' })],
    ['JSON that is cut off', '{"city": "Be'],
    ['no JSON', 'I cannot say.'],
  ])('completion: reaches the client as the model wrote it when it is %s', async (_, text) => {
    const { response } = await ask(api, text)
    expect(response.status, response.text).toBe(200)
    expect(textIn(api, response.text)).toBe(text)
  })

  test('completion: no event is sent when an output rule denies it', async () => {
    const city = `cedar ${word()}`
    await governed.publish([{ id: 'no-city', at: ['output'], when: `content.text.contains("${city}")`, verdict: 'deny' }])
    const { response } = await ask(api, JSON.stringify({ city }))
    expect(response.status).toBe(403)
    expect(response.body.error).toMatchObject({ code: 'POLICY_DENIED' })
    expect(response.text).not.toContain(city)
  })
})
