import { describe, expect, test } from 'vitest'
import { Random } from '../support/classification/random.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { clearLength, growingPrompt, ReadStream } from '../support/growing-provider.ts'
import { type MarkerRule, policyDocument } from '../support/marker-policies.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { CLIENT_APIS, type ClientApi, openStream } from '../support/streamed-requests.ts'

const HIDE: MarkerRule = { id: 'hide-pii', at: ['input'], when: 'content.findings.pii > 0', transforms: ['pseudonymize:pii'] }
const NO_SECRETS: MarkerRule = { id: 'no-secrets', at: ['output'], when: 'content.findings.secret > 0', verdict: 'deny' }
const NO_PII: MarkerRule = { id: 'no-pii', at: ['output'], when: 'content.findings.pii > 0', verdict: 'deny' }
const LONG = 'Good morning to all of you, and thank you for coming. '.repeat(40)
const EMAIL = 'jane.doe@mail.example.org'
/** The placeholder as models and Markdown write it. */
const MARKERS = ['<EMAIL_1>', '&lt;EMAIL_1&gt;', String.raw`<EMAIL\_1>`]
const random = new Random(11)

const governed = await sharedGoverned()
const windowed = await governed.application({ settings: { release: 'windowed' } })
const validated = await governed.application()

/** A request with an email address, and the provider's response to it. */
async function begin(api: ClientApi, { token } = windowed) {
  const { prompt, asked } = growingPrompt(governed.provider)
  const opened = openStream(governed.base, { api, token, prompt: `${prompt}: write to ${EMAIL}` })
  const upstream = await asked
  const [call] = governed.provider.callsWith(prompt)
  expect(call?.raw).toContain('<EMAIL_1>')
  expect(call?.raw).not.toContain(EMAIL)
  return { upstream, opened }
}

/** Placeholders become the originals before anything is judged or leaves. */
describe.each(CLIENT_APIS)('%s: restored values [GW-WIN-1, GW-WIN-3]', (api) => {
  test('value: it flows in the place of its placeholder when no output rule reacts to findings', async () => {
    await governed.publish([HIDE])
    for (const marker of MARKERS) {
      const { upstream, opened } = await begin(api)
      upstream.send(`${LONG}Write to `, ...marker, ' today. ', LONG)
      const read = new ReadStream(await opened)
      const text = `${LONG}Write to ${EMAIL} today. `
      expect((await read.until(text.length)).slice(0, text.length)).toBe(text)
      upstream.end()
      expect(await read.rest()).not.toContain('EMAIL')
      expect(read.content).toBe(text + LONG)
    }
  })

  test('value: nothing of it leaves, and the stream ends, when an output rule denies it', async () => {
    await governed.publish([HIDE, NO_PII])
    const { upstream, opened } = await begin(api)
    upstream.send(`${LONG}Write to `, ...'<EMAIL_1>', ' today. ', LONG)
    const read = new ReadStream(await opened)
    await upstream.closed
    const text = await read.rest()
    for (const part of ['EMAIL', 'jane', '<']) expect(text).not.toContain(part)
    expect(read.content.length).toBeGreaterThan(0)
    expect(`${LONG}Write to `.startsWith(read.content)).toBe(true)
    expect(read.events.at(-1)).toMatchObject({ error: { code: 'POLICY_DENIED', details: { rules: ['no-pii'] } } })
  })

  test('stream: the text is that of validated mode, and no part of a placeholder leaves, when it is cut at random places', async () => {
    await governed.publish([HIDE, NO_SECRETS])
    for (let round = 0; round < 4; round++) {
      const part = () => LONG.slice(0, random.number(LONG.length)) + random.pick([...MARKERS, '<EMAIL', '&lt'])
      const parts = Array.from({ length: 5 }, part)
      const text = `${parts.join(' ')} ${LONG}`
      const [flowing, whole] = [await begin(api), await begin(api, validated)]
      for (let at = 0; at < text.length; ) {
        const end = at + 1 + random.number(400)
        flowing.upstream.send(text.slice(at, end))
        at = end
      }
      whole.upstream.send(text)
      for (const { upstream } of [flowing, whole]) upstream.end()
      const [read, expected] = [new ReadStream(await flowing.opened), new ReadStream(await whole.opened)]
      await read.rest()
      await expected.rest()
      expect(read.content).toBe(expected.content)
      expect(read.content).not.toContain('EMAIL_1')
      const { release } = await governed.recordOf(read.response)
      expect((release as { readonly characters: number }).characters).toBeGreaterThan(0)
    }
  })
})

const WHOLE: MarkerRule = { id: 'no-gossip', at: ['output'], when: 'content.text.contains("gossip")', verdict: 'deny' }
const NEEDS_WHOLE = { rule: 'no-gossip', reason: 'it reads content.text' }
const OBSTACLE = 'rule no-gossip needs the whole response, because it reads content.text.'

