import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess } from '../support/gateway-client.ts'
import { startScriptedTokens } from '../support/scripted-google.ts'
import { completion, json, says, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const SIGNATURE = Buffer.alloc(300, 'a thought of the model ').toString('base64')
const STATE = { google: { thought_signature: SIGNATURE } }
const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' }, extra_content: STATE }
const PARAMETERS = { type: 'object', properties: {} }

const tokens = await closeAfterAll(startScriptedTokens({ now: () => Date.now() }))
const governed = await closeAfterAll(sharedGoverned())
const token = (await governed.application({ settings: { extensions: ['tools', 'content_parts', 'developer_role'] } })).token

const addProvider = (fields: object) => governed.addProvider(fields, { upstream_name: 'google/gemini-scripted' })
const addGemini = () => addProvider({ kind: 'gemini', base_url: governed.provider.url, api_key: 'gemini-key' })
const addVertex = (api_key = tokens.keyFile()) =>
  addProvider({ kind: 'vertex', base_url: governed.provider.url.replace('/v1', ''), region: 'europe-west1', api_key })

/** Makes the provider call the tool for a prompt with the first word, and speak for one with the second. */
function script(): { first: string; second: string } {
  const [first, second] = [word(), word()]
  const message = { role: 'assistant', content: null, tool_calls: [CALL] }
  const choices = [{ index: 0, message, finish_reason: 'tool_calls' }]
  governed.provider.on(second, says('Rain.'))
  governed.provider.on(first, (response) => json(response, 200, completion('', { choices })))
  return { first, second }
}
/** The call in the history that the provider got in the second turn. */
function returnedCall(second: string): unknown {
  const messages = governed.provider.callsWith(second).at(-1)?.body.messages as { tool_calls?: unknown[] }[] | undefined
  return messages?.find(({ tool_calls }) => tool_calls)?.tool_calls?.[0]
}

describe('gemini', () => {
  test('gemini: key is a bearer token, and Google is the default address', async () => {
    const { model } = await addGemini()
    const key = word()
    expectSuccess(await governed.chat(key, { model }, { token }))
    expect(governed.provider.callsWith(key)[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer gemini-key' },
      body: { model: 'google/gemini-scripted' },
    })
    const created = await governed.admin('POST', '/providers', { json: { id: word(), kind: 'gemini' } })
    expect(expectSuccess(created, 201).base_url).toBe('https://generativelanguage.googleapis.com/v1beta/openai')
  })

  test('gemini: thought signature comes back byte for byte in chat completions [GW-PROV-16]', async () => {
    const { model } = await addGemini()
    const { first, second } = script()
    const tools = [{ type: 'function', function: { name: 'weather', parameters: PARAMETERS } }]
    const question = { role: 'user', content: `Weather? ${first}` }
    const { choices } = expectSuccess(await governed.chat([question], { model, tools }, { token }))
    const result = { role: 'tool', tool_call_id: 'call_1', content: second }
    const turns = [{ role: 'user', content: 'Weather?' }, { ...choices[0]?.message, role: 'assistant' }, result]
    expectSuccess(await governed.chat(turns, { model, tools }, { token }))
    expect(returnedCall(second)).toEqual(CALL)
  })

  test('gemini: thought signature comes back byte for byte in Responses [GW-PROV-16]', async () => {
    const { model } = await addGemini()
    const { first, second } = script()
    const tools = [{ type: 'function', name: 'weather', parameters: PARAMETERS, strict: false }]
    const send = (input: unknown) => governed.api('POST', '/v1/responses', { token, json: { model, store: false, tools, input } })
    const { output } = expectSuccess(await send(`Weather? ${first}`)) as unknown as { output: object[] }
    expectSuccess(await send([...output, { type: 'function_call_output', call_id: 'call_1', output: second }]))
    expect(returnedCall(second)).toEqual(CALL)
  })

  test.each([false, true])(
    'gemini: thought signature comes back byte for byte in Messages, stream %s [GW-PROV-16, GW-ANT-10]',
    async (stream) => {
      const { model } = await addGemini()
      const { first, second } = script()
      const tools = [{ name: 'weather', input_schema: PARAMETERS }]
      const headers = { 'anthropic-version': '2023-06-01' }
      const send = (messages: unknown, more: object = {}) =>
        governed.api('POST', '/v1/messages', { token, headers, json: { model, max_tokens: 99, tools, messages, ...more } })
      const question = { role: 'user', content: `Weather? ${first}` }
      const response = await send([question], { stream })
      const blocks = stream ? blocksOf(response.text) : (response.body.content as object[])
      const result = { type: 'tool_result', tool_use_id: 'call_1', content: second }
      const user = (content: unknown) => ({ role: 'user', content })
      expectSuccess(await send([user('Weather?'), { role: 'assistant', content: blocks }, user([result])]))
      expect(returnedCall(second)).toEqual(CALL)
    },
  )
})

/** The blocks of a stream, as the SDKs of Anthropic collect them. */
function blocksOf(text: string): object[] {
  const blocks: { [field: string]: unknown }[] = []
  let input = ''
  for (const line of text.split('\n').filter((part) => part.startsWith('data: '))) {
    const event = JSON.parse(line.slice('data: '.length))
    if (event.type === 'content_block_start') blocks.push(event.content_block)
    if (event.type === 'content_block_delta') input += event.delta.partial_json ?? ''
  }
  return blocks.map((block) => (block.type === 'tool_use' ? { ...block, input: JSON.parse(input) } : block))
}

describe('vertex', () => {
  test('vertex: request has a token of the service account, its project and the region [GW-PROV-15]', async () => {
    const { id, model } = await addVertex()
    const [first, second] = [word(), word()]
    expectSuccess(await governed.chat(first, { model }, { token }))
    expectSuccess(await governed.chat(second, { model }, { token }))
    const path = '/v1/projects/acme-project/locations/europe-west1/endpoints/openapi/chat/completions'
    const headers = { authorization: `Bearer ${tokens.issued.at(-1)}` }
    for (const key of [first, second]) expect(governed.provider.callsWith(key)[0]).toMatchObject({ path, headers })
    expect(expectSuccess(await governed.admin('POST', `/providers/${id}/discover`, { json: {} }))).toMatchObject({
      has_list: false,
    })
    expect(governed.provider.calls.map(({ raw }) => raw).join()).not.toContain('PRIVATE KEY')
  })

  test('vertex: a service account that Google refuses is a rejected key, which the connection test names', async () => {
    const { id, model } = await addVertex(tokens.keyFile({ client_email: 'other@acme.example.com' }))
    expectError(await governed.chat(word(), { model }, { token }), 'PROVIDER_ERROR')
    const error = expectError(await governed.admin('POST', `/providers/${id}/discover`, { json: {} }), 'PROVIDER_ERROR')
    expect(error.details.cause).toBe('token_rejected')
    expect(JSON.stringify(error)).not.toContain('private:')
    expect(governed.server.logs()).not.toContain('BEGIN PRIVATE KEY')
  })

  test('vertex: 400 when the token endpoint of the key file has a metadata address', async () => {
    const api_key = tokens.keyFile({ token_uri: 'http://169.254.169.254/token' })
    const json = { id: word(), kind: 'vertex', region: 'europe-west1', api_key }
    const response = await governed.admin('POST', '/providers', { json })
    expect(expectError(response, 'VALIDATION_ERROR').message).toContain('token_uri')
  })
})
