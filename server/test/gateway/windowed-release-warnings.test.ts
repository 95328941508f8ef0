import { describe, expect, test } from 'vitest'
import { expectSuccess } from '../support/gateway-client.ts'
import { growingPrompt, ReadStream } from '../support/growing-provider.ts'
import type { MarkerRule } from '../support/marker-policies.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const LONG = 'Good morning to all of you, and thank you for coming. '.repeat(40)
const HARMLESS: MarkerRule = { id: 'no-secrets', at: ['output'], when: 'content.findings.secret > 0', verdict: 'deny' }
const WHOLE: MarkerRule = { id: 'no-gossip', at: ['output'], when: 'content.text.contains("gossip")', verdict: 'deny' }
const OBSTACLE = 'The rule no-gossip needs the whole response: it reads content.text.'

const applicationPath = () => `/applications/${windowed.id}`
const governed = await sharedGoverned()
const windowed = await governed.application({ settings: { release: 'windowed' } })
const name = String(expectSuccess(await governed.admin('GET', applicationPath())).name)

describe('warnings [GW-WIN-8]', () => {
  test('policy set: publishing it says which rule keeps which Applications validated', async () => {
    expect((await governed.publish([HARMLESS])).warnings).toEqual([])
    expect((await governed.publish([HARMLESS, WHOLE])).warnings).toEqual([
      `The setting release: windowed has no effect for ${name}. ${OBSTACLE}`,
    ])
    const [active] = expectSuccess(await governed.admin('GET', '/policy-sets')).data
    const again = expectSuccess(await governed.admin('POST', `/policy-sets/${active?.id}/publish`))
    expect(again.warnings).toHaveLength(1)
  })

  test('Application: saving and reading it says why its responses stay validated', async () => {
    await governed.publish([HARMLESS, WHOLE])
    const warnings = [`The setting release: windowed has no effect. ${OBSTACLE}`]
    expect((await governed.change(String(windowed.id), { settings: { release: 'windowed' } })).warnings).toEqual(warnings)
    expect(expectSuccess(await governed.admin('GET', applicationPath())).warnings).toEqual(warnings)
    expect((await governed.change(String(windowed.id), { settings: { release: 'validated' } })).warnings).toEqual([])
    await governed.change(String(windowed.id), { settings: { release: 'windowed' } })
    await governed.publish([HARMLESS])
    expect(expectSuccess(await governed.admin('GET', applicationPath())).warnings).toEqual([])
  })
})

describe('validated streams [GW-WIN-6, GW-WIN-8]', () => {
  /** The record of a stream whose provider has sent all of `LONG`, and the characters that left before. */
  async function stream(fields: object = {}) {
    const { prompt, asked } = growingPrompt(governed.provider)
    const messages = [{ role: 'user', content: prompt }]
    const opened = fetch(`${governed.server.base}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${windowed.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'scripted', stream: true, messages, ...fields }),
    })
    const upstream = await asked
    upstream.send(LONG)
    upstream.end()
    const read = new ReadStream(await opened)
    await read.rest()
    expect(read.content).toBe(LONG)
    const id = read.response.headers.get('x-audit-id')
    return expectSuccess(await governed.api('GET', `/v1/audit/${id}`, { token: windowed.token }))
  }

  test('record: mode windowed, and how many characters have left', async () => {
    await governed.publish([HARMLESS])
    const { release } = await stream()
    expect(release).toMatchObject({ mode: 'windowed' })
    expect((release as { characters: number }).characters).toBeGreaterThan(LONG.length / 2)
  })

  test.each([
    ['a rule needs the whole response', [HARMLESS, WHOLE], {}],
    ['the request asks for several choices', [HARMLESS], { n: 2 }],
  ])('record: mode validated when %s', async (_, rules, fields) => {
    await governed.publish(rules)
    expect((await stream(fields)).release).toEqual({ mode: 'validated', characters: 0 })
  })

  test('response: tool calls follow after the verdict', async () => {
    await governed.publish([HARMLESS])
    await governed.change(String(windowed.id), { settings: { extensions: ['tools'] } })
    const { prompt, asked } = growingPrompt(governed.provider)
    const tools = [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }]
    const opened = fetch(`${governed.server.base}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${windowed.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'scripted',
        stream: true,
        input: prompt,
        tools: tools.map((tool) => ({ type: 'function', ...tool.function })),
      }),
    })
    const upstream = await asked
    upstream.send(LONG)
    const read = new ReadStream(await opened)
    await read.until(LONG.length / 2)
    upstream.delta({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }] })
    upstream.end()
    await read.rest()
    expect(read.content).toBe(LONG)
    expect(read.events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: {
        output: [
          { type: 'message', content: [{ text: LONG }] },
          { type: 'function_call', name: 'look_up' },
        ],
      },
    })
  })
})
