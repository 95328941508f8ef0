import { describe, expect, test } from 'vitest'
import { expectSuccess } from '../support/gateway-client.ts'
import { clearLength, growingPrompt, ReadStream } from '../support/growing-provider.ts'
import type { MarkerRule } from '../support/marker-policies.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { CLIENT_APIS, type ClientApi, openStream } from '../support/streamed-requests.ts'

// Which text leaves early, and how a hold ends a stream whose beginning has left.

const NO_SECRETS: MarkerRule = { id: 'no-secrets', at: ['output'], when: 'content.findings.secret > 0', verdict: 'deny' }
const NO_CARDS: MarkerRule = { id: 'no-cards', at: ['output'], when: 'content.findings["pii.card"] > 0', verdict: 'deny' }
const LONG = 'Good morning to all of you, and thank you for coming. '.repeat(40)
const EMAIL = 'jane.doe@mail.example.org'

const governed = await sharedGoverned()
const windowed = await governed.application({ settings: { release: 'windowed' } })

/** A request, the provider's response to it, and its stream. */
async function begin(text: string, api: ClientApi = 'chat', fields: object = {}) {
  const { prompt, asked } = growingPrompt(governed.provider)
  const opened = openStream(governed.base, { api, prompt, token: windowed.token, fields })
  const upstream = await asked
  upstream.send(text)
  return { prompt, upstream, opened }
}

const CHECK_IBAN: MarkerRule = {
  id: 'bank-details-are-checked',
  at: ['output'],
  when: 'content.findings["pii.iban"] > 0',
  verdict: 'require_approval',
}
const REDACT_EMAIL: MarkerRule = {
  id: 'redact-email',
  at: ['output'],
  when: 'content.findings["pii.email"] > 0',
  transforms: ['redact:pii.email'],
}
const IBAN = 'DE89 3704 0044 0532 0130 00'
const REST = `Pay to ${IBAN} today. ${LONG}`
/** The text that has left when the provider sends the account number. */
const BEFORE = LONG.slice(0, clearLength(LONG, 'pii.iban'))

const errorOf = ({ events }: ReadStream) => (events.at(-1) as { readonly error: { readonly review_item_id: string } }).error

describe.each(CLIENT_APIS)('%s: hold on findings [GW-WIN-4]', (api) => {
  /** A stream whose first text has left. The provider then sends the account number. */
  async function hold(fields?: object, text = LONG) {
    await governed.publish([CHECK_IBAN])
    const { prompt, upstream, opened } = await begin(text, api, fields)
    const read = new ReadStream(await opened)
    const clear = text.slice(0, clearLength(text, 'pii.iban'))
    expect(await read.until(clear.length)).toBe(clear)
    upstream.send(REST)
    upstream.end()
    return { prompt, read }
  }
  /** The whole text that a resubmission gets. */
  async function released(prompt: string, reviewItemId: string): Promise<string> {
    const fields = { governance: { review_item_id: reviewItemId } }
    const read = new ReadStream(await openStream(governed.base, { api, prompt, token: windowed.token, fields }))
    await read.rest()
    expect(read.response.headers.get('x-gatehouse-release')).toBe('validated')
    return read.content
  }

  test('finding: the stream ends with the hold, nothing of the finding leaves, and the approved response is whole', async () => {
    const { prompt, read } = await hold()
    await read.rest()
    expect(read.content).toBe(BEFORE)
    expect(read.text).not.toContain('[DONE]')
    const record = await governed.recordOf(read.response)
    const error = errorOf(read)
    expect(error).toMatchObject({ code: 'POLICY_REVIEW_PENDING', audit_id: record.id })
    const release = { mode: 'windowed', characters: BEFORE.length }
    expect(record).toMatchObject({ status: 409, error_code: 'POLICY_REVIEW_PENDING', release })
    const { content } = expectSuccess(await governed.admin('GET', `/reviews/${error.review_item_id}`))
    expect(content).toMatchObject({ sent_characters: BEFORE.length })
    await governed.decide(error.review_item_id, 'approve')
    expect(await released(prompt, error.review_item_id)).toBe(LONG + REST)
    expect(governed.provider.callsWith(prompt)).toHaveLength(1)
  })

  test('waiting client: the stream ends with the hold at once, and the approval does not continue it', async () => {
    const { prompt, read } = await hold({ governance: { wait_for_approval_seconds: 120 } })
    await read.rest()
    const { review_item_id } = errorOf(read)
    expect(governed.server.context.waiters.size).toBe(0)
    await governed.decide(review_item_id, 'approve')
    expect(read.content).toBe(BEFORE)
    expect(await released(prompt, review_item_id)).toBe(LONG + REST)
    expect(governed.provider.callsWith(prompt)).toHaveLength(1)
  })

  test('policy change: a stream that has begun does not continue with the text of the new policy', async () => {
    const beginning = `Write to ${EMAIL} today. ${LONG}`
    const { prompt, read } = await hold({ governance: { wait_for_approval_seconds: 120 } }, beginning)
    await governed.publish([CHECK_IBAN, REDACT_EMAIL])
    await read.rest()
    const { review_item_id } = errorOf(read)
    await governed.decide(review_item_id, 'approve')
    const whole = (beginning + REST).replace(EMAIL, '[EMAIL]')
    for (const _ of ['first', 'again']) expect(await released(prompt, review_item_id)).toBe(whole)
    expect(read.content).toBe(beginning.slice(0, clearLength(beginning, 'pii.iban')))
    expect(governed.server.context.waiters.size).toBe(0)
  })
})

