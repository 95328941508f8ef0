import { describe, expect, test } from 'vitest'
import { MIN_RELEASE_WINDOW } from '../../src/shared/principal.ts'
import { Random } from '../support/classification/random.ts'
import { expectError } from '../support/gateway-client.ts'
import { clearLength, growingPrompt, ReadStream } from '../support/growing-provider.ts'
import { says } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { CLIENT_APIS, type ClientApi, openStream } from '../support/streamed-requests.ts'

const RULES = [
  { id: 'no-secrets', at: ['output'], when: 'content.findings.secret > 0', verdict: 'deny' },
  { id: 'redact-pii', at: ['output'], when: 'content.findings.pii > 0', transforms: ['redact:pii'] },
]
const WINDOWED = { release: 'windowed' }
/** Nothing in it is a finding. */
const PROSE = 'Good morning to all of you, and thank you for coming. '
const LONG = PROSE.repeat(40)
const SECRET = `ghp_${new Random(5).string(36)}`
const EMAIL = 'jane.doe@mail.example.org'

const governed = await sharedGoverned()
await governed.publish(RULES)
const windowed = await governed.application({ settings: WINDOWED })
const validated = await governed.application()

const open = (api: ClientApi, prompt: string, { token } = windowed): Promise<Response> =>
  openStream(governed.base, { api, prompt, token })

/** A request, the provider's response to it, and its stream. */
async function begin(api: ClientApi, first: string, application = windowed) {
  const { prompt, asked } = growingPrompt(governed.provider)
  const opened = open(api, prompt, application)
  const upstream = await asked
  upstream.send(first)
  return { prompt, upstream, stream: async () => new ReadStream(await opened) }
}

/** The content of the whole response in validated mode. */
async function validatedContent(text: string): Promise<string> {
  const { upstream, stream } = await begin('chat', text, validated)
  upstream.end()
  const read = await stream()
  await read.rest()
  return read.content
}

test.each(CLIENT_APIS)(
  '%s: a finding is redacted as in validated mode, and nothing of it has left [GW-WIN-1, GW-WIN-3]',
  async (api) => {
    const text = `${LONG}Write to ${EMAIL} today. ${LONG}`
    const { upstream, stream } = await begin(api, text)
    const read = await stream()
    const clear = `${LONG}Write to `
    expect(await read.until(clear.length)).toBe(clear)
    upstream.end()
    expect(await read.rest()).not.toContain('jane')
    expect(read.content).toBe(await validatedContent(text))
    expect(read.content).not.toBe(text)
  },
)

test.each([
  ['escapes of a JSON document', `{"text": "${PROSE.repeat(20)}", "by": "jane.doe\\u0040mail.example.org", "more": "${LONG}"}`],
  ['a data: URL', `${LONG}data:text/plain;base64,${Buffer.from(`Mail ${EMAIL} today. `).toString('base64')} ${LONG}`],
])('finding in %s: it is redacted as in validated mode, and nothing of it has left [GW-WIN-3]', async (_, text) => {
  const { upstream, stream } = await begin('chat', '')
  for (let at = 0; at < text.length; at += 50) upstream.send(text.slice(at, at + 50))
  upstream.end()
  const read = await stream()
  await read.rest()
  expect(read.content).toBe(await validatedContent(text))
  expect(read.content).not.toBe(text)
  expect(await governed.recordOf(read.response)).toMatchObject({ status: 200, release: { mode: 'windowed' } })
})

describe('failures [GW-WIN-5]', () => {
  test('provider: no retry, and the error event, when it breaks after text has left', async () => {
    const { prompt, upstream, stream } = await begin('chat', LONG)
    const read = await stream()
    await read.until(PROSE.length)
    upstream.break()
    await read.rest()
    expect(read.events.at(-1)).toMatchObject({ error: { code: 'PROVIDER_ERROR' } })
    expect(governed.provider.callsWith(prompt)).toHaveLength(1)
    expect(await governed.recordOf(read.response)).toMatchObject({
      status: 502,
      release: { mode: 'windowed', characters: read.content.length },
    })
  })

  test('provider: the retry is invisible when it breaks before text has left', async () => {
    const { prompt, asked } = growingPrompt(governed.provider)
    const opened = open('chat', prompt)
    const broken = await asked
    broken.send(PROSE)
    governed.provider.on(prompt, says('Hello.'))
    broken.break()
    const read = new ReadStream(await opened)
    await read.rest()
    expect(read.content).toBe('Hello.')
  })

  test('client: the provider is stopped when it leaves in mid-stream', async () => {
    const { upstream, stream } = await begin('chat', LONG)
    const read = await stream()
    await read.until(PROSE.length)
    await read.cancel()
    await upstream.closed
  })

  test('response: it ends with an error when the provider adds reasoning to the text that has left', async () => {
    const { upstream, stream } = await begin('messages', LONG)
    const read = await stream()
    await read.until(PROSE.length)
    upstream.delta({ reasoning_content: 'Let me think.' })
    upstream.end()
    expect(await read.rest()).not.toContain('think')
    expect(read.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'INTERNAL' } })
    expect(await governed.recordOf(read.response)).toMatchObject({ status: 500 })
  })
})

