import { describe, expect, test } from 'vitest'
import { CHAT } from '../support/gateway-client.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

/** Detectors read numbers as the client wrote them. */
const governed = await sharedGoverned()
await governed.publish([{ id: 'cards', at: ['input'], when: 'content.findings.pii > 0', verdict: 'deny' }])
const settings = { extensions: ['tools', 'content_parts'], unknown_fields: 'carry' }
const token = (await governed.application({ settings })).token

const post = async (path: string, raw: string) => {
  const headers = { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' }
  const { status } = await governed.api('POST', path, { token, headers, raw })
  return status
}
const chat = (fields: string, key = word()) =>
  post(CHAT, `{"model":"scripted","messages":[{"role":"user","content":"${key}"}],${fields}}`)

/** The number of a card, as JSON can write it. */
const WRITTEN = [
  '4111111111111111',
  '-4111111111111111',
  '4111111111111111.0',
  '4111111111111111.25',
  '4.111111111111111e15',
  '4.111111111111111E+0015',
  '411111111111111100e-2',
  '4111111111111111e-30',
  '0e4111111111111111',
  '[4111,1111.0,1.111e3,1111.00000000000000]',
]

describe.each(WRITTEN)('number: %s', (written) => {
  test.each([
    `"thinking":{"type":"enabled","budget_tokens":${written}}`,
    `"metadata":{"value":${written}}`,
    `"extra_body":{"ids":[${written}]}`,
    `"chat_template_kwargs":{"n":{"m":${written}}}`,
    `"tools":[{"type":"function","function":{"name":"pay","parameters":{"const":${written}}}}]`,
    `"top_k":${written}`,
  ])('chat: 403 when a rule denies a card number in %s [GW-CHAT-8]', async (fields) => expect(await chat(fields)).toBe(403))

  test('arguments of a call: 403 in all three APIs', async () => {
    if (written.startsWith('[')) return
    const input = `{"card":${written}}`
    const called = `{"id":"c","type":"function","function":{"name":"pay","arguments":${JSON.stringify(input)}}}`
    const history = `{"role":"assistant","content":null,"tool_calls":[${called}]},{"role":"tool","tool_call_id":"c","content":"x"}`
    expect(await post(CHAT, `{"model":"scripted","messages":[{"role":"user","content":"x"},${history}]}`)).toBe(403)
    const use = `{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"pay","input":${input}}]}`
    const result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"x"}]}`
    const messages = `[{"role":"user","content":"x"},${use},${result}]`
    expect(await post('/v1/messages', `{"model":"scripted","max_tokens":9,"messages":${messages}}`)).toBe(403)
    const items = `{"type":"function_call","call_id":"c","name":"pay","arguments":${JSON.stringify(input)}},{"type":"function_call_output","call_id":"c","output":"x"}`
    expect(
      await post('/v1/responses', `{"model":"scripted","store":false,"input":[{"role":"user","content":"x"},${items}]}`),
    ).toBe(403)
  })

  test('objects: a number in the place of one is read or 400', async () => {
    if (written.startsWith('[')) return
    const parts = `"messages":[{"role":"user","content":[{"type":"text","text":"x","y":${written}}]}]`
    expect(await post(CHAT, `{"model":"scripted",${parts}}`)).toBe(403)
    expect(await chat(`"prediction":${written}`)).toBe(403)
    for (const fields of [`"reasoning":${written}`, `"text":${written}`, `"max_tool_calls":${written}`]) {
      expect(await post('/v1/responses', `{"model":"scripted","store":false,"input":"x",${fields}}`)).toBe(400)
    }
    for (const fields of [`"metadata":${written}`, `"output_config":${written}`]) {
      const body = `"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"x"}]`
      expect(await post('/v1/messages', `{${body},${fields}}`)).toBe(400)
    }
  })

  test('Messages: a budget of thinking is 400, because it is no count of tokens', async () => {
    const body = `"model":"scripted","max_tokens":9,"messages":[{"role":"user","content":"x"}]`
    expect(await post('/v1/messages', `{${body},"thinking":{"type":"enabled","budget_tokens":${written}}}`)).toBe(400)
  })
})

test.each(['0.4111111111111111', '1e3', '1234567.891', '0.30000000000000004', '1.0', '12345678'])(
  'number: %s is no card number, and reaches the provider as it was written',
  async (written) => {
    const key = word()
    expect(await chat(`"metadata":{"value":${written}}`, key)).toBe(200)
    expect(governed.provider.callsWith(key)[0]?.raw).toContain(`{"value":${written}}`)
  },
)
