import { describe, expect, inject, test } from 'vitest'
import { Random } from '../support/classification/random.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { clearLength, growingPrompt, ReadStream } from '../support/growing-provider.ts'
import { STREAM_FORMS } from '../support/growing-streams.ts'
import { CLIENT_APIS, type ClientApi, openStream } from '../support/streamed-requests.ts'
import { MODELS, startThreeUpstreams, type UpstreamModel } from '../support/three-upstreams.ts'

// Windowed release in each client API with each provider API.

const RULES = [
  { id: 'no-secrets', at: ['output'], when: 'content.findings.secret > 0', verdict: 'deny' },
  { id: 'redact-pii', at: ['output'], when: 'content.findings.pii > 0', transforms: ['redact:pii'] },
]
/** Nothing in it is a finding. */
const PROSE = 'Good morning to all of you, and thank you for coming. '
const LONG = PROSE.repeat(40)
const SEED = 7
const random = new Random(SEED)
const secret = () => `ghp_${random.string(36)}`

const upstreams = await closeAfterAll(startThreeUpstreams())
const { governed } = upstreams
await governed.publish(RULES)
const windowed = (await governed.application({ settings: { release: 'windowed' } })).token
const validated = (await governed.application()).token

interface Pair {
  readonly api: ClientApi
  readonly model: UpstreamModel
}
const PAIRS: readonly Pair[] = CLIENT_APIS.flatMap((api) => MODELS.map((model) => ({ api, model })))

/** A request, the provider's response to it, and its stream. */
async function begin({ api, model }: Pair, token = windowed) {
  const { prompt, asked } = growingPrompt(upstreams.providers[model], STREAM_FORMS[model])
  const opened = openStream(governed.base, { api, prompt, model, token })
  return { upstream: await asked, opened }
}

/** The text and the last events of a stream, without what differs between two requests; or the code of its error. */
function resultOf({ content, events, response }: ReadStream): object {
  const last = events.at(-1) as { readonly error?: { readonly code: string } } | undefined
  if (response.status !== 200 || last?.error) return { code: last?.error?.code }
  const final = events.find((event) =>
    /"finish_reason":"|"type":"(?:response.completed|message_delta)"/.test(JSON.stringify(event)),
  )
  return { content, final: withoutIds(final ?? {}) }
}

