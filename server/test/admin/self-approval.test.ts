import { beforeAll, describe, expect, test } from 'vitest'
import { hasOperatorIssuedPassword } from '../../src/domains/operators/independence-store.ts'
import { createMembers, unlimitedRate } from '../messaging/client.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { contentOf, expectError as refusedByGateway } from '../support/gateway-client.ts'
import { type HeldPrompt, startGoverned } from '../support/governed.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { acceptFromServer, Browser, inviteOperator, PASSWORD, signInOperator } from '../support/operators.ts'
import { says, word } from '../support/scripted-provider.ts'
import { adminClient, expectError, type Json } from './client.ts'

const governed = await closeAfterAll(startGoverned({}, { userRateLimiter: unlimitedRate() }))
const admin = adminClient(governed.server)
const message = { id: 'linden-hold', at: ['message'], when: 'content.text.contains("linden-hold")', verdict: 'require_approval' }
await governed.publish([...MARKER_RULES, message] as never)

const LIMITS = { requests_per_minute: 1_000_000, burst: 100_000, concurrency: 10_000 }

/** An owner who has issued the key of a new Application. */
async function createKeyIssuer() {
  const owner = await signInOperator(governed.server, 'owner')
  const application = await admin.create('/applications', {
    name: crypto.randomUUID(),
    default_model: 'demo-mini',
    limits: LIMITS,
  })
  const { key, issued_by } = (await owner.browser.post(`/admin/v1/applications/${application.id}/keys`, { name: 'k' })).body
  expect(issued_by).toBe(owner.id)
  return { ...owner, application, key: String(key) }
}

const hold = (key: string, name = 'someone else'): Promise<HeldPrompt> =>
  governed.holdPrompt('juniper-hold', { options: { token: key }, more: { governance: { user: { id: name } } } })
const approve = (browser: Browser, id: string) => browser.post(`/admin/v1/reviews/${id}/approve`)
const stateOf = async (id: string) => (await admin.get(`/reviews/${id}`)).state

