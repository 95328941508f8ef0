import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { contentOf, expectError as refusedByGateway } from '../support/gateway-client.ts'
import { type HeldPrompt, startGoverned } from '../support/governed.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { adminClient, expectError, type Json } from './client.ts'

const MAIL = 'jane.roe@brightwater.example.com'
const governed = await closeAfterAll(startGoverned())
const admin = adminClient(governed.server)

const preview = ({ id }: Pick<HeldPrompt, 'id'>): Promise<Json> => admin.get(`/reviews/${id}/preview`)
const approve = ({ id }: Pick<HeldPrompt, 'id'>) => governed.decide(id, 'approve')
const NOTHING_REMEMBERED = { memories: [], left_out: 0, extracted: false }

/** An Application whose chats leave the memories that users ask for. */
const remembering = (capture: 'explicit' | 'extract' = 'explicit') =>
  governed.application({
    default_model: 'scripted',
    settings: { knowledge: { enabled: false }, memory: { enabled: true, capture } },
  })
const memoriesOf = async (user: string): Promise<Json[]> => (await admin.get(`/memories?user_id=${user}`)).data

test('preview: a held request is shown as the provider gets it at the release [ADM-REV-6]', async () => {
  const marks = `juniper-hold juniper-pseudonymize juniper-tokens juniper-system ${MAIL}`
  const more = { metadata: { note: MAIL }, max_tokens: 500 }
  const held = await governed.holdPrompt(marks, { more })
  const shown = await preview(held)
  expect(JSON.stringify(shown)).not.toContain(MAIL)
  expect(shown).toMatchObject({
    object: 'review_preview',
    review_item_id: held.id,
    policy: { name: 'demo' },
    refusal: null,
    transforms: ['pseudonymize:pii'],
    directives: expect.arrayContaining(['max_tokens:17', 'system:manners']),
    searches: { knowledge: false, memory: false },
    remembered: { ...NOTHING_REMEMBERED, reason: 'disabled' },
  })
  expect(governed.countProviderCalls(held)).toBe(0)
  await approve(held)
  expect((await governed.resubmit(held, {}, more)).status).toBe(200)
  const { messages, metadata, max_tokens } = (governed.provider.callsWith(held.word)[0]?.body ?? {}) as Json
  expect(shown.released).toMatchObject({ messages, parameters: { metadata, max_tokens } })
  expect(shown.providers).toContain('openai')
})

test('preview: conditions see the user of the held request [ADM-REV-6]', async () => {
  const pilots = { id: 'masked-for-pilots', at: ['input'], when: 'user.role == "pilot" && user.attributes.wing == "left"' }
  await governed.publish([...MARKER_RULES, { ...pilots, transforms: ['mask:pii'] }] as never)
  const user = { id: 'pilot-8', role: 'pilot', attributes: { wing: 'left' } }
  const held = await governed.holdPrompt(`juniper-hold ${MAIL}`, { more: { governance: { user } } })
  expect((await preview(held)).transforms).toEqual(['mask:pii'])
  await governed.publish(MARKER_RULES)
})

test('preview: a held completion is shown as the client receives it [ADM-REV-6]', async () => {
  const held = await governed.holdCompletion({ answer: `sorrel-hold sorrel-redact ${MAIL}` })
  const shown = await preview(held)
  expect(Object.keys(shown.released)).toEqual(['completion'])
  const text = shown.released.completion.choices[0].message.content
  expect(text).not.toContain(MAIL)
  expect(shown.transforms).toEqual(['redact:pii'])
  await approve(held)
  expect(contentOf(await governed.resubmit(held))).toBe(text)
})