describe('early refusal [GW-WIN-7]', () => {
  test.each(CLIENT_APIS)('%s: the provider is stopped as soon as the denial is certain, in validated mode', async (api) => {
    const { upstream, stream } = await begin(api, `${PROSE}The key is ${SECRET} and `, validated)
    upstream.send(LONG, LONG)
    await upstream.closed
    const read = await stream()
    const { response } = read
    expect(response.status).toBe(403)
    const { error } = JSON.parse(await read.rest())
    expect(error).toMatchObject({ code: 'POLICY_DENIED', details: { rules: ['no-secrets'], point: 'output' } })
    const record = await governed.recordOf(response)
    expect(record).toMatchObject({ status: 403, attempts: [{ outcome: 'aborted' }], findings: { inspect: { secret: 1 } } })
    expect(record.release).toBeUndefined()
  })

  test('token limit: counts the beginning that the provider has sent [GW-LIM-2]', async () => {
    const application = await governed.application({ limits: { tokens_per_minute: 2_000 } })
    const { upstream, stream } = await begin('chat', `${PROSE.repeat(400)}The key is ${SECRET} and ${LONG}`, application)
    upstream.send(LONG, LONG)
    await upstream.closed
    expect((await stream()).response.status).toBe(403)
    expect((await open('chat', 'Hello', application)).status).toBe(429)
  })
})

describe('metrics [GW-WIN-6]', () => {
  const counters = async (): Promise<readonly number[]> => {
    const { text } = await governed.api('GET', '/metrics')
    const names = ['released_characters_total{mode="windowed"}', 'released_characters_total{mode="validated"}']
    const all = [...names, 'early_denials_total', 'broken_streams_total{code="POLICY_DENIED"}']
    const lines = text.split('\n')
    return all.map((name) =>
      Number(
        lines
          .find((line) => line.startsWith(`gatehouse_${name} `))
          ?.split(' ')
          .at(-1) ?? 0,
      ),
    )
  }
  /** How much each counter has grown. */
  const growth = async (run: () => Promise<unknown>): Promise<readonly number[]> => {
    const before = await counters()
    await run()
    const after = await counters()
    return after.map((value, index) => value - (before[index] ?? 0))
  }

  test('released characters: they are counted by mode', async () => {
    const clear = clearLength(LONG, 'pii', 'secret')
    const flowing = async () => {
      const { upstream, stream } = await begin('chat', LONG)
      const read = await stream()
      await read.until(clear)
      upstream.end()
      await read.rest()
    }
    expect(await growth(flowing)).toEqual([clear, LONG.length - clear, 0, 0])
    expect(await growth(() => validatedContent(LONG))).toEqual([0, LONG.length, 0, 0])
  })

  test('denials: early ones are counted, and streams that they break', async () => {
    let characters = 0
    const broken = async () => {
      const { upstream, stream } = await begin('chat', LONG)
      const read = await stream()
      await read.until(PROSE.length)
      upstream.send(`The key is ${SECRET} and `, LONG)
      await read.rest()
      characters = read.content.length
    }
    expect(await growth(broken)).toEqual([characters, 0, 1, 1])
    const refused = async () => {
      const { upstream, stream } = await begin('chat', `The key is ${SECRET} and ${LONG}`, validated)
      await upstream.closed
      await (await stream()).rest()
    }
    expect(await growth(refused)).toEqual([0, 0, 1, 0])
  })
})

test('window: 400 that names the minimum when it is shorter than the longest finding [GW-WIN-2]', async () => {
  const json = { name: 'short', settings: { release: 'windowed', release_window: MIN_RELEASE_WINDOW - 1 } }
  const error = expectError(await governed.admin('POST', '/applications', { json }), 'VALIDATION_ERROR')
  expect(error).toMatchObject({ param: 'settings.release_window', message: expect.stringContaining(String(MIN_RELEASE_WINDOW)) })
})
