import { describe, expect, test } from 'vitest'
import { Random } from '../support/classification/random.ts'
import { expectSuccess } from '../support/gateway-client.ts'
import { growingPrompt, ReadStream } from '../support/growing-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { CLIENT_APIS, type ClientApi, openStream } from '../support/streamed-requests.ts'

// Windowed release of a response to a request with pseudonyms: placeholders become the originals before anything is judged or leaves.

const HIDE = { id: 'hide-pii', at: ['input'], when: 'content.findings.pii > 0', transforms: ['pseudonymize:pii'] }
const NO_SECRETS = { id: 'no-secrets', at: ['output'], when: 'content.findings.secret > 0', verdict: 'deny' }
const NO_PII = { id: 'no-pii', at: ['output'], when: 'content.findings.pii > 0', verdict: 'deny' }
const LONG = 'Good morning to all of you, and thank you for coming. '.repeat(40)
const EMAIL = 'jane.doe@mail.example.org'
/** The placeholder as models and Markdown write it. */
const MARKERS = ['<EMAIL_1>', '&lt;EMAIL_1&gt;', String.raw`<EMAIL\_1>`]
const random = new Random(11)

const governed = await sharedGoverned()
const windowed = (await governed.application({ settings: { release: 'windowed' } })).token
const validated = (await governed.application()).token

/** A request with an email address, and the provider's response to it. */
async function begin(api: ClientApi, token = windowed) {
  const { prompt, asked } = growingPrompt(governed.provider)
  const opened = openStream(governed.base, { api, token, prompt: `${prompt}: write to ${EMAIL}` })
  const upstream = await asked
  const [call] = governed.provider.callsWith(prompt)
  expect(call?.raw).toContain('<EMAIL_1>')
  expect(call?.raw).not.toContain(EMAIL)
  return { upstream, opened }
}

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
      const parts = Array.from(
        { length: 5 },
        () => LONG.slice(0, random.number(LONG.length)) + random.pick([...MARKERS, '<EMAIL', '&lt']),
      )
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
      const id = read.response.headers.get('x-audit-id')
      const { release } = expectSuccess(await governed.api('GET', `/v1/audit/${id}`, { token: windowed }))
      expect((release as { readonly characters: number }).characters).toBeGreaterThan(0)
    }
  })
})