const FINAL: Readonly<Record<ClientApi, object>> = {
  chat: { object: 'chat.completion.chunk' },
  responses: { type: 'response.completed' },
  messages: { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
}
const OWN_FIELDS = new Set(['id', 'item_id', 'created', 'created_at', 'completed_at', 'sequence_number', 'governance'])
const withoutIds = (event: object): unknown =>
  JSON.parse(JSON.stringify(event, (name, value: unknown) => (OWN_FIELDS.has(name) ? undefined : value)))

/** The result in validated mode of a response whose text is `text`. */
async function validatedResult(pair: Pair, text: string): Promise<object> {
  const { upstream, opened } = await begin(pair, validated)
  upstream.send(text)
  upstream.end()
  const read = new ReadStream(await opened)
  const body = await read.rest()
  return read.response.status === 200 ? resultOf(read) : { code: JSON.parse(body).error.code }
}

describe.each(PAIRS)('client API $api, model $model [GW-WIN-1]', (pair) => {
  test('text: it flows before the last byte of the provider, and the result is that of validated mode', async () => {
    const { upstream, opened } = await begin(pair)
    upstream.send(LONG)
    const read = new ReadStream(await opened)
    const characters = clearLength(LONG, 'secret')
    expect(await read.until(characters)).toBe(LONG.slice(0, characters))
    upstream.send('The end.')
    upstream.holdLastByte()
    upstream.end()
    await read.rest()
    expect(resultOf(read)).toEqual(await validatedResult(pair, `${LONG}The end.`))
    expect(resultOf(read)).toMatchObject({ content: `${LONG}The end.`, final: FINAL[pair.api] })
    expect(await governed.recordOf(read.response)).toMatchObject({
      status: 200,
      release: { mode: 'windowed', characters: expect.any(Number) },
    })
  })

  test('denial in mid-stream: the error event ends the stream, and the provider is stopped [GW-WIN-4]', async () => {
    const { upstream, opened } = await begin(pair)
    upstream.send(LONG)
    const read = new ReadStream(await opened)
    await read.until(PROSE.length)
    upstream.send(`The key is ${secret()} and `, LONG)
    await upstream.closed
    const text = await read.rest()
    for (const part of ['ghp_', '[DONE]']) expect(text).not.toContain(part)
    expect(`${LONG}The key is `.startsWith(read.content)).toBe(true)
    const record = await governed.recordOf(read.response)
    const details = { rules: ['no-secrets'], point: 'output' }
    expect(read.events.at(-1)).toMatchObject({ error: { code: 'POLICY_DENIED', audit_id: record.id, details } })
    const release = { mode: 'windowed', characters: read.content.length }
    expect(record).toMatchObject({ status: 403, response: null, release, attempts: [{ outcome: 'aborted' }] })
    expect(record).toMatchObject({ error_code: 'POLICY_DENIED', findings: { inspect: { secret: 1 } } })
  })

  test('validated: no byte leaves before the last byte of the provider, and then all of it [GW-SSE-1, GW-PROV-9]', async () => {
    /** A request whose provider has sent everything but its last byte. */
    const holdLastByte = async (token: string) => {
      const begun = await begin(pair, token)
      begun.upstream.send(LONG)
      begun.upstream.holdLastByte()
      return begun
    }
    const held = await holdLastByte(validated)
    let hasLeft = false
    const opened = held.opened.finally(() => {
      hasLeft = true
    })
    // A windowed stream that began later has text: the gateway has read the same bytes of both.
    const flowing = await holdLastByte(windowed)
    const read = new ReadStream(await flowing.opened)
    await read.until(LONG.length / 2)
    expect(hasLeft).toBe(false)
    for (const { upstream } of [held, flowing]) upstream.end()
    const whole = new ReadStream(await opened)
    for (const stream of [whole, read]) {
      await stream.rest()
      expect(stream.content).toBe(LONG)
    }
  })
})

const FINDINGS = [
  () => 'jane.doe@mail.example.org',
  () => '+49 30 1234567',
  () => 'DE89 3704 0044 0532 0130 00',
  () => 'DE89370400440532013000',
]
/** Text that is no finding, with characters of several units. */
const OTHERS = [() => '😀 “é̂”', () => 'a_long_word_'.repeat(30), () => '<EMAIL_1>', () => '\u200b\u00ad']

/** A text with findings in random places; a secret is rare, because it denies the whole. `firstAt`: where the first finding begins. */
function randomText(): { readonly text: string; readonly firstAt: number } {
  let text = ''
  let firstAt = Number.POSITIVE_INFINITY
  for (let part = 0; part < 6; part++) {
    text += PROSE.repeat(random.number(16))
    const choice = random.number(8)
    if (choice < 2) text += `${random.pick(OTHERS)()} `
    if (choice < 2 || choice > 4) continue
    firstAt = Math.min(firstAt, text.length)
    text += `${random.number(6) === 0 ? secret() : random.pick(FINDINGS)()} `
  }
  return { text: text || PROSE, firstAt }
}

/** Cuts a text at random places. */
function randomPieces(text: string): readonly string[] {
  const pieces: string[] = []
  const longest = random.pick([3, 40, 300, 2_000])
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + random.number(longest)
    const cut = text.slice(0, end).isWellFormed() ? end : end + 1
    pieces.push(text.slice(at, cut))
    at = cut
  }
  return pieces
}

/** For each pair. */
const ROUNDS = inject('isFull') ? 40 : 2

describe.each(PAIRS)(`random streams (seed ${SEED}): client API $api, model $model [GW-WIN-3]`, { timeout: 600_000 }, (pair) => {
  test('stream: the result is that of validated mode, and no part of a finding leaves before', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { text, firstAt } = randomText()
      const { upstream, opened } = await begin(pair)
      for (const piece of randomPieces(text)) upstream.send(piece)
      upstream.end()
      const read = new ReadStream(await opened)
      const body = await read.rest()
      const result = read.response.status === 200 ? resultOf(read) : { code: JSON.parse(body).error.code }
      expect(result).toEqual(await validatedResult(pair, text))
      expect(body).not.toContain('ghp_')
      const { characters } = (await governed.recordOf(read.response)).release as { readonly characters: number }
      expect(characters).toBeLessThanOrEqual(Math.min(text.length, firstAt))
    }
  })
})
