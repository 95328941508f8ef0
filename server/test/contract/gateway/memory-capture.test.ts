import { describe, expect, test } from 'vitest'
import { expectError, expectSuccess } from '../../support/gateway-client.ts'
import { createMemoryFixture } from '../../support/memory-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { clock, governed } from '../shared-server.ts'

const PATH = '/v1/memory/capture'
const memoryFixture = await createMemoryFixture(governed)

const about = () => `${word()} ${word()}`
/** The time `seconds` after the server's now. */
const instant = (seconds: number) => new Date(clock.now().getTime() + seconds * 1_000).toISOString()

describe('POST /v1/memory/capture', () => {
  test('200: stored, memory_id, mode, governance [GW-PATH-5, GW-MEMC-5, GW-GOV-1]', async () => {
    expect(expectSuccess(await memoryFixture.capture(about()))).toEqual({
      stored: true,
      memory_id: expect.stringMatching(/^mem_[0-9a-z]{26}$/),
      mode: 'active',
      governance: {
        audit_id: expect.stringMatching(/^aud_/),
        decision: { verdict: 'allow', transforms: [], directives: [] },
        risk_level: 'low',
        user_verified: false,
      },
    })
  })
  test('fields: every field of CaptureRequest is stored [GW-MEMC-2]', async () => {
    const content = about()
    const more = {
      scope: 'project',
      scope_id: 'apollo',
      kind: 'summary',
      classification: 'public',
      summary: 'A code word.',
      regulations: ['gdpr'],
      expires_at: instant(3_600),
    }
    const user = { id: 'mara', role: 'pilot', department: 'hangar', attributes: { projects: ['apollo'] } }
    const id = await memoryFixture.store(content, more, { user, session: 'afternoon' })
    expect(await memoryFixture.hits(content, {}, { user })).toMatchObject([
      { memory_id: id, scope: 'project', kind: 'summary', content, summary: 'A code word.', classification: 'public' },
    ])
  })
  test('fields: optional ones may be null [GW-MEMC-2]', async () => {
    const nothing = { summary: null, scope_id: null, regulations: null, expires_at: null }
    expectSuccess(await memoryFixture.capture(about(), nothing))
  })
  test.each([
    ['content', [undefined, null, '', '   ', 5, ['x'], `${'x '.repeat(8_192)}x`, 'half of \ud800 a pair', 'a\0b']],
    ['scope', [undefined, null, '', 'User', 'global', 3]],
    ['kind', [undefined, null, '', 'Fact', 'opinion', 3]],
    ['classification', [undefined, null, '', 'Public', 'secret', 3]],
    ['summary', [5, ['x'], 'x'.repeat(4_097), 'a\0b']],
    ['scope_id', [5, '', ['x']]],
    ['regulations', ['gdpr', {}]],
    ['expires_at', ['tomorrow', '2026-13-01T00:00:00Z', '', 5, '2026-03-02']],
  ])(
    '%s: 400 VALIDATION_ERROR when the value is invalid, and nothing is stored [GW-ENUM-1, GW-ENUM-2, GW-ENUM-3, GW-MEMC-1, GW-MEMC-2]',
    async (field, values) => {
      for (const value of values) {
        const response = await memoryFixture.capture(about(), { [field]: value })
        expect([field, null], response.text).toContain(expectError(response, 'VALIDATION_ERROR').param)
        if (response.body.error.param === null) expect(JSON.stringify(value)).toMatch(/\\ud800|\\u0000/)
      }
    },
  )
  test('regulations: 400 VALIDATION_ERROR when one holds U+0000', async () => {
    const response = await memoryFixture.capture(about(), { regulations: ['gdpr', 'a\0b'] })
    expect(expectError(response, 'VALIDATION_ERROR').param).toMatch(/^regulations/)
  })
  test('content: 16 KiB are stored whole', async () => {
    const content = `${word()} ${'é'.repeat(8_000)}`
    await memoryFixture.store(content)
    expect(await memoryFixture.texts(content.slice(0, 10))).toEqual([content])
  })
  test.each([-1, -3_600, -400 * 86_400, 0])('expires_at %i s from now: 400 VALIDATION_ERROR [GW-MEMC-4]', async (seconds) => {
    const { param } = expectError(await memoryFixture.capture(about(), { expires_at: instant(seconds) }), 'VALIDATION_ERROR')
    expect(param).toBe('expires_at')
  })
  test.each(['9999-12-31T23:59:59-23:59', '9999-12-31T23:59:59-00:01'])(
    'expires_at %s: 400 VALIDATION_ERROR when the offset moves it beyond the year 9999',
    async (expires_at) => {
      const content = about()
      const { param, message } = expectError(await memoryFixture.capture(content, { expires_at }), 'VALIDATION_ERROR')
      expect([param, message]).toEqual(['expires_at', 'expires_at: must not be after 9999-12-31T23:59:59.999Z.'])
      expect(await memoryFixture.texts(content)).toEqual([])
    },
  )
  test('expires_at: the latest possible time is stored', async () => {
    const id = await memoryFixture.store(about(), { expires_at: '9999-12-31T23:59:59.999Z' })
    expect(expectSuccess(await governed.admin('GET', `/memories/${id}`)).expires_at).toBe('9999-12-31T23:59:59.999Z')
  })
  test('expires_at: an offset is converted to the same instant', async () => {
    const { param } = expectError(
      await memoryFixture.capture(about(), { expires_at: instant(-60).replace('Z', '+00:00') }),
      'VALIDATION_ERROR',
    )
    expect(param).toBe('expires_at')
    expectSuccess(await memoryFixture.capture(about(), { expires_at: instant(60).replace('Z', '+00:00') }))
  })
  test.each(['department', 'project'])('scope %s: scope_id is required [GW-MEMC-3]', async (scope) => {
    const user = { id: 'mara', department: 'hangar', attributes: { projects: ['apollo'] } }
    for (const scope_id of [undefined, null, '   ']) {
      const response = await memoryFixture.capture(about(), { scope, scope_id }, { user })
      expect(expectError(response, 'VALIDATION_ERROR').param).toBe('scope_id')
    }
  })
  test('scope user without a user, scope session without a session: 400 VALIDATION_ERROR [GW-MEMC-4]', async () => {
    const param = async (scope: string, asking = {}) =>
      expectError(await memoryFixture.capture(about(), { scope }, asking), 'VALIDATION_ERROR').param
    expect(await param('user')).toBe('governance.user')
    expect(await param('user', { session: 'afternoon' })).toBe('governance.user')
    expect(await param('session')).toBe('governance.session_id')
    expect(await param('session', { user: { id: 'mara' } })).toBe('governance.session_id')
    expect(await param('session', { session: '' })).toBe('governance.session_id')
  })
  test('fields: unknown ones are ignored', async () => {
    expectSuccess(await memoryFixture.capture(about(), { tags: ['x'], ttl: 5, memory_id: 'mem_own', stored: false }))
  })
  test.each(['__proto__', 'constructor'])('fields: the key %s is refused', async (key) => {
    const raw = `{"content":"x","scope":"application","kind":"fact","classification":"internal","${key}":{"x":1}}`
    expectError(await governed.post(PATH, undefined, { token: memoryFixture.token, raw }), 'VALIDATION_ERROR')
  })
  test('X-Gateway-User-Token: the memory belongs to the verified user and not to the asserted one [GW-AUTH-12]', async () => {
    const userToken = governed.demo.users.find(({ id }) => id === 'alice')?.user_token ?? ''
    const content = about()
    await memoryFixture.store(content, { scope: 'user' }, { userToken, user: { id: 'mara' } })
    expect(await memoryFixture.texts(content, {}, { user: { id: 'mara' } })).toEqual([])
    expect(await memoryFixture.texts(content, {}, { userToken })).toEqual([content])
    expect(await memoryFixture.texts(content, {}, { user: { id: 'alice' } })).toEqual([content])
    expectError(await memoryFixture.capture(content, {}, { userToken: 'nonsense' }), 'AUTH_INVALID_USER_TOKEN')
  })
})

