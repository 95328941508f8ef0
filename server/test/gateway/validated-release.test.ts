import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { growingPrompt, ReadStream } from '../support/growing-provider.ts'
import { STREAM_FORMS } from '../support/growing-streams.ts'
import { CLIENT_APIS, openStream } from '../support/streamed-requests.ts'
import { MODELS, startThreeUpstreams } from '../support/three-upstreams.ts'

// Validated mode in each client API with each provider API: the provider holds its last byte back until the test has looked.

const RULE = { id: 'no-secrets', at: ['output'], when: 'content.findings.secret > 0', verdict: 'deny' }
/** Nothing in it is a finding, and much more of it than the held-back window. */
const LONG = 'Good morning to all of you, and thank you for coming. '.repeat(40)

const upstreams = await closeAfterAll(startThreeUpstreams())
const { governed } = upstreams
await governed.publish([RULE])
const [validated, windowed] = [await governed.application(), await governed.application({ settings: { release: 'windowed' } })]
const tokens = { validated: validated.token, windowed: windowed.token }

const PAIRS = CLIENT_APIS.flatMap((api) => MODELS.map((model) => ({ api, model })))

describe.each(PAIRS)('client API $api, model $model', ({ api, model }) => {
  /** A request whose provider has sent everything but its last byte. */
  async function holdLastByte(token: string) {
    const { prompt, asked } = growingPrompt(upstreams.providers[model], STREAM_FORMS[model])
    const opened = openStream(upstreams.governed.base, { api, prompt, model, token })
    const upstream = await asked
    upstream.send(LONG)
    upstream.holdLastByte()
    return { upstream, opened }
  }

  test('stream: no byte leaves before the last byte of the provider, and then all of it [GW-SSE-1, GW-PROV-9]', async () => {
    const validated = await holdLastByte(tokens.validated)
    let hasLeft = false
    const opened = validated.opened.finally(() => {
      hasLeft = true
    })
    // A windowed stream that began later has text: the gateway has read the same bytes of both.
    const windowed = await holdLastByte(tokens.windowed)
    const read = new ReadStream(await windowed.opened)
    await read.until(LONG.length / 2)
    expect(hasLeft).toBe(false)

    validated.upstream.end()
    const whole = new ReadStream(await opened)
    await whole.rest()
    expect(whole.content).toBe(LONG)
    windowed.upstream.end()
    await read.rest()
    expect(read.content).toBe(LONG)
  })
})
