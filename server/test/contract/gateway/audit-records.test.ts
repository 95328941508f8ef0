import { describe, expect, test } from 'vitest'
import { STAGES } from '../../../src/pipeline/endpoints.ts'
import { expectError, expectSuccess, type ResponseBody } from '../../support/gateway-client.ts'
import type { SentPrompt } from '../../support/governed.ts'
import { json, word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'

const options = { userToken: governed.demo.users[0]?.user_token ?? '' }
const more = { governance: { session_id: 'afternoon' }, max_tokens: 99 }
const sentPrompt = await governed.sendPrompt('juniper-risk-high juniper-redact mara.lind@example.org', { more, options })
const record = await governed.record(expectSuccess(sentPrompt.response).governance.audit_id)
const HASH = expect.stringMatching(/^[0-9a-f]{64}$/)
const recordOf = async ({ response }: SentPrompt): Promise<ResponseBody> =>
  governed.record(response.headers.get('x-audit-id') ?? '')

describe('audit record: fields [GW-AUD-2]', () => {
  test('record: has every field, without content', () => {
    const { id, object, integrity, ...fields } = record
    expect([id, object]).toEqual([expect.stringMatching(/^aud_/), 'audit_record'])
    expect(integrity).toEqual({ sequence: expect.any(Number), prev_hash: HASH, hash: HASH })
    expect(fields).toMatchObject({
      workspace_id: expect.stringMatching(/^ws_/),
      application_id: governed.demo.applications[0]?.id,
      endpoint: 'chat',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      duration_ms: expect.any(Number),
      status: 200,
      error_code: null,
      classification: 'confidential',
      risk_level: 'high',
      knowledge: [],
      memory: [],
      dry_run: false,
    })
    expect(fields.user).toEqual({ id: HASH, verified: true, role: 'support_agent', department: 'support' })
    expect(fields.request).toEqual({ hash: HASH, bytes: expect.any(Number), messages: 1 })
    expect(fields.response).toEqual({ hash: HASH, bytes: expect.any(Number), choices: 1 })
    expect(fields.findings).toEqual({ classify: { 'pii.email': 1, pii: 1 } })
    expect(fields.decision).toEqual({
      verdict: 'allow',
      transforms: ['redact:pii'],
      directives: [],
      rules: ['juniper-risk-high', 'juniper-redact'].map((rule) => ({ id: rule, point: 'input', verdict: 'allow' })),
    })
    const policy = { id: expect.stringMatching(/^pol_/), name: 'demo', version: expect.any(Number), sha256: HASH }
    expect(fields.policy_versions).toEqual([policy])
    const tokens = { prompt_tokens: 11, completion_tokens: 7 }
    const attempt = { provider: 'openai', model: 'scripted', status: 200, outcome: 'ok', ms: expect.any(Number), ...tokens }
    expect(fields.attempts).toEqual([attempt])
    const stage = { outcome: expect.stringMatching(/^(ok|skipped)$/), ms: expect.any(Number) }
    expect(fields.stages).toEqual(STAGES.map((name) => ({ name, ...stage })))
    expect(fields.features).toMatchObject({
      'application.name': 'support',
      'request.endpoint': 'chat',
      'request.model': 'scripted',
      'request.stream': false,
      'request.message_count': 1,
      'request.max_tokens': 99,
      'content.classification': 'confidential',
      'content.risk_level': 'medium',
      'response.model': 'scripted',
      'response.provider': 'openai',
      'response.finish_reason': 'stop',
      'response.tokens': 7,
    })
  })
  test('user: the same user has the same hash in every record, and a request without a user has none [GW-AUD-4]', async () => {
    const asserted = await governed.sendPrompt('', { more: { governance: { user: { id: 'alice' } } } })
    expect(((await recordOf(asserted)).user as { id: string }).id).toBe((record.user as { id: string }).id)
    expect(((await recordOf(await governed.sendPrompt())).user as { id: string }).id).toBeNull()
  })
  test('attempts: the built-in model of the demo is stubbed', async () => {
    const response = await governed.chat('Good morning', { model: 'demo-mini' })
    const { attempts } = await governed.record(expectSuccess(response).governance.audit_id)
    expect(attempts).toEqual([expect.objectContaining({ provider: 'demo', outcome: 'stubbed' })])
  })
  test('review: links the item that was opened, awaited or released', async () => {
    const held = await governed.holdPrompt()
    expect((await recordOf(held)).review).toEqual({ id: held.id, state: 'pending' })
    const waited = await governed.resubmit(held)
    expect((await recordOf({ ...held, response: waited })).review).toEqual({ id: held.id, state: 'pending' })
    await governed.decide(held.id, 'approve')
    const released = await governed.resubmit(held)
    expect((await recordOf({ ...held, response: released })).review).toEqual({ id: held.id, state: 'released' })
  })
  test.each([
    ['no provider offers it', '', {}],
    ['a rule denies the request before its route', 'juniper-deny', {}],
    ['a rule holds the request', 'juniper-hold', {}],
    ['a dry run is denied', 'juniper-deny', { governance: { dry_run: true } }],
  ])('features: the name of an undeclared model is a keyed hash when %s [GW-AUD-10]', async (_, mark, more) => {
    const model = 'harriet.lowe@example.com'
    const { response } = await governed.sendPrompt(mark, { more: { model, ...more } })
    const record = await governed.record(String(response.headers.get('x-audit-id')))
    expect(record.features).toMatchObject({ 'request.model': HASH })
    expect(JSON.stringify(record)).not.toContain('harriet')
    const declared = await governed.sendPrompt(mark, { more: { model: 'openai/scripted', ...more } })
    const named = await governed.record(String(declared.response.headers.get('x-audit-id')))
    expect(named.features).toMatchObject({ 'request.model': 'openai/scripted' })
  })
  test('features: the name in the path of a model is a keyed hash when it is not declared [GW-AUD-10]', async () => {
    const response = await governed.api('GET', '/v1/models/harriet.lowe@example.com')
    const record = await governed.record(expectError(response, 'NOT_FOUND').audit_id)
    expect(record.features).toMatchObject({ 'request.model': HASH })
  })
  test('review item: none is opened for an undeclared model, so no reviewer reads its name [GW-AUD-10]', async () => {
    const { response } = await governed.sendPrompt('juniper-hold', { more: { model: 'harriet.lowe@example.com' } })
    expectError(response, 'NO_ELIGIBLE_PROVIDER')
    expect(JSON.stringify(expectSuccess(await governed.admin('GET', '/reviews')))).not.toContain('harriet')
  })
  test('integrity: sequences continue from record to record [GW-AUD-5]', async () => {
    const { rows } = await governed.server.context.database.pool.query('select sequence from audit_record order by sequence')
    expect(rows.map(({ sequence }) => sequence)).toEqual(rows.map((_, index) => index + 1))
  })
})

describe('audit record: every outcome after stage 2 is recorded [GW-PIPE-10]', () => {
  test.each([
    ['POLICY_DENIED', 403, () => governed.sendPrompt('juniper-deny')],
    ['POLICY_REVIEW_PENDING', 409, () => governed.sendPrompt('juniper-hold')],
    ['NO_ELIGIBLE_PROVIDER', 422, () => governed.sendPrompt('', { more: { model: 'no-such-model' } })],
    ['AUTH_INVALID_USER_TOKEN', 401, () => governed.sendPrompt('', { options: { userToken: 'nonsense' } })],
  ] as const)(
    '%s is recorded, and audit_id is in the error and in x-audit-id [GW-PIPE-11, GW-PIPE-12]',
    async (code, status, sendRequest) => {
      const { response } = await sendRequest()
      const { audit_id } = expectError(response, code)
      expect(response.headers.get('x-audit-id')).toBe(audit_id)
      expect(await governed.record(audit_id)).toMatchObject({ status, error_code: code })
    },
  )
  test.each([
    ['PROVIDER_ERROR', 502, 403, { outcome: 'key_rejected' }],
    ['VALIDATION_ERROR', 400, 400, { outcome: 'refused', code: 'invalid_request' }],
  ] as const)('%s of a provider is recorded as %i, with its attempts [GW-PROV-3]', async (code, status, received, outcome) => {
    const key = word()
    governed.provider.on(key, (response) => json(response, received, {}))
    const attempt = { provider: 'openai', model: 'scripted', status: received, ms: expect.any(Number), ...outcome }
    const { audit_id } = expectError(await governed.chat(key), code)
    const record = await governed.record(audit_id)
    expect([record.status, record.attempts]).toEqual([status, [attempt]])
  })
})
