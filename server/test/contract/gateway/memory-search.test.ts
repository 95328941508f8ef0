import { describe, expect, test } from 'vitest'
import { expectError, expectSuccess } from '../../support/gateway-client.ts'
import { createMemoryFixture } from '../../support/memory-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { clock, governed } from '../shared-server.ts'

const PATH = '/v1/memory/search'
const SUBJECT = word()
/** More than a page holds. */
const MEMORIES = 55
const memoryFixture = await createMemoryFixture(governed)
for (let number = 0; number < MEMORIES; number++) await memoryFixture.store(`Meeting ${number} was about ${SUBJECT}.`)

describe('POST /v1/memory/search', () => {
  test('200: object, data and governance [GW-PATH-4, GW-MEMS-3, GW-GOV-1]', async () => {
    const body = expectSuccess(await memoryFixture.search(SUBJECT))
    expect(Object.keys(body).toSorted()).toEqual(['data', 'governance', 'object'])
    expect(body.object).toBe('list')
    expect(body.governance).toEqual({
      audit_id: expect.stringMatching(/^aud_/),
      decision: { verdict: 'allow', transforms: [], directives: [] },
      risk_level: 'low',
      user_verified: false,
    })
  })
  test('assertion: up to 1,000 projects, and more are refused without delay', async () => {
    const topic = word()
    await memoryFixture.store(topic, { scope: 'project', scope_id: 'last' })
    const asking = (length: number) => ({
      user: { id: 'x', attributes: { projects: [...Array.from({ length }, (_, number) => `p${number}`), 'last'] } },
    })
    expect(await memoryFixture.texts(topic, {}, asking(999))).toEqual([topic])
    const { param } = expectError(await memoryFixture.search(topic, {}, asking(1_000)), 'VALIDATION_ERROR')
    expect(param).toBe('governance.user.attributes.projects')
    expectError(await memoryFixture.search(topic, {}, asking(32_000)), 'VALIDATION_ERROR')
  })
  test('MemoryHit: all fields, and no other [GW-MEMS-4]', async () => {
    const topic = word()
    const summary = 'In short.'
    const id = await memoryFixture.store(`A description of ${topic}.`, {
      summary,
      kind: 'decision',
      regulations: ['gdpr'],
    })
    expect(await memoryFixture.hits(topic)).toEqual([
      {
        memory_id: id,
        scope: 'application',
        kind: 'decision',
        content: `A description of ${topic}.`,
        summary,
        classification: 'internal',
        similarity: expect.any(Number),
      },
    ])
    expect(id).toMatch(/^mem_[0-9a-z]{26}$/)
  })
  test('MemoryHit: summary is null when none was given [GW-MEMS-4]', async () => {
    const [hit] = await memoryFixture.hits(SUBJECT, { limit: 1 })
    expect(hit?.summary).toBeNull()
  })
  test.each(['fact', 'preference', 'decision', 'summary', 'workflow_state'])('MemoryHit: kind %s [GW-ENUM-3]', async (kind) => {
    const topic = word()
    await memoryFixture.store(`About ${topic}.`, { kind })
    expect((await memoryFixture.hits(topic)).map((hit) => hit.kind)).toEqual([kind])
  })
  test.each(['public', 'internal', 'confidential', 'restricted'])(
    'MemoryHit: classification %s [GW-ENUM-1]',
    async (classification) => {
      const topic = word()
      await memoryFixture.store(`About ${topic}.`, { classification })
      const userToken = governed.demo.users.find(({ id }) => id === 'carol')?.user_token ?? ''
      expect((await memoryFixture.hits(topic, {}, { userToken })).map((hit) => hit.classification)).toEqual([classification])
    },
  )
  test.each([
    ['user', {}],
    ['session', {}],
    ['application', {}],
    ['department', { scope_id: 'hangar' }],
    ['project', { scope_id: 'apollo' }],
    ['workspace', {}],
  ])('MemoryHit: scope %s [GW-ENUM-2]', async (scope, more) => {
    const topic = word()
    const user = { id: 'mara', department: 'hangar', attributes: { projects: ['apollo'] } }
    const asking = { user, session: 'afternoon' }
    await memoryFixture.store(`About ${topic}.`, { scope, ...more }, asking)
    expect((await memoryFixture.hits(topic, {}, asking)).map((hit) => hit.scope)).toEqual([scope])
  })
  test('data: an empty list when nothing matches', async () => {
    expect(expectSuccess(await memoryFixture.search(word())).data).toEqual([])
  })
  test.each([
    [1, 1],
    [2, 2],
    [49, 49],
    [50, 50],
    [undefined, 10],
    [null, 10],
  ])('limit %j: %i hits [GW-MEMS-2]', async (limit, count) => {
    const hits = await memoryFixture.hits(SUBJECT, { limit })
    expect(hits).toHaveLength(count)
    expect(new Set(hits.map(({ memory_id }) => memory_id)).size).toBe(count)
  })
  test.each([0, 51, -1, 1.5, 1e9, '10', true, [10]])('limit %j: 400 VALIDATION_ERROR [GW-MEMS-2]', async (limit) => {
    const { param, audit_id } = expectError(await memoryFixture.search(SUBJECT, { limit }), 'VALIDATION_ERROR')
    expect({ param, audit_id }).toEqual({ param: 'limit', audit_id: undefined })
  })
  test.each([undefined, '', '   ', '\n\t', 5, null, ['x'], 'x'.repeat(32_769)])(
    'query %j: 400 VALIDATION_ERROR [GW-MEMS-1]',
    async (query) => {
      expect(expectError(await memoryFixture.search(query), 'VALIDATION_ERROR').param).toBe('query')
    },
  )
  test.each([
    ['signs only', '!?… -- ***'],
    ['operators', `"${SUBJECT}" & | ! :* <-> OR AND NOT (`],
    ['U+0000', `\0${SUBJECT}`],
  ])('%s is an ordinary query', async (_, query) => {
    expectSuccess(await memoryFixture.search(query))
  })
  test('governance.user.id and governance.session_id: strings of at most 256 characters without U+0000 [GW-MEMS-8]', async () => {
    for (const [field, governance] of [
      ['governance.user', { user: { role: 'pilot' } }],
      ['governance.user.id', { user: { id: 'x'.repeat(257) } }],
      ['governance.user.id', { user: { id: 'a\0b' } }],
      ['governance.session_id', { session_id: 5 }],
      ['governance.session_id', { session_id: 'x'.repeat(257) }],
    ] as const) {
      const response = await governed.post(PATH, { query: SUBJECT, governance }, { token: memoryFixture.token })
      expect(expectError(response, 'VALIDATION_ERROR').param).toContain(field)
    }
  })
  test('X-Gateway-User-Token: verified, else 401 [GW-AUTH-12]', async () => {
    const userToken = governed.demo.users[0]?.user_token ?? ''
    expect(expectSuccess(await memoryFixture.search(SUBJECT, {}, { userToken })).governance.user_verified).toBe(true)
    expectError(await memoryFixture.search(SUBJECT, {}, { userToken: 'nonsense' }), 'AUTH_INVALID_USER_TOKEN')
  })
})

