import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Governed } from '../support/governed.ts'
import { signInOperator } from '../support/operators.ts'
import { says, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { type Admin, adminClient, type Json, type Reply, refused } from './client.ts'

let governed: Governed
let admin: Admin
let application: { id: string | undefined; token: string }
beforeAll(async () => {
  governed = await sharedGoverned()
  admin = adminClient(governed.server)
  application = await governed.application({ default_model: 'scripted' })
})
afterAll(() => governed.close())

const chat = (content: string, more: object = {}, query = '', id = application.id): Promise<Reply> =>
  admin.send('POST', `/applications/${id}/chat${query}`, { messages: [{ role: 'user', content }], ...more })
const recordOf = ({ headers }: Reply): Promise<Json> => admin.get(`/audit/${headers.get('x-audit-id')}`)

test('a chat is answered as the gateway answers the Application, and its record names who played', async () => {
  const mark = word()
  governed.provider.on(mark, says('Noted.'))
  const reply = await chat(`Good morning ${mark}`, { governance: { user: { id: 'ann', role: 'guest' }, session_id: 's1' } })
  const direct = await governed.chat(`Good morning ${mark}`, {}, { token: application.token })
  expect(reply.status, reply.text).toBe(200)
  expect(Object.keys(reply.body)).toEqual(Object.keys(direct.body))
  expect(reply.body.choices[0].message.content).toBe('Noted.')
  expect(reply.body.governance.audit_id).toBe(reply.headers.get('x-audit-id'))
  const record = await recordOf(reply)
  expect(record).toMatchObject({
    application_id: application.id,
    endpoint: 'chat',
    user: { role: 'guest', verified: false },
    playground: { operator: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
  expect(record.stages).toHaveLength(12)
  expect(await admin.get(`/audit/${direct.body.governance.audit_id}`)).not.toHaveProperty('playground')
})

test('streamed, as a dry run, and refused: as the gateway does it', async () => {
  const streamed = await chat('Good morning', { stream: true })
  expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(streamed.text).toMatch(/data: \[DONE\]\s*$/)
  expect((await recordOf(streamed)).features['request.stream']).toBe(true)

  const dry = await chat('juniper-deny', { governance: { dry_run: true } })
  expect(dry.body.governance).toMatchObject({ dry_run: true, decision: { verdict: 'deny' } })

  const denied = await chat('juniper-deny')
  expect(refused(denied, 'POLICY_DENIED').audit_id).toBe(denied.headers.get('x-audit-id'))
  refused(await chat('hi', { temperature: 9 }), 'VALIDATION_ERROR', 'temperature')
  refused(await admin.send('POST', `/applications/${application.id}/chat`, undefined, { raw: '{' }), 'VALIDATION_ERROR')
})

test('somebody of the directory may be played as if a token vouched for them, and nobody else', async () => {
  const id = word()
  await admin.create('/users', { id, username: id, role: 'analyst', department: 'research', attributes: {} })
  const reply = await chat('Good morning', { governance: { user: { id: 'other' } } }, `?as=${id}`)
  expect(reply.body.governance.user_verified).toBe(true)
  expect((await recordOf(reply)).user).toMatchObject({ role: 'analyst', department: 'research', verified: true })
  refused(await chat('Good morning', {}, '?as=nobody'), 'VALIDATION_ERROR', 'as')
})

test('who may not write memories leaves none in the name of others, though it is decided whether one would stay', async () => {
  const [id, about] = [word(), word()]
  await admin.create('/users', { id, username: id })
  const memory = { enabled: true, capture: 'explicit' }
  const remembering = await governed.application({ default_model: 'scripted', settings: { memory } })
  const { token } = await admin.create('/tokens', { name: 'plays', scopes: ['playground:use'] })
  const play = (as: string | undefined) => {
    const messages = [{ role: 'user', content: `Remember this: my ship is called ${about} damson-escalate` }]
    return admin.send(
      'POST',
      `/applications/${remembering.id}/chat?as=${id}`,
      { messages },
      as === undefined ? {} : { token: as },
    )
  }
  const kept = async () => (await admin.get(`/memories?user_id=${id}`)).data
  const played = await play(token)
  expect(played.status, played.text).toBe(200)
  expect(await kept()).toEqual([])
  const record = await recordOf(played)
  expect(record.remembered).toEqual([])
  expect(record.decision.rules).toEqual([expect.objectContaining({ id: 'damson-escalate', point: 'remember' })])
  expect((await recordOf(await play(undefined))).remembered).toHaveLength(1)
  expect(await kept()).toHaveLength(1)
})

test('nobody approves what they have played, and it takes no place of what a client waits for', async () => {
  const prompt = `Please look into ${word()} juniper-hold`
  const played = refused(await chat(prompt), 'POLICY_REVIEW_PENDING').review_item_id
  refused(await admin.send('POST', `/reviews/${played}/approve`, {}), 'FORBIDDEN')
  const asked = await governed.chat(prompt, {}, { token: application.token })
  expect(asked.body.error.review_item_id).toMatch(/^rev_/)
  expect(asked.body.error.review_item_id).not.toBe(played)
})

test('nor with a token of their own, nor what such a token has played: who issued it stands behind it', async () => {
  const { browser: owner } = await signInOperator(governed.server, 'owner')
  const { browser: other } = await signInOperator(governed.server, 'owner')
  const first = (await owner.post('/admin/v1/tokens', { name: 'first' })).body.token
  const second = (await admin.create('/tokens', { name: 'second' }, { token: first })).token
  const [bySession, byFirst, bySecond] = [owner, first, second].map((who) => (path: string, json: unknown) => {
    if (typeof who !== 'string') return who.post(`/admin/v1${path}`, json)
    return admin.send('POST', path, json, { token: who })
  })
  for (const [plays, decides] of [
    [bySession, byFirst],
    [bySession, bySecond],
    [byFirst, bySession],
    [byFirst, bySecond],
  ]) {
    const messages = [{ role: 'user', content: `Please look into ${word()} juniper-hold` }]
    const played = await plays?.(`/applications/${application.id}/chat`, { messages })
    const id = refused(played as Reply, 'POLICY_REVIEW_PENDING').review_item_id
    for (const verb of ['approve', 'deny']) refused((await decides?.(`/reviews/${id}/${verb}`, {})) as Reply, 'FORBIDDEN')
    expect((await other.post(`/admin/v1/reviews/${id}/approve`)).status).toBe(200)
  }
})

test("another Workspace's Application is not there, whatever says so", async () => {
  const workspace = await admin.workspace()
  const body = { messages: [{ role: 'user', content: 'Good morning' }] }
  const before = governed.provider.calls.length
  refused(await admin.send('POST', `/applications/${application.id}/chat`, body, { workspace }), 'NOT_FOUND')
  refused(await chat('Good morning', {}, '', 'app_01h455vb4pex5vsknk084sn02q'), 'NOT_FOUND')
  refused(
    await admin.send('POST', `/applications/${application.id}/chat`, body, { token: application.token }),
    'AUTH_INVALID_KEY',
  )
  expect(governed.provider.calls.length).toBe(before)
})
