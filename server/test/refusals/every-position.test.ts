import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectSuccess } from '../support/gateway-client.ts'
import { type Governed, startGoverned } from '../support/governed.ts'
import { MAXIMAL_REQUESTS } from '../support/maximal-requests.ts'
import { withTextEverywhere } from '../support/mutations.ts'
import { type ScriptedAnthropic, startScriptedAnthropic } from '../support/scripted-anthropic.ts'
import { type ScriptedResponses, startScriptedResponses } from '../support/scripted-responses.ts'

let governed: Governed
let anthropic: ScriptedAnthropic
let responses: ScriptedResponses
const tokens: Record<string, string> = {}
beforeAll(async () => {
  anthropic = await startScriptedAnthropic()
  responses = await startScriptedResponses()
  governed = await startGoverned({
    ANTHROPIC_API_KEY: 'sk-ant-scripted',
    ANTHROPIC_BASE_URL: anthropic.url,
    ANTHROPIC_MODELS: 'claude',
    GATEHOUSE_ALLOW_PRIVATE_URLS: 'true',
  })
  const provider = { id: 'responses', kind: 'openai', base_url: responses.url, api_key: 'sk-scripted' }
  expectSuccess(await governed.admin('POST', '/providers', { json: provider }), 201)
  expectSuccess(await governed.admin('PUT', '/providers/responses/models/gpt', { json: { api: 'responses' } }))
  await governed.publish([{ id: 'redact', at: ['input'], when: 'true', transforms: ['redact:pii'] }])
  for (const unknown_fields of ['refuse', 'carry']) {
    const settings = { extensions: ['tools', 'content_parts', 'developer_role'], unknown_fields }
    tokens[unknown_fields] = (await governed.application({ settings })).token
  }
})
afterAll(async () => {
  await governed.close()
  await anthropic.close()
  await responses.close()
})

const NAME = 'harriet.lowe'
const ADDRESS = `${NAME}@example.com`

/** Everything that the providers have received since the last call: as it is, and with its texts read as base64 and hexadecimal. */
function takeReceived(): string {
  const lists = [governed.provider.calls, anthropic.calls, responses.calls]
  const raws = lists.flatMap((list) => list.splice(0).map(({ raw }) => raw))
  const decoded = raws.flatMap((raw) => [...raw.matchAll(/[A-Za-z0-9+/_-]{16,}/g)].map(([text]) => Buffer.from(text, 'base64').toString()))
  const hex = raws.flatMap((raw) => [...raw.matchAll(/[0-9a-f]{16,}/g)].map(([text]) => Buffer.from(text, 'hex').toString()))
  return [...raws, ...decoded, ...hex].join('\n')
}

describe.each(MAXIMAL_REQUESTS)('$api to the model $model', ({ path, body }) => {
  const post = (json: unknown, unknownFields: string) =>
    governed.post(path, json, { token: tokens[unknownFields] ?? '', headers: { 'anthropic-version': '2023-06-01' } })

  test('maximal request: reaches the provider', async () => {
    const { status, text } = await post(body, 'refuse')
    expect({ status, text }).toEqual({ status: 200, text })
    expect(takeReceived()).toContain('Good morning')
  })

  test.each(['refuse', 'carry'])('redaction: a text at no place of the request reaches the provider: %s unknown fields', async (unknown) => {
    const escaped: string[] = []
    const count = { sent: 0, redacted: 0, refused: 0 }
    takeReceived()
    for (const mutation of withTextEverywhere(body, ADDRESS)) {
      const { status, text } = await post(mutation.value, unknown)
      const received = takeReceived()
      if (received.includes(NAME) || status >= 500) escaped.push(`${mutation.at}: ${status} ${status>=500?text:''}`)
      count[status !== 200 ? 'refused' : received.includes('[EMAIL]') ? 'redacted' : 'sent'] += 1
      if (process.env.SHOW && status===200 && !received.includes('[EMAIL]')) console.log(mutation.at)
    }
    console.log(JSON.stringify(count))
    expect(escaped).toEqual([])
    expect(count.redacted).toBeGreaterThan(10)
  })
})