describe('memory search: visibility', () => {
  test('audit_only: never returned, for any user [GW-MEMS-7]', async () => {
    const topic = word()
    const asking = { user: { id: 'mara' } }
    const captured = expectSuccess(await memoryFixture.capture(`About ${topic}. damson-audit`, { scope: 'user' }, asking))
    expect(captured).toMatchObject({ stored: true, mode: 'audit_only' })
    expect(await memoryFixture.hits(topic, { limit: 50 }, asking)).toEqual([])
  })
  test('expired memories: not returned from their expiry on [GW-MEMS-7]', async () => {
    const topic = word()
    const expires = (seconds: number) => ({ expires_at: new Date(clock.now().getTime() + seconds * 1_000).toISOString() })
    await memoryFixture.store(`About ${topic}, for a while.`, expires(60))
    await memoryFixture.store(`About ${topic}, for longer.`, expires(3_600))
    await memoryFixture.store(`About ${topic}, for ever.`)
    expect(await memoryFixture.hits(topic)).toHaveLength(3)
    clock.advance(61_000)
    expect((await memoryFixture.texts(topic)).toSorted()).toEqual([`About ${topic}, for ever.`, `About ${topic}, for longer.`])
  })
  test('page: is full when many memories before it have expired', async () => {
    const topic = word()
    const expires_at = new Date(clock.now().getTime() + 60_000).toISOString()
    for (let number = 0; number < 70; number++) await memoryFixture.store(`${topic} ${topic}, ${number}.`, { expires_at })
    for (let number = 0; number < 10; number++) await memoryFixture.store(`A longer text that names ${topic} once, ${number}.`)
    clock.advance(61_000)
    expect(await memoryFixture.hits(topic)).toHaveLength(10)
  })
})