describe('hold on facts that are known before [GW-WIN-3]', () => {
  test.each([
    ['a rule holds whatever the text is', { ...CHECK_IBAN, when: 'user.role == ""' }, 409],
    [
      'the Application already has the classification',
      { ...CHECK_IBAN, when: 'content.classification in ["internal", "confidential", "restricted"]' },
      409,
    ],
  ])('stream: nothing leaves when %s', async (_, rule, status) => {
    await governed.publish([rule])
    const { upstream, opened } = await begin(LONG)
    upstream.end()
    const response = await opened
    expect(response.status).toBe(status)
    expect(await response.text()).not.toContain('Good morning')
  })

  test('escalation: a finding that escalates does not stop the response', async () => {
    await governed.publish([{ ...CHECK_IBAN, verdict: 'escalate' }])
    const { upstream, opened } = await begin(LONG)
    const read = new ReadStream(await opened)
    await read.until(BEFORE.length)
    upstream.send(REST)
    upstream.end()
    await read.rest()
    expect(read.content).toBe(LONG + REST)
    expect(await governed.recordOf(read.response)).toMatchObject({ status: 200, decision: { verdict: 'escalate' } })
  })
})

describe('hold-back [GW-WIN-2]', () => {
  test.each([
    ['all of the text leaves at once when no rule reads findings', [], LONG.length],
    [
      '96 characters and the word before them are held when a rule reads cards',
      [NO_CARDS],
      LONG.lastIndexOf(' ', LONG.length - 97) + 1,
    ],
    [
      '576 characters and the word before them are held when a rule reads secrets',
      [NO_SECRETS],
      LONG.lastIndexOf(' ', LONG.length - 577) + 1,
    ],
  ])('stream: %s', async (_, rules, characters) => {
    await governed.publish(rules)
    const { upstream, opened } = await begin(LONG)
    const read = new ReadStream(await opened)
    expect(await read.until(characters)).toBe(LONG.slice(0, characters))
    upstream.end()
    await read.rest()
    expect(await governed.recordOf(read.response)).toMatchObject({ release: { mode: 'windowed', characters } })
  })

  test('stream: findings that no rule reads leave with the text', async () => {
    await governed.publish([NO_SECRETS])
    const text = `${LONG}Write to ${EMAIL} today. ${LONG}`
    const { upstream, opened } = await begin(text)
    const read = new ReadStream(await opened)
    expect(await read.until(clearLength(text, 'secret'))).toContain(EMAIL)
    upstream.end()
    await read.rest()
    expect(read.content).toBe(text)
  })
})