describe('self-approval: the operator who issued the key of a request', () => {
  test('403 when the request names another user', async () => {
    const owner = await createKeyIssuer()
    const { id } = await hold(owner.key)
    expect(await admin.get(`/reviews/${id}`)).toMatchObject({ key_issuers: [owner.id], key_id: expect.stringMatching(/^key_/) })
    for (const verb of ['approve', 'deny'])
      expect(expectError(await owner.browser.post(`/admin/v1/reviews/${id}/${verb}`), 'FORBIDDEN').message).toContain('API key')
    expect(await stateOf(id)).toBe('pending')
    const other = await signInOperator(governed.server, 'reviewer')
    expect((await approve(other.browser, id)).body.state).toBe('approved')
  })

  test('403 when an admin token of the operator issued the key or decides', async () => {
    const owner = await createKeyIssuer()
    const token = (await owner.browser.post('/admin/v1/tokens', { name: 't' })).body.token
    const { id } = await hold(owner.key)
    expectError(await admin.send('POST', `/reviews/${id}/approve`, undefined, { token }), 'FORBIDDEN')
    const { key } = await admin.create(`/applications/${owner.application.id}/keys`, { name: 'by token' }, { token })
    const other = await hold(key, 'yet another')
    expectError(await approve(owner.browser, other.id), 'FORBIDDEN')
    expectError(await admin.send('POST', `/reviews/${other.id}/approve`, undefined, { token }), 'FORBIDDEN')
  })

  test('any reviewer can decide when a token without an operator issued the key', async () => {
    const { token } = await admin.create('/tokens', { name: 'automation' })
    const { id } = await admin.create('/applications', { name: crypto.randomUUID(), default_model: 'demo-mini', limits: LIMITS })
    const { key, issued_by } = await admin.create(`/applications/${id}/keys`, { name: 'k' }, { token })
    expect(issued_by).toMatch(/^adm_/)
    const held = await hold(key)
    expect((await admin.get(`/reviews/${held.id}`)).key_issuers).toEqual([])
    const other = await signInOperator(governed.server, 'reviewer')
    expect((await approve(other.browser, held.id)).status).toBe(200)
  })

  test('403 for the held completion when another reviewer approved the request', async () => {
    const owner = await createKeyIssuer()
    const otherKey = await admin.create(`/applications/${owner.application.id}/keys`, { name: 'other' })
    const other = await signInOperator(governed.server, 'reviewer')
    const held = await governed.holdPrompt('juniper-hold', { options: { token: owner.key }, answer: 'sorrel-hold' })
    expect((await approve(other.browser, held.id)).status).toBe(200)
    const again = await governed.resubmit(held, {}, {}, { token: otherKey.key })
    const successor = refusedByGateway(again, 'POLICY_REVIEW_PENDING').review_item_id
    expect(successor).toMatch(/^rev_/)
    expect(successor).not.toBe(held.id)
    expectError(await approve(owner.browser, String(successor)), 'FORBIDDEN')
  })

  test("403 when an identical request with the operator's key joins the hold", async () => {
    const owner = await createKeyIssuer()
    const { key } = await admin.create(`/applications/${owner.application.id}/keys`, { name: 'other' })
    const first = await hold(key)
    const same = { governance: { user: { id: 'someone else' } } }
    const joined = await governed.chat(first.prompt, same, { token: owner.key })
    expect(JSON.stringify(joined)).toContain(first.id)
    expectError(await approve(owner.browser, first.id), 'FORBIDDEN')
  })

  test("an earlier approval releases no identical request with the approver's own key", async () => {
    const owner = await createKeyIssuer()
    const { key } = await admin.create(`/applications/${owner.application.id}/keys`, { name: 'other' })
    const { token } = (await owner.browser.post('/admin/v1/tokens', { name: 't' })).body
    const users = { byOperator: { id: 'first' }, byToken: { id: 'second' } }
    const [byOperator, byToken] = [await hold(key, users.byOperator.id), await hold(key, users.byToken.id)]
    expect((await approve(owner.browser, byOperator.id)).body.state).toBe('approved')
    expect((await admin.send('POST', `/reviews/${byToken.id}/approve`, {}, { token })).body.state).toBe('approved')
    for (const [held, user] of [[byOperator, users.byOperator] as const, [byToken, users.byToken] as const]) {
      const sendAgain = (by: string) => governed.resubmit(held, { user }, {}, { token: by })
      expect(refusedByGateway(await sendAgain(owner.key), 'VALIDATION_ERROR').message).toContain('has approved the hold')
      expect(contentOf(await sendAgain(key))).toBe(held.answer)
      refusedByGateway(await sendAgain(owner.key), 'VALIDATION_ERROR')
    }
  })
})

test('self-approval: 403 for messages of a user whose access token the operator issued', async () => {
  const owner = await signInOperator(governed.server, 'owner')
  const { ann, ben } = await createMembers(governed.server, ['ann', 'ben'])
  const { token } = (await owner.browser.post(`/admin/v1/users/${ann.id}/tokens`, {})).body
  const chat = await ann.create('/conversations', { contact_id: ben.id })
  const sent = await fetch(`${governed.server.base}/v1/messages`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ conversation_id: chat.id, message: 'linden-hold' }),
  })
  const { error } = (await sent.json()) as Json
  expect(error.code).toBe('POLICY_REVIEW_PENDING')
  expect(expectError(await approve(owner.browser, error.review_item_id), 'FORBIDDEN').message).toContain('token of the user')
  const other = await signInOperator(governed.server, 'reviewer')
  expect((await approve(other.browser, error.review_item_id)).status).toBe(200)
})

test("self-approval: 403 for an assistant's reply to a message sent with such a token before its revocation", async () => {
  const owner = await signInOperator(governed.server, 'owner')
  const { ann } = await createMembers(governed.server, ['ann'])
  const application = await governed.application({ default_model: 'scripted' })
  const assistant = await admin.create('/assistants', { username: word(), application_id: application.id })
  const issued = (await owner.browser.post(`/admin/v1/users/${ann.id}/tokens`, {})).body
  const chat = await ann.create('/conversations', { contact_id: assistant.id })
  const key = word()
  const revoked = Promise.withResolvers<void>()
  governed.provider.on(key, (response, call) => void revoked.promise.then(() => says('sorrel-hold')(response, call)))
  const sent = await ann.send('POST', '/messages', { conversation_id: chat.id, message: key }, { token: issued.token })
  expect(sent.status, sent.text).toBe(201)
  await owner.browser.post(`/admin/v1/access-tokens/${issued.id}/revoke`)
  revoked.resolve()
  await governed.server.context.assistants.idle()
  const { data } = await admin.get('/reviews?state=pending&limit=100')
  const [item] = data.filter(({ message_id }: Json) => message_id === sent.body.id)
  expect(expectError(await approve(owner.browser, item.id), 'FORBIDDEN').message).toContain('token of the user')
  const other = await signInOperator(governed.server, 'reviewer')
  expect((await approve(other.browser, item.id)).status).toBe(200)
})

