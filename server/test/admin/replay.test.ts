import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { says, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { adminClient, expectError, type Json } from './client.ts'

/** Audit ids of `REQUESTS`, under the first policy. */

const rule = (id: string, at: string, when: string, obligations: object) => ({ id, at: [at], when, ...obligations })
const document = (rules: readonly object[]) => JSON.stringify({ name: 'demo', rules })

const UNCHANGED = [
  rule('zebra', 'input', 'content.text.contains("zebra")', { verdict: 'escalate' }),
  rule('lion-answers', 'output', 'content.text.contains("lion")', { verdict: 'deny' }),
  rule('hold', 'input', 'content.text.contains("hold me")', { verdict: 'require_approval' }),
  rule('emails', 'input', 'content.findings["pii.email"] > 0', { transforms: ['redact:pii'] }),
]
const BEFORE = [
  ...UNCHANGED,
  rule('guests', 'input', 'user.role == "guest"', { verdict: 'deny' }),
  rule('long', 'input', 'request.tokens > 200', { directives: ['max_tokens:9'] }),
  rule('gone', 'output', 'response.tokens == 7', { verdict: 'allow', risk: 'high' }),
]
const AFTER = [
  ...UNCHANGED,
  rule('guests', 'input', 'user.role == "guest" && request.stream', { verdict: 'deny' }),
  rule('long', 'input', 'request.tokens > 400', { directives: ['max_tokens:9'] }),
  rule('jane', 'input', 'user.id in ["jane", "joe"] && request.max_tokens > 50', { verdict: 'escalate' }),
  rule('session', 'input', 'request.session_id == "afternoon"', { verdict: 'deny' }),
  rule('two-emails', 'input', 'content.findings.pii >= 2 && rank(content.classification) > 0', { verdict: 'require_approval' }),
  rule('answers', 'output', 'content.findings["pii.email"] > 0 && response.model == "scripted"', { verdict: 'deny' }),
  rule('dry', 'output', 'request.dry_run && response.finish_reason == "stop"', { verdict: 'escalate' }),
  rule('renamed', 'output', 'response.tokens == 7', { verdict: 'allow', risk: 'high' }),
]

interface Request {
  readonly prompt: string
  readonly answer?: string
  readonly user?: object
  readonly more?: object
  readonly governance?: object
}

const REQUESTS: readonly Request[] = [
  { prompt: 'nothing at all' },
  { prompt: 'a zebra' },
  { prompt: 'a lion', answer: 'a lion indeed' },
  { prompt: 'please hold me' },
  { prompt: 'write to ann@firma.test' },
  { prompt: 'write to ann@firma.test and bob@firma.test' },
  { prompt: 'who is ann', answer: 'she is ann@firma.test' },
  { prompt: 'I am a guest', user: { id: 'g1', role: 'guest' } },
  { prompt: 'I am a guest, streamed', user: { id: 'g2', role: 'guest' }, more: { stream: true } },
  { prompt: 'I am jane', user: { id: 'jane' }, more: { max_tokens: 100 } },
  { prompt: 'I am jane, briefly', user: { id: 'jane' }, more: { max_tokens: 10 } },
  { prompt: 'I am jack', user: { id: 'jack' }, more: { max_tokens: 100 } },
  { prompt: `much ${'text '.repeat(300)}` },
  { prompt: `more ${'text '.repeat(900)}` },
  { prompt: 'in the afternoon', governance: { session_id: 'afternoon' } },
  { prompt: 'in the morning', governance: { session_id: 'morning' } },
  { prompt: 'only to see', governance: { dry_run: true } },
  { prompt: 'only to see a zebra of ann@firma.test and bob@firma.test', governance: { dry_run: true } },
]

/** Sends all requests, each with a unique word; returns their audit ids. */
async function sendAll(): Promise<string[]> {
  const ids: string[] = []
  for (const { prompt, answer = 'Noted.', user, more, governance } of REQUESTS) {
    const mark = word()
    governed.provider.on(mark, says(answer))
    const fields = { ...more, governance: { ...(user && { user: user }), ...governance } }
    const { headers, text } = await governed.chat(`${prompt} ${mark}`, fields, { token: application.token })
    const id = headers.get('x-audit-id') ?? ''
    expect(id, text).toMatch(/^aud_/)
    ids.push(id)
  }
  return ids
}

const publish = (rules: readonly object[]) => admin.create('/policy-sets', { source: document(rules) })
const replay = (rules: readonly object[], more: object = {}): Promise<Json> =>
  admin.post('/policy-sets/replay', { source: document(rules), application_id: application.id, ...more })
const decisionOf = async (id: string): Promise<Json> => (await admin.get(`/audit/${id}`)).decision
const rulesIn = ({ rules }: Json): string[] => rules.map(({ id, point, verdict }: Json) => `${point} ${id} ${verdict}`).toSorted()

const governed = await closeAfterAll(sharedGoverned())
const admin = adminClient(governed.server)
const { id, token } = await governed.application({ default_model: 'scripted' })
const application = { id, token }
await publish(BEFORE)
const first = await sendAll()

test('replay: no changes under the policy of the records', async () => {
  expect(await replay(BEFORE)).toMatchObject({
    object: 'policy_replay',
    policy: { id: null, name: 'demo', version: null },
    records: REQUESTS.length,
    unchanged: REQUESTS.length,
    changed: 0,
    not_replayed: 0,
    changes: [],
    limits: [],
  })
})

test('replay: no changes when conditions are reworded, because their facts are stored', async () => {
  const reworded = BEFORE.filter(({ when }) => !when.includes('text')).map((original) => ({
    ...original,
    when: `true && (${original.when})`,
  }))
  const textual = BEFORE.filter(({ when }) => when.includes('text'))
  const result = await replay([...reworded, ...textual])
  expect(result).toMatchObject({ unchanged: REQUESTS.length, changed: 0, not_replayed: 0 })
})

test('replay: the parts of a replay add up to the whole [ADM-API-17]', async () => {
  const whole = await replay(AFTER)
  expect(whole.next_cursor).toBeNull()
  const parts: Json[] = []
  let cursor: string | null | undefined
  while (cursor !== null) {
    const part = await replay(AFTER, { last: 5, ...(cursor && { cursor }) })
    parts.push(part)
    cursor = part.next_cursor
  }
  expect(parts.length).toBeGreaterThanOrEqual(REQUESTS.length / 5)
  for (const count of ['records', 'changed', 'unchanged', 'not_replayed']) {
    expect(
      parts.reduce((sum, part) => sum + part[count], 0),
      count,
    ).toBe(whole[count])
  }
  expect(parts.flatMap(({ changes }) => changes)).toEqual(whole.changes)
  expectError(
    await admin.send('POST', '/policy-sets/replay', { source: document(AFTER), cursor: 'x' }),
    'VALIDATION_ERROR',
    'cursor',
  )
})

test('limits: name the facts that records do not hold, with the reason', async () => {
  const result = await replay(
    [
      ...BEFORE,
      rule('new-text', 'input', 'content.text.contains("heron")', { verdict: 'deny' }),
      rule('wing', 'input', 'user.role == "guest" && user.attributes.wing == "left"', { verdict: 'deny' }),
      rule('prefix', 'input', 'user.id.startsWith("g")', { verdict: 'deny' }),
    ],
    { last: REQUESTS.length },
  )
  const limitsOf = (name: string) => result.limits.filter(({ rule }: Json) => rule === name)
  expect(limitsOf('new-text')).toMatchObject([{ reason: 'reads_text', point: 'input', fact: 'content.text' }])
  expect(limitsOf('prefix')).toMatchObject([{ reason: 'reads_hashed', fact: 'user.id' }])
  expect(limitsOf('wing')).toMatchObject([{ reason: 'reads_unstored', fact: 'user.attributes' }])
  expect(result.changed).toBe(0)
})

test('replay: predicts exactly the decisions that change when the draft is published and all requests are sent again', async () => {
  const predicted = await replay(AFTER)
  await publish(AFTER)
  const second = await sendAll()
  const actual = await Promise.all(
    first.map(async (id, index) => {
      const [before, after] = [await decisionOf(id), await decisionOf(second[index] ?? '')]
      return {
        id,
        before,
        after,
        differs: JSON.stringify([before.verdict, rulesIn(before)]) !== JSON.stringify([after.verdict, rulesIn(after)]),
      }
    }),
  )
  const changed = actual.filter(({ differs }) => differs)
  expect(changed.length).toBeGreaterThan(10)
  expect(changed.length).toBeLessThan(REQUESTS.length)
  const certain = predicted.changes.filter(({ uncertain }: Json) => uncertain.length === 0)
  expect(predicted.changes.map(({ audit_id }: Json) => audit_id).toSorted()).toEqual(changed.map(({ id }) => id).toSorted())
  for (const { audit_id, before, after } of certain) {
    const expected = actual.find(({ id }) => id === audit_id)
    expect([before.verdict, rulesIn(before)]).toEqual([expected?.before.verdict, rulesIn(expected?.before)])
    expect([after.verdict, rulesIn(after)]).toEqual([expected?.after.verdict, rulesIn(expected?.after)])
    expect(after.directives).toEqual(expected?.after.directives)
  }
  // The denied request of a guest has no completion, so its output rules cannot be replayed.
  expect(certain.length).toBe(changed.length - 1)
  expect(predicted.transitions.reduce((sum: number, { count }: Json) => sum + count, 0)).toBe(changed.length)
  expect(predicted.limits).toContainEqual(
    expect.objectContaining({ reason: 'not_reached', rule: 'answers', point: 'output', count: 1 }),
  )
  await publish(BEFORE)
})

test('tools and unread content: reported as unknown where records do not hold them', async () => {
  const own = await governed.application({ default_model: 'scripted', settings: { extensions: ['content_parts'] } })
  const bytes = Buffer.from(Uint8Array.from({ length: 300 }, (_, i) => (i * 131 + 7) % 256)).toString('base64')
  const content = [
    { type: 'text', text: word() },
    { type: 'image_url', image_url: { url: `data:image/png;base64,${bytes}` } },
  ]
  expect((await governed.chat([{ role: 'user', content }], {}, { token: own.token })).status).toBe(200)
  const draft = [
    rule('offered', 'input', '"shell" in request.tools', { verdict: 'deny' }),
    rule('called', 'output', 'content.tool_calls.exists(c, c.name == "x")', { verdict: 'deny' }),
    rule('guest-calls', 'output', 'user.role == "guest" && size(content.tool_calls) > 0', { verdict: 'deny' }),
    rule('pictures', 'input', '"image" in content.unread_kinds && content.unread_bytes == 300', { verdict: 'escalate' }),
    rule('sounds', 'input', '"audio" in content.unread_kinds', { verdict: 'escalate' }),
  ]
  const { limits, changes } = await replay(draft, { application_id: own.id })
  expect(limits.map(({ rule, reason, fact }: Json) => [rule, reason, fact])).toEqual([
    ['offered', 'reads_unstored', 'request.tools'],
    ['called', 'reads_unstored', 'content.tool_calls'],
  ])
  expect(changes).toMatchObject([{ after: { rules: [{ id: 'pictures' }] } }])
})

test('settings: replayed only while the Application has not changed', async () => {
  const own = await governed.application({ default_model: 'scripted', settings: { tier: 'gold' } })
  await governed.chat('hello', {}, { token: own.token })
  const gold = [...BEFORE, rule('gold', 'input', 'application.settings.tier == "gold"', { verdict: 'deny' })]
  const replayGold = () => replay(gold, { application_id: own.id })
  const transition = { from: 'allow', to: 'deny', transforms_lost: false, count: 1 }
  expect(await replayGold()).toMatchObject({ records: 1, changed: 1, transitions: [transition] })
  await governed.change(own.id, { settings: { tier: 'silver' } })
  expect(await replayGold()).toMatchObject({
    records: 1,
    not_replayed: 1,
    limits: [{ reason: 'reads_settings', rule: 'gold', count: 1 }],
  })
})

test('transforms: a decision that loses one is counted apart, and not if a stricter one replaces it', async () => {
  const own = await governed.application({ default_model: 'scripted' })
  const masked = (transforms: readonly string[]) => [rule('emails', 'input', 'content.findings["pii.email"] > 0', { transforms })]
  await publish(masked(['mask:pii']))
  await governed.chat('write to ann@firma.test', {}, { token: own.token })
  const replayed = async (transforms: readonly string[]) => {
    const { transitions, changes } = await replay(masked(transforms), { application_id: own.id })
    expect(changes.map(({ transforms_lost }: Json) => transforms_lost)).toEqual([transitions[0].transforms_lost])
    return transitions
  }
  const transition = { from: 'allow', to: 'allow', count: 1 }
  expect(await replayed(['redact:pii'])).toEqual([{ ...transition, transforms_lost: false }])
  expect(await replayed(['pseudonymize:pii'])).toEqual([{ ...transition, transforms_lost: true }])
  expect(await replayed(['redact:pii.phone'])).toEqual([{ ...transition, transforms_lost: true }])
})

test('filters: `last` and filters select records, and none of another Workspace', async () => {
  const denyAll = [rule('all', 'input', 'true', { verdict: 'deny' })]
  expect(await replay(denyAll, { last: 3 })).toMatchObject({ records: 3 })
  const zebras = await replay(denyAll, { verdict: 'deny' })
  expect(zebras.records).toBeGreaterThan(0)
  expect(zebras.changes.every(({ before }: Json) => before.verdict === 'deny')).toBe(true)
  const workspace = await admin.workspace()
  const elsewhere = await admin.post('/policy-sets/replay', { source: document(denyAll) }, { workspace })
  expect(elsewhere).toMatchObject({ records: 0, from: null, to: null })
})

test('source: a published version can be replayed, and an invalid draft is 400 with its line', async () => {
  const { id, version } = await publish(BEFORE)
  const result = await admin.post('/policy-sets/replay', { policy_set_id: id, application_id: application.id, last: 5 })
  expect(result.policy).toMatchObject({ id, version })
  const invalid = await admin.send('POST', '/policy-sets/replay', { source: 'name: x\nrules: [' })
  expect(expectError(invalid, 'VALIDATION_ERROR').details.errors[0]).toMatchObject({ line: 2 })
  expectError(await admin.send('POST', '/policy-sets/replay', {}), 'VALIDATION_ERROR', 'source')
  expectError(await admin.send('POST', '/policy-sets/replay', { source: document([]), last: 10_001 }), 'VALIDATION_ERROR', 'last')
})