describe('memory capture', () => {
  test.each([
    ['stored in active mode', '', { stored: true, mode: 'active' }],
    ['stored in audit-only mode', 'damson-audit', { stored: true, mode: 'audit_only' }],
    ['not stored with memory:off at remember', 'damson-off', { stored: false }],
    ['not stored with memory:off at input', 'juniper-memory-off', { stored: false }],
    ['stored in audit-only mode at input', 'juniper-memory-audit', { stored: true, mode: 'audit_only' }],
  ])('%s: 200 [GW-MEMC-5, GW-MEMC-6, GW-ENUM-6, GW-POL-11]', async (_, mark, outcome) => {
    const subject = about()
    const content = `${subject} ${mark}`.trim()
    const body = expectSuccess(await memoryFixture.capture(content))
    expect(body).toMatchObject(outcome)
    expect('memory_id' in body).toBe(outcome.stored)
    expect('mode' in body).toBe(outcome.stored)
    expect(body.governance.decision.verdict).toBe('allow')
    expect(await memoryFixture.texts(subject)).toEqual('mode' in outcome && outcome.mode === 'active' ? [content] : [])
  })
  test.each([
    ['remember', 'damson-deny'],
    ['input', 'juniper-deny'],
  ])('deny at %s: 403 POLICY_DENIED with audit_id and rule, and nothing is stored [GW-MEMC-7]', async (point, mark) => {
    const content = `${about()} ${mark}`
    const { audit_id, details, type } = expectError(await memoryFixture.capture(content), 'POLICY_DENIED')
    expect({ details, type }).toEqual({ details: { rules: [mark], point }, type: 'permission_error' })
    expect(await governed.record(audit_id).catch(() => undefined)).toBeUndefined()
    const record = expectSuccess(await governed.api('GET', `/v1/audit/${audit_id}`, { token: memoryFixture.token }))
    expect(record).toMatchObject({ status: 403, error_code: 'POLICY_DENIED', remembered: [] })
    const { data } = expectSuccess(await governed.admin('GET', `/memories?application_id=${memoryFixture.id}&limit=100`))
    expect(JSON.stringify(data)).not.toContain(mark)
  })
  test('429 RATE_LIMITED: nothing is stored for a refused capture [GW-LIM-1]', async () => {
    const own = await createMemoryFixture(governed, {}, { limits: { requests_per_minute: 1, burst: 2 } })
    const responses = await Promise.all(Array.from({ length: 6 }, () => own.capture(about())))
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(2)
    for (const response of responses.filter(({ status }) => status !== 200)) expectError(response, 'RATE_LIMITED')
    for (const list of ['audit', 'memories'])
      expect(expectSuccess(await governed.admin('GET', `/${list}?application_id=${own.id}&limit=100`)).data).toHaveLength(2)
  })
})
