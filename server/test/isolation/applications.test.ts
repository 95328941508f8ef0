import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accepted, type GatewayResponse, refused } from '../support/gateway-client.ts'
import type { Governed } from '../support/governed.ts'
import { word } from '../support/scripted-provider.ts'
import { sharedGoverned } from '../support/shared-server.ts'

let governed: Governed
beforeAll(async () => {
  governed = await sharedGoverned()
})
afterAll(() => governed.close())

/** An answer without what is another's every time: ids that the test knows, the record's own id, times. */
function bytesOf({ status, headers, text }: GatewayResponse, ...known: string[]): string {
  const auditId = headers.get('x-audit-id')
  const own = [...known, ...(auditId === null ? [] : [auditId])]
  const hidden = (value: string) => own.reduce((rest, id) => rest.replaceAll(id, 'ID'), value)
  const shown = [...headers].filter(([name]) => !['date', 'x-request-id', 'ratelimit', 'content-length'].includes(name))
  return hidden(JSON.stringify({ status, headers: shown, text }))
}

const UNKNOWN_RECORD = 'aud_01h455vb4pex5vsknk084sn02q'
const UNKNOWN_REVIEW = 'rev_01h455vb4pex5vsknk084sn02q'

describe('isolation of Applications', () => {
  test('audit records: response has the same bytes when the id belongs to another Application or is unknown', async () => {
    const { audit_id } = accepted((await governed.sendPrompt()).response).governance
    accepted(await governed.api('GET', `/v1/audit/${audit_id}`))
    const ask = (id: string) => governed.api('GET', `/v1/audit/${id}`, { token: governed.key(1) })
    const foreign = await ask(audit_id)
    refused(foreign, 'NOT_FOUND')
    expect(bytesOf(foreign, audit_id)).toBe(bytesOf(await ask(UNKNOWN_RECORD), UNKNOWN_RECORD))
  })
  test('audit records: request gets 404 when the record describes a change by an operator', async () => {
    const { data } = accepted(await governed.admin('GET', '/audit?limit=100'))
    const changes = data.filter(({ application_id }) => application_id === null)
    expect(changes.length).toBeGreaterThan(0)
    for (const { id } of changes.slice(0, 3)) refused(await governed.api('GET', `/v1/audit/${id}`), 'NOT_FOUND')
  })
  test('models: response has the same bytes when the model belongs to another Application or does not exist', async () => {
    const ask = (model: string) => governed.chat('Good morning', { model }, { app: 1 })
    const foreign = await ask('demo-support')
    refused(foreign, 'NO_ELIGIBLE_PROVIDER')
    expect(bytesOf(foreign, 'demo-support')).toBe(bytesOf(await ask('no-such-mod'), 'no-such-mod'))
    accepted(await governed.chat('Good morning', { model: 'demo-support' }))
  })
  test('models: list does not contain the models of another Application', async () => {
    const listed = async (app: number) =>
      accepted(await governed.api('GET', '/v1/models', { token: governed.key(app) })).data.map(({ id }) => id)
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
      if (state === 'released') accepted(await governed.resubmit(held))
      const ask = (id: string) => governed.resubmit({ ...held, id }, {}, {}, { app: 1 })
      const foreign = await ask(held.id)
      refused(foreign, 'VALIDATION_ERROR')
      expect(bytesOf(foreign, held.id)).toBe(bytesOf(await ask(UNKNOWN_REVIEW), UNKNOWN_REVIEW))
      // And it is still there for the first.
      const own = await governed.resubmit(held)
      expect(own.status).toBe({ pending: 409, approved: 200, denied: 403, released: 200 }[state])
    },
  )
  test('holds: waiting request is refused at once when the hold belongs to another Application or is unknown', async () => {
    const held = await governed.holdPrompt()
    for (const id of [held.id, UNKNOWN_REVIEW]) {
      const startedAt = performance.now()
      refused(await governed.resubmit({ ...held, id }, { wait_for_approval_seconds: 60 }, {}, { app: 1 }), 'VALIDATION_ERROR')
      expect(performance.now() - startedAt).toBeLessThan(30_000)
    }
  })
  test('holds: the same request of two Applications opens two holds', async () => {
    const prompt = `juniper-hold ${word()}`
    const ids = await Promise.all(
      [0, 1].map(async (app) => refused(await governed.chat(prompt, {}, { app }), 'POLICY_REVIEW_PENDING').review_item_id),
    )
    expect(new Set(ids).size).toBe(2)
    await governed.decide(ids[0] ?? '', 'approve')
    refused(await governed.chat(prompt, {}, { app: 1 }), 'POLICY_REVIEW_PENDING')
  })
  test('holds: the same request of two users opens two holds', async () => {
    const prompt = `juniper-hold ${word()}`
    const as = async (id: string) =>
      refused(await governed.chat(prompt, { governance: { user: { id } } }), 'POLICY_REVIEW_PENDING').review_item_id
    expect(await as('mara')).not.toBe(await as('noor'))
    expect(await as('mara')).toBe(await as('mara'))
  })
  test('keys: response has the same bytes when the key is unknown or missing', async () => {
    const revoked = governed.demo.applications[0]?.revoked_api_key ?? ''
    const unknown = await governed.chat('x', {}, { token: `gk_${'x'.repeat(43)}` })
    const absent = await governed.chat('x', {}, { token: null })
    expect(bytesOf(unknown)).toBe(bytesOf(absent))
    refused(await governed.chat('x', {}, { token: revoked }), 'AUTH_KEY_REVOKED')
  })
})

describe('isolation of Workspaces', () => {
  test('Workspaces: Application has no access to models, policies, records and holds of another Workspace', async () => {
    accepted(await governed.admin('POST', '/workspaces', { json: { name: 'neighbours' } }), 201)
    const inside = '?workspace=neighbours'
    const application = accepted(await governed.admin('POST', `/applications${inside}`, { json: { name: 'next door' } }), 201)
    const issued = accepted(
      await governed.admin('POST', `/applications/${application.id}/keys${inside}`, { json: { name: 'k' } }),
      201,
    )
    const token = String(issued.key)
    expect(accepted(await governed.api('GET', '/v1/models', { token })).data).toEqual([])
    refused(await governed.chat('Good morning', {}, { token }), 'NO_ELIGIBLE_PROVIDER')
    // Not denied: the rule that denies it is the other Workspace's.
    refused(await governed.chat('juniper-deny', {}, { token }), 'NO_ELIGIBLE_PROVIDER')
    const { audit_id } = accepted((await governed.sendPrompt()).response).governance
    refused(await governed.api('GET', `/v1/audit/${audit_id}`, { token }), 'NOT_FOUND')
    const held = await governed.holdPrompt()
    refused(await governed.resubmit(held, {}, {}, { token }), 'VALIDATION_ERROR')
    refused(await governed.admin('GET', `/reviews/${held.id}${inside}`), 'NOT_FOUND')
    const userToken = governed.demo.users[0]?.user_token ?? ''
    refused(await governed.chat('x', {}, { token, userToken }), 'AUTH_INVALID_USER_TOKEN')
  })
  test('Workspaces: audit log does not name another Workspace', async () => {
    const { data } = accepted(await governed.admin('GET', '/audit?limit=100'))
    expect(JSON.stringify(data)).not.toContain('neighbours')
  })
})