test('preview: memories that the user asks for are those that the release stores [ADM-REV-6]', async () => {
  const { token } = await remembering()
  const more = { governance: { user: { id: 'keeper' } } }
  const mark = 'juniper-hold. Remember that my cat is called Rex. Remember that my key is damson-off.'
  const held = await governed.holdPrompt(mark, { more, options: { token } })
  const { remembered } = await preview(held)
  expect(remembered).toMatchObject({ left_out: 1, extracted: false, reason: null })
  expect(await memoriesOf('keeper')).toEqual([])
  await approve(held)
  expect((await governed.resubmit(held, { user: { id: 'keeper' } }, {}, { token })).status).toBe(200)
  const stored = await memoriesOf('keeper')
  expect(
    stored.map(({ content, kind, scope, classification, mode }) => ({ content, kind, scope, classification, mode })),
  ).toEqual(remembered.memories.map(({ summary: _, ...memory }: Json) => memory))
  expect(stored).toHaveLength(1)
})

test('preview: names the reason why nothing is remembered, and that a model extracts memories [ADM-REV-6]', async () => {
  const { token } = await remembering()
  const user = { governance: { user: { id: 'keeper' } } }
  const off = await governed.holdPrompt('juniper-hold juniper-memory-off', { more: user, options: { token } })
  expect((await preview(off)).remembered).toEqual({ ...NOTHING_REMEMBERED, reason: 'policy' })
  const completion = await governed.holdCompletion({ answer: 'sorrel-hold sorrel-memory-off', more: user, options: { token } })
  expect((await preview(completion)).remembered.reason).toBe('policy')
  const extracting = await remembering('extract')
  const held = await governed.holdPrompt('juniper-hold', { more: user, options: { token: extracting.token } })
  expect((await preview(held)).remembered).toEqual({ ...NOTHING_REMEMBERED, extracted: true, reason: null })
})

test('preview: shows the refusal when the active policies deny the release [ADM-REV-6]', async () => {
  const held = await governed.holdPrompt()
  const deny = { id: 'denied-since', at: ['input'], when: `content.text.contains("${held.word}")`, verdict: 'deny' }
  await governed.publish([...MARKER_RULES, deny] as never)
  expect(await preview(held)).toMatchObject({
    released: null,
    refusal: { code: 'POLICY_DENIED', rules: ['denied-since'], failed: [] },
    remembered: { ...NOTHING_REMEMBERED, reason: 'refused' },
  })
  await approve(held)
  refusedByGateway(await governed.resubmit(held), 'POLICY_DENIED')
  await governed.publish(MARKER_RULES)
})

test('preview: shows the refusal when no provider may serve the request any more [ADM-REV-6]', async () => {
  const held = await governed.holdPrompt()
  const nowhere = { id: 'nowhere', at: ['input'], when: 'true', directives: ['route:provider=absent'] }
  await governed.publish([...MARKER_RULES, nowhere] as never)
  expect(await preview(held)).toMatchObject({ released: null, refusal: { code: 'NO_ELIGIBLE_PROVIDER', rules: [] } })
  await governed.publish(MARKER_RULES)
})

test('preview: is recorded like the content, and changes nothing [ADM-REV-6]', async () => {
  const held = await governed.holdPrompt()
  await preview(held)
  expect((await admin.records())[0].change).toEqual({
    action: 'review.read',
    object_type: 'review',
    object_id: held.id,
    fields: ['preview'],
  })
  expect((await admin.get(`/reviews/${held.id}`)).state).toBe('pending')
  await approve(held)
  await preview(held)
  expect(contentOf(await governed.resubmit(held))).toBe(held.answer)
  expectError(await admin.send('GET', `/reviews/${held.id}/preview`), 'CONFLICT')
})

test('preview: refused for escalations and for holds that are decided, and not found elsewhere [ADM-REV-6]', async () => {
  const denied = await governed.holdPrompt()
  await governed.decide(denied.id, 'deny')
  expectError(await admin.send('GET', `/reviews/${denied.id}/preview`), 'CONFLICT')
  await governed.sendPrompt('juniper-escalate')
  const { data } = await admin.get('/reviews?kind=escalation&limit=1')
  expectError(await admin.send('GET', `/reviews/${data[0].id}/preview`), 'CONFLICT')
  const held = await governed.holdPrompt()
  const workspace = await admin.workspace()
  expectError(await admin.send('GET', `/reviews/${held.id}/preview`, undefined, { workspace }), 'NOT_FOUND')
})
