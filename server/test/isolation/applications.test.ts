import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { expectError, expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

const governed = await closeAfterAll(sharedGoverned())

/** A response without values that differ for each request: known ids, the record's id and times. */
function bytesOf({ status, headers, text }: GatewayResponse, ...known: string[]): string {
  const auditId = headers.get('x-audit-id')
  const own = [...known, ...(auditId === null ? [] : [auditId])]
  const withoutIds = (value: string) => own.reduce((rest, id) => rest.replaceAll(id, 'ID'), value)
  const shown = [...headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit', 'content-length'].includes(name))
  return withoutIds(JSON.stringify({ status, headers: shown, text }))
}

const UNKNOWN_RECORD = 'aud_01h455vb4pex5vsknk084sn02q'
const UNKNOWN_REVIEW = 'rev_01h455vb4pex5vsknk084sn02q'

describe('isolation of Applications', () => {
  test('audit records: response has the same bytes when the id belongs to another Application or is unknown', async () => {
    const { audit_id } = expectSuccess((await governed.sendPrompt()).response).governance
    expectSuccess(await governed.api('GET', `/v1/audit/${audit_id}`))
    const sendRequest = (id: string) => governed.api('GET', `/v1/audit/${id}`, { token: governed.key(1) })
    const foreign = await sendRequest(audit_id)
    expectError(foreign, 'NOT_FOUND')
    expect(bytesOf(foreign, audit_id)).toBe(bytesOf(await sendRequest(UNKNOWN_RECORD), UNKNOWN_RECORD))
  })
  test('audit records: request gets 404 when the record describes a change by an operator', async () => {
    const { data } = expectSuccess(await governed.admin('GET', '/audit?limit=100'))
    const changes = data.filter(({ application_id }) => application_id === null)
    expect(changes.length).toBeGreaterThan(0)
    for (const { id } of changes.slice(0, 3)) expectError(await governed.api('GET', `/v1/audit/${id}`), 'NOT_FOUND')
  })
  test('models: response has the same bytes when the model belongs to another Application or does not exist', async () => {
    const sendRequest = (model: string) => governed.chat('Good morning', { model }, { app: 1 })
    const foreign = await sendRequest('demo-support')
    expectError(foreign, 'NO_ELIGIBLE_PROVIDER')
    expect(bytesOf(foreign, 'demo-support')).toBe(bytesOf(await sendRequest('no-such-mod'), 'no-such-mod'))
    expectSuccess(await governed.chat('Good morning', { model: 'demo-support' }))
  })
  test('models: list does not contain the models of another Application', async () => {
    const listed = async (app: number) =>
      expectSuccess(await governed.api('GET', '/v1/models', { token: governed.key(app) })).data.map(({ id }) => id)
    const [first, second] = [await listed(0), await listed(1)]
    expect(first).not.toEqual(second)
    expect(second).not.toContain('demo-support')
    expect(first).not.toContain('demo-code')
  })
  test.each(['pending', 'approved', 'denied', 'released'])(
    "holds: response has the same bytes when another Application's hold is %s or the id is unknown",
    async (state) => {
      const held = await governed.holdPrompt()
      if (state === 'denied') await governed.decide(held.id, 'deny')
      else if (state !== 'pending') await governed.decide(held.id, 'approve')
      if (state === 'released') expectSuccess(await governed.resubmit(held))
      const sendRequest = (id: string) => governed.resubmit({ ...held, id }, {}, {}, { app: 1 })
      const foreign = await sendRequest(held.id)
      expectError(foreign, 'VALIDATION_ERROR')
      expect(bytesOf(foreign, held.id)).toBe(bytesOf(await sendRequest(UNKNOWN_REVIEW), UNKNOWN_REVIEW))
      // The owner can still use it.
      const own = await governed.resubmit(held)
      expect(own.status).toBe({ pending: 409, approved: 200, denied: 403, released: 200 }[state])
    },
  )
  test('holds: waiting request is refused at once when the hold belongs to another Application or is unknown', async () => {
    const held = await governed.holdPrompt()
    for (const id of [held.id, UNKNOWN_REVIEW]) {
      const startedAt = performance.now()
      expectError(await governed.resubmit({ ...held, id }, { wait_for_approval_seconds: 60 }, {}, { app: 1 }), 'VALIDATION_ERROR')
      expect(performance.now() - startedAt).toBeLessThan(30_000)
    }
  })
  test('holds: the same request of two Applications opens two holds', async () => {
    const prompt = `juniper-hold ${word()}`
    const ids = await Promise.all(
      [0, 1].map(async (app) => expectError(await governed.chat(prompt, {}, { app }), 'POLICY_REVIEW_PENDING').review_item_id),
    )
    expect(new Set(ids).size).toBe(2)
    await governed.decide(ids[0] ?? '', 'approve')
    expectError(await governed.chat(prompt, {}, { app: 1 }), 'POLICY_REVIEW_PENDING')
  })
  test('holds: the same request of two users opens two holds', async () => {
    const prompt = `juniper-hold ${word()}`
    const as = async (id: string) =>
      expectError(await governed.chat(prompt, { governance: { user: { id } } }), 'POLICY_REVIEW_PENDING').review_item_id
    expect(await as('mara')).not.toBe(await as('noor'))
    expect(await as('mara')).toBe(await as('mara'))
  })
  test('keys: response has the same bytes when the key is unknown or missing', async () => {
    const revoked = governed.demo.applications[0]?.revoked_api_key ?? ''
    const unknown = await governed.chat('x', {}, { token: `gk_${'x'.repeat(43)}` })
    const absent = await governed.chat('x', {}, { token: null })
    expect(bytesOf(unknown)).toBe(bytesOf(absent))
    expectError(await governed.chat('x', {}, { token: revoked }), 'AUTH_KEY_REVOKED')
  })
})

describe('isolation of Workspaces', () => {
  test('Workspaces: Application has no access to models, policies, records and holds of another Workspace', async () => {
    expectSuccess(await governed.admin('POST', '/workspaces', { json: { name: 'other-workspace' } }), 201)
    const inside = '?workspace=other-workspace'
    const application = expectSuccess(
      await governed.admin('POST', `/applications${inside}`, { json: { name: 'other Workspace' } }),
      201,
    )
    const issued = expectSuccess(
      await governed.admin('POST', `/applications/${application.id}/keys${inside}`, { json: { name: 'k' } }),
      201,
    )
    const token = String(issued.key)
    expect(expectSuccess(await governed.api('GET', '/v1/models', { token })).data).toEqual([])
    expectError(await governed.chat('Good morning', {}, { token }), 'NO_ELIGIBLE_PROVIDER')
    // The denying rule belongs to the other Workspace.
    expectError(await governed.chat('juniper-deny', {}, { token }), 'NO_ELIGIBLE_PROVIDER')
    const { audit_id } = expectSuccess((await governed.sendPrompt()).response).governance
    expectError(await governed.api('GET', `/v1/audit/${audit_id}`, { token }), 'NOT_FOUND')
    const held = await governed.holdPrompt()
    expectError(await governed.resubmit(held, {}, {}, { token }), 'VALIDATION_ERROR')
    expectError(await governed.admin('GET', `/reviews/${held.id}${inside}`), 'NOT_FOUND')
    const userToken = governed.demo.users[0]?.user_token ?? ''
    expectError(await governed.chat('x', {}, { token, userToken }), 'AUTH_INVALID_USER_TOKEN')
  })
  test('Workspaces: audit log does not name another Workspace', async () => {
    const { data } = expectSuccess(await governed.admin('GET', '/audit?limit=100'))
    expect(JSON.stringify(data)).not.toContain('other-workspace')
  })
})
