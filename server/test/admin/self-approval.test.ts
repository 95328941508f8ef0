import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newInvitationToken, putInvitation } from '../../src/operators/invitation-store.ts'
import { hasOperatorIssuedPassword } from '../../src/operators/operator-store.ts'
import { createMembers, unlimitedRate } from '../messaging/client.ts'
import { refused as refusedByGateway } from '../support/gateway-client.ts'
import { type Governed, type HeldPrompt, startGoverned } from '../support/governed.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { Browser, inviteOperator, PASSWORD, signInOperator } from '../support/operators.ts'
import { says, word } from '../support/scripted-provider.ts'
import { type Admin, adminClient, type Json, refused } from './client.ts'

let governed: Governed
let admin: Admin
beforeAll(async () => {
  governed = await startGoverned({}, { userRateLimiter: unlimitedRate() })
  admin = adminClient(governed.server)
  const message = {
    id: 'linden-hold',
    at: ['message'],
    when: 'content.text.contains("linden-hold")',
    verdict: 'require_approval',
  }
  await governed.publish([...MARKER_RULES, message])
})
afterAll(() => governed.close())

const LIMITS = { requests_per_minute: 1_000_000, burst: 100_000, concurrency: 10_000 }

/** An owner, and a key of a new Application that they have issued. */
async function issuer() {
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

const hold = (key: string, name = 'somebody else'): Promise<HeldPrompt> =>
  governed.holdPrompt('juniper-hold', { options: { token: key }, more: { governance: { user: { id: name } } } })
const approve = (at: Browser, id: string) => at.post(`/admin/v1/reviews/${id}/approve`)
const stateOf = async (id: string) => (await admin.get(`/reviews/${id}`)).state

describe('an operator who issued the key of a request', () => {
  test('self-approval: they cannot decide on it when it was asked under another name', async () => {
    const owner = await issuer()
    const { id } = await hold(owner.key)
    expect(await admin.get(`/reviews/${id}`)).toMatchObject({ key_issuers: [owner.id], key_id: expect.stringMatching(/^key_/) })
    for (const verb of ['approve', 'deny'])
      expect(refused(await owner.browser.post(`/admin/v1/reviews/${id}/${verb}`), 'FORBIDDEN').message).toContain('API key')
    expect(await stateOf(id)).toBe('pending')
    const other = await signInOperator(governed.server, 'reviewer')
    expect((await approve(other.browser, id)).body.state).toBe('approved')
  })

  test('self-approval: neither does an admin token of theirs help, to issue or to approve', async () => {
    const owner = await issuer()
    const token = (await owner.browser.post('/admin/v1/tokens', { name: 't' })).body.token
    const { id } = await hold(owner.key)
    refused(await admin.send('POST', `/reviews/${id}/approve`, undefined, { token }), 'FORBIDDEN')
    const { key } = await admin.create(`/applications/${owner.application.id}/keys`, { name: 'by token' }, { token })
    const other = await hold(key, 'yet another')
    refused(await approve(owner.browser, other.id), 'FORBIDDEN')
    refused(await admin.send('POST', `/reviews/${other.id}/approve`, undefined, { token }), 'FORBIDDEN')
  })

  test('self-approval: a key that a token without an operator issued binds no operator', async () => {
    const { token } = await admin.create('/tokens', { name: 'automation' })
    const { id } = await admin.create('/applications', { name: crypto.randomUUID(), default_model: 'demo-mini', limits: LIMITS })
    const { key, issued_by } = await admin.create(`/applications/${id}/keys`, { name: 'k' }, { token })
    expect(issued_by).toMatch(/^adm_/)
    const held = await hold(key)
    expect((await admin.get(`/reviews/${held.id}`)).key_issuers).toEqual([])
    const other = await signInOperator(governed.server, 'reviewer')
    expect((await approve(other.browser, held.id)).status).toBe(200)
  })

  test('self-approval: they cannot decide on the answer of a request of theirs that another approved', async () => {
    const owner = await issuer()
    const seeded = await admin.create(`/applications/${owner.application.id}/keys`, { name: 'other' })
    const other = await signInOperator(governed.server, 'reviewer')
    const held = await governed.holdPrompt('juniper-hold', { options: { token: owner.key }, answer: 'sorrel-hold' })
    expect((await approve(other.browser, held.id)).status).toBe(200)
    const again = await governed.resubmit(held, {}, {}, { token: seeded.key })
    const successor = refusedByGateway(again, 'POLICY_REVIEW_PENDING').review_item_id
    expect(successor).toMatch(/^rev_/)
    expect(successor).not.toBe(held.id)
    refused(await approve(owner.browser, String(successor)), 'FORBIDDEN')
  })

  test('self-approval: an identical request with their key joins the hold, and they may not decide on it any more', async () => {
    const owner = await issuer()
    const { key } = await admin.create(`/applications/${owner.application.id}/keys`, { name: 'other' })
    const first = await hold(key)
    const same = { governance: { user: { id: 'somebody else' } } }
    const joined = await governed.chat(first.prompt, same, { token: owner.key })
    expect(JSON.stringify(joined)).toContain(first.id)
    refused(await approve(owner.browser, first.id), 'FORBIDDEN')
  })
})

describe('an operator who issued a token of a user', () => {
  test('self-approval: they cannot decide on what the user sends', async () => {
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
    expect(refused(await approve(owner.browser, error.review_item_id), 'FORBIDDEN').message).toContain('token of the user')
    const other = await signInOperator(governed.server, 'reviewer')
    expect((await approve(other.browser, error.review_item_id)).status).toBe(200)
  })
})

describe('an operator who issued a token of a user and revoked it', () => {
  test('self-approval: they cannot decide on what an assistant answers to a message that was sent before', async () => {
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
    expect(refused(await approve(owner.browser, item.id), 'FORBIDDEN').message).toContain('token of the user')
    const other = await signInOperator(governed.server, 'reviewer')
    expect((await approve(other.browser, item.id)).status).toBe(200)
  })
})

/** Somebody who chose the password with a link of the server's own. */
async function independent(role: 'reviewer' | 'owner') {
  const person = await inviteOperator(governed.server, role)
  return { ...person, browser: await acceptFromServer(person.id) }
}

const independentReviewer = () => independent('reviewer')

/** Opens a link that the server itself made, as `gatehouse operator invite` does. */
async function acceptFromServer(id: string): Promise<Browser> {
  const token = newInvitationToken()
  const { db } = governed.server.context.database
  await db.transaction().execute((tx) => putInvitation(tx, id, token, new Date()))
  const browser = new Browser(governed.server.base)
  expect((await browser.post('/auth/gatehouse/accept', { token, password: PASSWORD })).status).toBe(200)
  return browser
}

describe('where a Workspace demands four eyes', () => {
  let workspace: string
  beforeAll(async () => {
    workspace = (await admin.get('/workspaces')).data[0].id
    const patch = { settings: { review: { four_eyes: true } } }
    expect((await admin.patch(`/workspaces/${workspace}`, patch)).settings.review).toEqual({ four_eyes: true })
  })

  test('four eyes: an operator who could cause requests, an admin token and an invitee of an operator cannot approve', async () => {
    const { id } = await governed.holdPrompt('juniper-hold')
    const owner = await signInOperator(governed.server, 'owner')
    expect(refused(await approve(owner.browser, id), 'FORBIDDEN').message).toContain('second role')
    expect(refused(await admin.send('POST', `/reviews/${id}/approve`), 'FORBIDDEN').message).toContain('admin token')
    const invitee = await signInOperator(governed.server, 'reviewer')
    expect(refused(await approve(invitee.browser, id), 'FORBIDDEN').message).toContain('gatehouse operator invite')
    expect(await stateOf(id)).toBe('pending')
    const reviewer = await independentReviewer()
    expect((await approve(reviewer.browser, id)).body.state).toBe('approved')
  })

  test('four eyes: whoever gives an independent reviewer a new link takes the independence away', async () => {
    const reviewer = await independentReviewer()
    const { db } = governed.server.context.database
    expect(await hasOperatorIssuedPassword(db, reviewer.id)).toBe(false)
    const { url } = await admin.create(`/operators/${reviewer.id}/invitation`)
    const token = new URL(url).searchParams.get('token')
    const at = new Browser(governed.server.base)
    expect((await at.post('/auth/gatehouse/accept', { token, password: PASSWORD })).status).toBe(200)
    const { id } = await governed.holdPrompt('juniper-hold')
    refused(await approve(at, id), 'FORBIDDEN')
  })

  test('four eyes: an owner who takes the role of a reviewer cannot approve, until the server vouches for them anew', async () => {
    const { id } = await governed.holdPrompt('juniper-hold')
    await signInOperator(governed.server, 'owner')
    const owner = await independent('owner')
    const demoted = await owner.browser.send('PATCH', `/admin/v1/operators/${owner.id}`, { role: 'reviewer' })
    expect(demoted.status, demoted.text).toBe(200)
    expect((await owner.browser.signIn(owner.email)).status).toBe(200)
    expect(refused(await approve(owner.browser, id), 'FORBIDDEN').message).toContain('you had a role')
    expect(await stateOf(id)).toBe('pending')
    const vouched = await acceptFromServer(owner.id)
    expect((await approve(vouched, id)).body.state).toBe('approved')
  })

  test('four eyes: a hold is still denied by any reviewer', async () => {
    const { id } = await governed.holdPrompt('juniper-hold')
    const invitee = await signInOperator(governed.server, 'reviewer')
    expect((await invitee.browser.post(`/admin/v1/reviews/${id}/deny`)).body.state).toBe('denied')
  })

  test('four eyes: the admin API cannot turn them off', async () => {
    for (const settings of [{ review: { four_eyes: false } }, { review: null }, { review: { four_eyes: null } }])
      refused(await admin.send('PATCH', `/workspaces/${workspace}`, { settings }), 'FORBIDDEN', 'settings.review.four_eyes')
    expect((await admin.get(`/workspaces/${workspace}`)).settings.review).toEqual({ four_eyes: true })
  })
})
