import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { dumpTables } from '../support/dump-tables.ts'
import { ENDPOINTS, expectError, expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { listTables } from '../support/list-tables.ts'
import { MARKER_RULES } from '../support/marker-policies.ts'
import { word } from '../support/scripted-provider.ts'

const governed = await closeAfterAll(startGoverned())

/** The number of rows of each table. */
const counts = async (): Promise<Record<string, number>> => {
  const { pool } = governed.server.context.database
  const tables = await listTables(pool)
  const counted = await Promise.all(
    tables.map(async (table) => [table, Number((await pool.query(`select count(*) from "${table}"`)).rows[0].count)] as const),
  )
  return Object.fromEntries(counted)
}

/** Since `before` the database has only audit records more. */
const expectOnlyRecords = async (before: Readonly<Record<string, number>>, added: number): Promise<void> =>
  expect(await counts()).toEqual({ ...before, audit_record: (before.audit_record ?? 0) + added })

/** The lines of `/metrics` that count provider tokens. */
const tokenMetrics = async (): Promise<string[]> =>
  (await governed.api('GET', '/metrics')).text.split('\n').filter((line) => line.startsWith('gatehouse_provider_tokens_total'))

describe('dry run: leaves only its audit record', () => {
  test('no review item, no provider call and no used tokens [GW-DRY-2]', async () => {
    const { token } = await governed.application({ limits: { tokens_per_minute: 200 } })
    const before = await counts()
    const tokens = await tokenMetrics()
    const calls = governed.provider.calls.length
    const marks = ['', 'juniper-deny', 'juniper-escalate', 'juniper-hold', 'juniper-redact a@example.org', 'juniper-broken']
    for (const mark of marks) {
      for (const stream of [false, true]) {
        const governance = { dry_run: true, wait_for_approval_seconds: 1 }
        const response = await governed.chat(mark || 'Good morning', { stream, governance }, { token })
        expect(response.status).toBe(200)
      }
    }
    await expectOnlyRecords(before, marks.length * 2)
    expect(governed.provider.calls.length).toBe(calls)
    expect(await tokenMetrics()).toEqual(tokens)
    const { headers } = await governed.chat('Good morning', { governance: { dry_run: true } }, { token })
    expect(headers.get('ratelimit')).toMatch(/"tokens";r=19\d/)
    const record = expectSuccess(await governed.api('GET', `/v1/audit/${headers.get('x-audit-id')}`, { token }))
    expect(record.attempts).toEqual([{ ms: 0, outcome: 'stubbed', status: 200, model: 'scripted', provider: 'openai' }])
  })
  test('no hold that a real request would join', async () => {
    const prompt = `juniper-hold ${word()}`
    expectSuccess(await governed.chat(prompt, { governance: { dry_run: true } }))
    const first = expectError(await governed.chat(prompt), 'POLICY_REVIEW_PENDING').review_item_id
    expectSuccess(await governed.chat(prompt, { governance: { dry_run: true } }))
    expect(expectError(await governed.chat(prompt), 'POLICY_REVIEW_PENDING').review_item_id).toBe(first)
  })
})

describe('output policies: read restored originals instead of placeholders', () => {
  const MAIL = 'mara.lind@example.org'
  const subject = word()
  const when = `content.text.contains("${subject}") && content.findings["pii.email"] > 0`

  test.each([false, true])('a restored pseudonym is denied (stream: %j)', async (stream) => {
    await governed.publish([...MARKER_RULES, { id: 'no-addresses', at: ['output'], when, verdict: 'deny' }])
    const response = await governed.chat(`juniper-pseudonymize ${subject} ${MAIL}`, { stream })
    expect(expectError(response, 'POLICY_DENIED').details).toMatchObject({ rules: ['no-addresses'], point: 'output' })
    expect(response.text).not.toContain('mara')
    await governed.publish(MARKER_RULES)
  })
  test('a restored pseudonym is redacted', async () => {
    await governed.publish([...MARKER_RULES, { id: 'hidden', at: ['output'], when, transforms: ['redact:pii'] }])
    const response = expectSuccess(await governed.chat(`juniper-pseudonymize ${subject} ${MAIL}`))
    expect(response.choices[0]?.message.content).toContain('[EMAIL]')
    expect(JSON.stringify(response)).not.toContain('mara')
    await governed.publish(MARKER_RULES)
  })
})

describe('x-gateway-user-token: the assertion never replaces an invalid token', () => {
  const invalidTokens = (): string[] => {
    const token = governed.demo.users[0]?.user_token ?? ''
    const [header, payload, signature] = token.split('.')
    const parts = [`${header}.${payload}.`, `${header}..${signature}`]
    return ['', ' ', 'x', 'null', 'undefined', ...parts, `Bearer ${token}`, `${token}x`, token.slice(1), `${token},${token}`]
  }
  const asserted = { user: { id: 'alice', role: 'chief' } }
  test.each([
    ...ENDPOINTS.filter(({ method }) => method === 'POST').map((endpoint) => ({ ...endpoint, governance: asserted })),
    { ...ENDPOINTS[0], name: 'dry run', governance: { dry_run: true } },
  ])('$name: 401 when the token is invalid', async ({ path, json, governance }) => {
    for (const userToken of invalidTokens())
      expectError(await governed.post(path, { ...json, governance }, { userToken }), 'AUTH_INVALID_USER_TOKEN')
  })
  test('a valid token has priority over the assertion', async () => {
    const userToken = governed.demo.users[0]?.user_token ?? ''
    const more = { governance: { user: { id: 'mallory', role: 'chief', department: 'board' } } }
    expect(expectSuccess(await governed.chat('juniper-alice', more, { userToken })).governance).toMatchObject({
      user_verified: true,
      decision: { verdict: 'escalate' },
    })
    expect(expectSuccess(await governed.chat('juniper-alice', more)).governance.decision.verdict).toBe('allow')
  })
})

describe('cannot distinguish absent from forbidden', () => {
  /** Sends two requests that differ in an id: of an object that exists, and of none. */
  const expectSame = async (
    id: string,
    send: (id: string) => Promise<GatewayResponse>,
    absent = id.replace(/.{4}$/, '0000'),
  ): Promise<void> => {
    const bare = ({ status, text, headers }: GatewayResponse) =>
      [id, absent, headers.get('x-audit-id') ?? '-'].reduce((rest, one) => rest.replaceAll(one, 'ID'), `${status} ${text}`)
    expect(bare(await send(id))).toBe(bare(await send(absent)))
  }
  test('records of another Application [GW-AUD-1]', async () => {
    const { audit_id } = expectSuccess((await governed.sendPrompt()).response).governance
    await expectSame(audit_id, (id) => governed.api('GET', `/v1/audit/${id}`, { token: governed.key(1) }))
  })
  test('holds of another Application [GW-REV-14]', async () => {
    const held = await governed.holdPrompt()
    await expectSame(held.id, (id) => governed.resubmit({ ...held, id }, {}, {}, { app: 1 }))
  })
  test('models of another Application [GW-MOD-2]', async () => {
    await expectSame('demo-support', (model) => governed.chat('Good morning', { model }, { app: 1 }), 'demo-sopport')
  })
  test('review items of another Workspace, for an operator', async () => {
    expectSuccess(await governed.admin('POST', '/workspaces', { json: { name: 'elsewhere' } }), 201)
    const held = await governed.holdPrompt()
    await expectSame(held.id, (id) => governed.admin('POST', `/reviews/${id}/approve?workspace=elsewhere`, { json: {} }))
  })
})

describe('policies: read the whole request', () => {
  test('text split over messages is denied when the condition reads all messages', async () => {
    const when = 'content.text.contains("left hand") && content.text.contains("right hand")'
    await governed.publish([...MARKER_RULES, { id: 'joined', at: ['input'], when, verdict: 'deny' }])
    const user = (content: string) => ({ role: 'user', content })
    expectError(
      await governed.chat([user('left hand'), { role: 'assistant', content: 'ok' }, user('right hand')]),
      'POLICY_DENIED',
    )
    await governed.publish(MARKER_RULES)
  })
  test('duplicate keys: policies read the value that the provider gets', async () => {
    const key = word()
    const raw = `{"model":"scripted","messages":[{"role":"user","content":"juniper-deny"}],"messages":[{"role":"user","content":"${key}"}]}`
    expectSuccess(await governed.post('/v1/chat/completions', undefined, { raw }))
    expect(governed.provider.callsWith(key)[0]?.raw).not.toContain('juniper-deny')
    const reversed = `{"model":"scripted","messages":[{"role":"user","content":"${key}"}],"messages":[{"role":"user","content":"juniper-deny"}]}`
    expectError(await governed.post('/v1/chat/completions', undefined, { raw: reversed }), 'POLICY_DENIED')
  })
  test('escaped text is read unescaped', async () => {
    const escaped = [...'juniper-deny'].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
    const raw = `{"messages":[{"role":"user","content":"${escaped}"}]}`
    expectError(await governed.post('/v1/chat/completions', undefined, { raw }), 'POLICY_DENIED')
  })
  test('a refused request stores only its audit record', async () => {
    const before = await counts()
    for (const prompt of ['juniper-deny', 'juniper-broken']) expectError(await governed.chat(prompt), 'POLICY_DENIED')
    expectError(await governed.chat('x', { temperature: 'hot' }), 'VALIDATION_ERROR')
    await expectOnlyRecords(before, 2)
    const tables = await dumpTables(governed.server.context.database.pool)
    expect(tables.filter(({ table }) => table !== 'policy_set').some(({ text }) => text.includes('juniper-deny"}'))).toBe(false)
  })
})