/** An operator who chose the password with an invitation of the server. */
async function inviteIndependent(role: 'reviewer' | 'owner') {
  const person = await inviteOperator(governed.server, role)
  return { ...person, browser: await acceptFromServer(governed.server, person.id) }
}

describe('two-person approval', () => {
  const workspace = governed.demo.workspace.id
  beforeAll(async () => {
    const patch = { settings: { review: { four_eyes: true } } }
    expect((await admin.patch(`/workspaces/${workspace}`, patch)).settings.review.four_eyes).toBe(true)
  })

  test('approval: 403 for operators who can cause requests, admin tokens and operators invited by operators', async () => {
    const { id } = await governed.holdPrompt('juniper-hold')
    const owner = await signInOperator(governed.server, 'owner')
    expect(expectError(await approve(owner.browser, id), 'FORBIDDEN').message).toContain('second role')
    expect(expectError(await admin.send('POST', `/reviews/${id}/approve`), 'FORBIDDEN').message).toContain('admin token')
    const invitee = await signInOperator(governed.server, 'reviewer')
    expect(expectError(await approve(invitee.browser, id), 'FORBIDDEN').message).toContain('gatehouse operator invite')
    expect(await stateOf(id)).toBe('pending')
    const reviewer = await inviteIndependent('reviewer')
    expect((await approve(reviewer.browser, id)).body.state).toBe('approved')
  })

  test('approval: 403 when an operator has sent a new invitation to an independent reviewer', async () => {
    const reviewer = await inviteIndependent('reviewer')
    const { db } = governed.server.context.database
    expect(await hasOperatorIssuedPassword(db, reviewer.id)).toBe(false)
    const { url } = await admin.create(`/operators/${reviewer.id}/invitation`)
    const token = new URL(url).searchParams.get('token')
    const browser = new Browser(governed.server.base)
    expect((await browser.post('/auth/gatehouse/accept', { token, password: PASSWORD })).status).toBe(200)
    const { id } = await governed.holdPrompt('juniper-hold')
    expectError(await approve(browser, id), 'FORBIDDEN')
  })

  test('approval: 403 when an owner becomes a reviewer, until an invitation of the server is accepted', async () => {
    const { id } = await governed.holdPrompt('juniper-hold')
    await signInOperator(governed.server, 'owner')
    const owner = await inviteIndependent('owner')
    const demoted = await owner.browser.send('PATCH', `/admin/v1/operators/${owner.id}`, { role: 'reviewer' })
    expect(demoted.status, demoted.text).toBe(200)
    expect((await owner.browser.signIn(owner.email)).status).toBe(200)
    expect(expectError(await approve(owner.browser, id), 'FORBIDDEN').message).toContain('you had a role')
    expect(await stateOf(id)).toBe('pending')
    const reinvited = await acceptFromServer(governed.server, owner.id)
    expect((await approve(reinvited, id)).body.state).toBe('approved')
  })

  test('denial: allowed to every reviewer', async () => {
    const { id } = await governed.holdPrompt('juniper-hold')
    const invitee = await signInOperator(governed.server, 'reviewer')
    expect((await invitee.browser.post(`/admin/v1/reviews/${id}/deny`)).body.state).toBe('denied')
  })

  test('settings: 403 when the admin API turns four_eyes off', async () => {
    for (const settings of [{ review: { four_eyes: false } }, { review: null }, { review: { four_eyes: null } }])
      expectError(await admin.send('PATCH', `/workspaces/${workspace}`, { settings }), 'FORBIDDEN', 'settings.review.four_eyes')
    expect((await admin.get(`/workspaces/${workspace}`)).settings.review.four_eyes).toBe(true)
  })
})
