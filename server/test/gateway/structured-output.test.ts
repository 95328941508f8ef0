import { describe, expect, test } from 'vitest'
import { ReadStream } from '../support/growing-provider.ts'
import { says, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { CLIENT_APIS, type ClientApi, openStream } from '../support/streamed-requests.ts'

// Streamed answers with a strict schema. The gateway governs their text and does not compare it with the schema, which the provider guarantees (decision 0024).

const properties = { city: { type: 'string' } }
const SCHEMA = { type: 'object', properties, required: ['city'], additionalProperties: false }
const FORMAT = { type: 'json_schema', schema: SCHEMA }
const FORMATS: Readonly<Record<ClientApi, object>> = {
  chat: { response_format: { type: 'json_schema', json_schema: { name: 'city', strict: true, schema: SCHEMA } } },
  responses: { text: { format: { ...FORMAT, name: 'city', strict: true } } },
  messages: { output_config: { format: FORMAT } },
}

const governed = await sharedGoverned()
const token = (await governed.application({ default_model: 'scripted' })).token

/** The response to a streamed request whose completion is `text`. */
async function ask(api: ClientApi, text: string) {
  const key = word()
  governed.provider.on(key, says(text))
  const read = new ReadStream(await openStream(governed.base, { api, prompt: key, token, fields: FORMATS[api] }))
  await read.rest()
  return { read, sent: governed.provider.callsWith(key).at(-1)?.body }
}

describe.each(CLIENT_APIS)('strict schema in a stream: %s', (api) => {
  test('completion: reaches the client byte for byte when it fits', async () => {
    const text = JSON.stringify({ city: `${word()} am Main` })
    const { read, sent } = await ask(api, text)
    expect(read.response.status, read.text).toBe(200)
    expect(read.content).toBe(text)
    expect(sent?.response_format).toMatchObject({ type: 'json_schema', json_schema: { strict: true, schema: SCHEMA } })
  })

  test.each([
    ['another field', JSON.stringify({ town: 'Bern' })],
    ['JSON that is cut off', '{"city": "Be'],
    ['no JSON', 'I cannot say.'],
  ])('completion: reaches the client as the model wrote it when it is %s', async (_, text) => {
    const { read } = await ask(api, text)
    expect(read.response.status, read.text).toBe(200)
    expect(read.content).toBe(text)
  })

  test('completion: no event is sent when an output rule denies it', async () => {
    const city = `cedar ${word()}`
    await governed.publish([{ id: 'no-city', at: ['output'], when: `content.text.contains("${city}")`, verdict: 'deny' }])
    const { read } = await ask(api, JSON.stringify({ city }))
    expect(read.response.status).toBe(403)
    expect(JSON.parse(read.text).error).toMatchObject({ code: 'POLICY_DENIED' })
    expect(read.text).not.toContain(city)
  })
})
