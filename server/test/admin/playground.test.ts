import { expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { signInOperator } from '../support/operators.ts'
import { says, word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'
import { type ApiResponse, adminClient, expectError, type Json } from './client.ts'

const governed = await closeAfterAll(sharedGoverned())
const admin = adminClient(governed.server)
const application = await governed.application({ default_model: 'scripted' })

const chat = (content: string, more: object = {}, query = '', id = application.id): Promise<ApiResponse> =>
  admin.send('POST', `/applications/${id}/chat${query}`, { messages: [{ role: 'user', content }], ...more })
const recordOf = ({ headers }: ApiResponse): Promise<Json> => admin.get(`/audit/${headers.get('x-audit-id')}`)

test('playground: the response is that of the gateway, and the audit record names the operator', async () => {
  const mark = word()
  governed.provider.on(mark, says('Noted.'))
  const response = await chat(`Good morning ${mark}`, { governance: { user: { id: 'ann', role: 'guest' }, session_id: 's1' } })
  const direct = await governed.chat(`Good morning ${mark}`, {}, { token: application.token })
  expect(response.status, response.text).toBe(200)
  expect(Object.keys(response.body)).toEqual(Object.keys(direct.body))
  expect(response.body.choices[0].message.content).toBe('Noted.')
  expect(response.body.governance.audit_id).toBe(response.headers.get('x-audit-id'))
  const record = await recordOf(response)
  expect(record).toMatchObject({
    application_id: application.id,
    endpoint: 'chat',
    user: { role: 'guest', verified: false },
    playground: { operator: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
  expect(record.stages).toHaveLength(12)
  expect(await admin.get(`/audit/${direct.body.governance.audit_id}`)).not.toHaveProperty('playground')
})

test('playground: streams, dry runs and refusals are those of the gateway', async () => {
  const streamed = await chat('Good morning', { stream: true })
  expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/)
  expect(streamed.text).toMatch(/data: \[DONE\]\s*$/)
  expect((await recordOf(streamed)).features['request.stream']).toBe(true)

  const dryRun = await chat('juniper-deny', { governance: { dry_run: true } })
  expect(dryRun.body.governance).toMatchObject({ dry_run: true, decision: { verdict: 'deny' } })

  const denied = await chat('juniper-deny')
  expect(expectError(denied, 'POLICY_DENIED').audit_id).toBe(denied.headers.get('x-audit-id'))
  expectError(await chat('hi', { temperature: 9 }), 'VALIDATION_ERROR', 'temperature')
  expectError(await admin.send('POST', `/applications/${application.id}/chat`, undefined, { raw: '{' }), 'VALIDATION_ERROR')
})

test('playground: `as` makes an existing user the verified user, and 400 for an unknown user', async () => {
  const id = word()
  await admin.create('/users', { id, username: id, role: 'analyst', department: 'research', attributes: {} })
  const response = await chat('Good morning', { governance: { user: { id: 'other' } } }, `?as=${id}`)
  expect(response.body.governance.user_verified).toBe(true)
  expect((await recordOf(response)).user).toMatchObject({ role: 'analyst', department: 'research', verified: true })
  expectError(await chat('Good morning', {}, '?as=unknown'), 'VALIDATION_ERROR', 'as')
})

test('playground: stores no memory for another user without the scope memories:write, but evaluates the memory rules', async () => {
  const [id, about] = [word(), word()]
  await admin.create('/users', { id, username: id })
  const memory = { enabled: true, capture: 'explicit' }
  const memoryApplication = await governed.application({ default_model: 'scripted', settings: { memory } })
  const { token } = await admin.create('/tokens', { name: 'playground', scopes: ['playground:use'] })
  const messages = [{ role: 'user', content: `Remember this: my ship is called ${about} damson-escalate` }]
  const chatAs = (sending?: { token: string }) =>
    admin.send('POST', `/applications/${memoryApplication.id}/chat?as=${id}`, { messages }, sending)
  const storedMemories = async () => (await admin.get(`/memories?user_id=${id}`)).data
  const response = await chatAs({ token })
  expect(response.status, response.text).toBe(200)
  expect(await storedMemories()).toEqual([])
  const record = await recordOf(response)
  expect(record.remembered).toEqual([])
  expect(record.decision.rules).toEqual([expect.objectContaining({ id: 'damson-escalate', point: 'remember' })])
  expect((await recordOf(await chatAs())).remembered).toHaveLength(1)
  expect(await storedMemories()).toHaveLength(1)
})

test('playground: the operator cannot approve the own request, and a client with the same prompt gets a hold of its own', async () => {
  const prompt = `Please look into ${word()} juniper-hold`
  const reviewId = expectError(await chat(prompt), 'POLICY_REVIEW_PENDING').review_item_id
  expectError(await admin.send('POST', `/reviews/${reviewId}/approve`, {}), 'FORBIDDEN')
  const direct = await governed.chat(prompt, {}, { token: application.token })
  expect(direct.body.error.review_item_id).toMatch(/^rev_/)
  expect(direct.body.error.review_item_id).not.toBe(reviewId)
})

test('playground: an admin token counts as the operator who issued it, for requests and for decisions', async () => {
  const { browser: owner } = await signInOperator(governed.server, 'owner')
  const { browser: other } = await signInOperator(governed.server, 'owner')
  const first = (await owner.post('/admin/v1/tokens', { name: 'first' })).body.token
  const second = (await admin.create('/tokens', { name: 'second' }, { token: first })).token
  const [bySession, byFirst, bySecond] = [owner, first, second].map((credential) => (path: string, json: unknown) => {
    if (typeof credential !== 'string') return credential.post(`/admin/v1${path}`, json)
    return admin.send('POST', path, json, { token: credential })
  })
  for (const [request, decide] of [
    [bySession, byFirst],
    [bySession, bySecond],
    [byFirst, bySession],
    [byFirst, bySecond],
  ]) {
    const messages = [{ role: 'user', content: `Please look into ${word()} juniper-hold` }]
    const response = await request?.(`/applications/${application.id}/chat`, { messages })
    const id = expectError(response as ApiResponse, 'POLICY_REVIEW_PENDING').review_item_id
    for (const verb of ['approve', 'deny'])
      expectError((await decide?.(`/reviews/${id}/${verb}`, {})) as ApiResponse, 'FORBIDDEN')
    expect((await other.post(`/admin/v1/reviews/${id}/approve`)).status).toBe(200)
  }
})

test('playground: 404 for an Application of another Workspace', async () => {
  const workspace = await admin.workspace()
  const body = { messages: [{ role: 'user', content: 'Good morning' }] }
  const before = governed.provider.calls.length
  expectError(await admin.send('POST', `/applications/${application.id}/chat`, body, { workspace }), 'NOT_FOUND')
  expectError(await chat('Good morning', {}, '', 'app_01h455vb4pex5vsknk084sn02q'), 'NOT_FOUND')
  expectError(
    await admin.send('POST', `/applications/${application.id}/chat`, body, { token: application.token }),
    'AUTH_INVALID_KEY',
  )
  expect(governed.provider.calls.length).toBe(before)
})