const applicationPath = `/applications/${windowed.id}`
const name = String(expectSuccess(await governed.admin('GET', applicationPath)).name)

describe('warnings [GW-WIN-8]', () => {
  test('policy set: publishing it says which rule keeps which Applications validated', async () => {
    expect((await governed.publish([NO_SECRETS])).warnings).toEqual([])
    expect((await governed.publish([NO_SECRETS, WHOLE])).warnings).toEqual([
      `“While it arrives” has no effect for ${name}: ${OBSTACLE}`,
    ])
    const [active] = expectSuccess(await governed.admin('GET', '/policy-sets')).data
    const again = expectSuccess(await governed.admin('POST', `/policy-sets/${active?.id}/publish`))
    expect(again.warnings).toHaveLength(1)
  })

  test('policy set: checking a document says which rule needs the whole response, before it is published', async () => {
    const check = async (...rules: MarkerRule[]) =>
      expectSuccess(await governed.admin('POST', '/policy-sets/check', { json: { source: policyDocument(rules) } }))
    expect(await check(NO_SECRETS)).toMatchObject({ ok: true, needs_whole_response: null })
    expect(await check(NO_SECRETS, WHOLE)).toMatchObject({ ok: true, needs_whole_response: NEEDS_WHOLE })
  })

  test('Application: saving and reading it says why its responses stay validated', async () => {
    await governed.publish([NO_SECRETS, WHOLE])
    const warnings = [`“While it arrives” has no effect: ${OBSTACLE}`]
    expect((await governed.change(String(windowed.id), { settings: { release: 'windowed' } })).warnings).toEqual(warnings)
    expect(expectSuccess(await governed.admin('GET', applicationPath)).warnings).toEqual(warnings)
    const saved = await governed.change(String(windowed.id), { settings: { release: 'validated' } })
    expect(saved).toMatchObject({ warnings: [], needs_whole_response: NEEDS_WHOLE })
    await governed.change(String(windowed.id), { settings: { release: 'windowed' } })
    await governed.publish([NO_SECRETS])
    expect(expectSuccess(await governed.admin('GET', applicationPath)).warnings).toEqual([])
  })
})

describe('validated streams [GW-WIN-6, GW-WIN-8]', () => {
  /** The record of a stream whose provider has sent all of `LONG`, and the characters that left before. */
  async function stream(fields: object) {
    const { prompt, asked } = growingPrompt(governed.provider)
    const opened = openStream(governed.base, { api: 'chat', prompt, token: windowed.token, fields })
    const upstream = await asked
    upstream.send(LONG)
    upstream.end()
    const read = new ReadStream(await opened)
    await read.rest()
    expect(read.content).toBe(LONG)
    expect(read.response.headers.get('x-gatehouse-release')).toBe('validated')
    return governed.recordOf(read.response)
  }

  test('record: counts exactly the characters that left before the whole response was judged', async () => {
    await governed.publish([NO_SECRETS])
    const { prompt, asked } = growingPrompt(governed.provider)
    const opened = openStream(governed.base, { api: 'chat', prompt, token: windowed.token })
    const upstream = await asked
    upstream.send(LONG)
    const read = new ReadStream(await opened)
    const characters = clearLength(LONG, 'secret')
    expect(await read.until(characters)).toBe(LONG.slice(0, characters))
    expect(read.response.headers.get('x-gatehouse-release')).toBe('windowed')
    upstream.send('The end.')
    upstream.end()
    await read.rest()
    expect(await governed.recordOf(read.response)).toMatchObject({ status: 200, release: { mode: 'windowed', characters } })
  })

  test.each([
    ['a rule needs the whole response', [NO_SECRETS, WHOLE], {}],
    ['the request asks for several choices', [NO_SECRETS], { n: 2 }],
  ])('record: mode validated when %s', async (_, rules, fields) => {
    await governed.publish(rules)
    expect((await stream(fields)).release).toEqual({ mode: 'validated', characters: 0 })
  })

  test('response: tool calls follow after the verdict', async () => {
    await governed.publish([NO_SECRETS])
    await governed.change(String(windowed.id), { settings: { extensions: ['tools'] } })
    const { prompt, asked } = growingPrompt(governed.provider)
    const fields = { tools: [{ type: 'function', name: 'look_up', parameters: { type: 'object' } }] }
    const opened = openStream(governed.base, { api: 'responses', prompt, token: windowed.token, fields })
    const upstream = await asked
    upstream.send(LONG)
    const read = new ReadStream(await opened)
    await read.until(LONG.length / 2)
    upstream.delta({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }] })
    upstream.end()
    await read.rest()
    expect(read.content).toBe(LONG)
    const message = { type: 'message', content: [{ text: LONG }] }
    const output = [message, { type: 'function_call', name: 'look_up' }]
    expect(read.events.at(-1)).toMatchObject({ type: 'response.completed', response: { output } })
  })
})
