import { describe, expect, test } from 'vitest'
import { type ChatOptions, expectError, expectSuccess } from '../../support/gateway-client.ts'
import { word } from '../../support/scripted-provider.ts'
import { clock, governed } from '../shared-server.ts'
import { SOURCES } from './retrieval-client.ts'

const SUBJECT = word()
/** More than a page holds. */
const TEXTS = 55

describe.each(SOURCES)('POST /v1/$source/search', async ({ source, create }) => {
  const { token, store } = await create()
  for (let number = 0; number < TEXTS; number++) await store(`About ${SUBJECT}, number ${number}.`)
  const search = (query: unknown, more: object = {}, options: ChatOptions = {}) =>
    governed.post(`/v1/${source}/search`, { query, ...more }, { token, ...options })
  const hits = async (limit?: number | null) => expectSuccess(await search(SUBJECT, { limit })).data

  test('200: object, data, governance; all three required [GW-PATH-3, GW-PATH-4, GW-KNOW-3, GW-MEMS-3, GW-GOV-1]', async () => {
    const body = expectSuccess(await search(SUBJECT))
    expect(Object.keys(body).toSorted()).toEqual(['data', 'governance', 'object'])
    expect(body.object).toBe('list')
    expect(body.governance).toEqual({
      audit_id: expect.stringMatching(/^aud_/),
      decision: { verdict: 'allow', transforms: [], directives: [] },
      risk_level: 'low',
      user_verified: false,
    })
  })
  test('data: an empty list when nothing matches', async () => {
    expect(expectSuccess(await search(word())).data).toEqual([])
  })
  test.each([
    [1, 1],
    [2, 2],
    [49, 49],
    [50, 50],
    [undefined, 10],
    [null, 10],
  ])('limit %j: %i hits [GW-KNOW-2, GW-MEMS-2]', async (limit, count) => {
    const ids = (await hits(limit)).map(({ chunk_id, memory_id }) => chunk_id ?? memory_id)
    expect(ids).toHaveLength(count)
    expect(new Set(ids).size).toBe(count)
  })
  test.each([0, 51, -1, 1.5, 1e9, '10', true, [10]])('limit %j: 400 VALIDATION_ERROR [GW-KNOW-2, GW-MEMS-2]', async (limit) => {
    const { param, audit_id } = expectError(await search(SUBJECT, { limit }), 'VALIDATION_ERROR')
    expect({ param, audit_id }).toEqual({ param: 'limit', audit_id: undefined })
  })
  test('limit: a smaller page is the start of a larger one, with similarities from 0 to 1 [GW-KNOW-4, GW-MEMS-4]', async () => {
    const all = await hits(50)
    for (const { similarity } of all) expect(Number(similarity) > 0 && Number(similarity) <= 1).toBe(true)
    for (const limit of [1, 7, 10]) expect(await hits(limit)).toEqual(all.slice(0, limit))
  })
  test.each([undefined, '', '   ', '\n\t', 5, null, ['x'], 'x'.repeat(32_769)])(
    'query %j: 400 VALIDATION_ERROR [GW-KNOW-1, GW-MEMS-1]',
    async (query) => {
      expect(expectError(await search(query), 'VALIDATION_ERROR').param).toBe('query')
    },
  )
  test.each([
    ['a query of 32 Ki characters', 'x '.repeat(16_384)],
    ['a query of signs only', '!?… -- ***'],
    ['a query of operators', `"${SUBJECT}" & | ! :* <-> OR AND NOT (`],
    ['a query with quotes and SQL', `'; drop table ${source === 'memory' ? 'memory' : 'knowledge_chunk'}; -- ${SUBJECT}`],
    ['a query with U+0000', `\0${SUBJECT}`],
  ])('%s is an ordinary query', async (_, query) => {
    expectSuccess(await search(query))
    expect(await hits()).toHaveLength(10)
  })
  test.each([
    ['governance.user', { user: {} }],
    ['governance.user', { user: { id: '' } }],
    ['governance.user', { user: { id: 5 } }],
    ['governance.user', { user: 'mara' }],
    ['governance.user', { user: { id: 'mara', role: 5 } }],
    ['governance.user.id', { user: { id: 'x'.repeat(257) } }],
    ['governance.user.id', { user: { id: 'a\0b' } }],
  ])('%s: 400 VALIDATION_ERROR when governance is %j [GW-KNOW-10, GW-MEMS-8]', async (field, governance) => {
    expect(expectError(await search(SUBJECT, { governance }), 'VALIDATION_ERROR').param).toContain(field)
  })
  test('governance: may be null, and unknown fields are ignored [GW-KNOW-10]', async () => {
    const user = { id: 'mara', role: 'pilot', department: 'hangar', attributes: { any: ['key'] } }
    expectSuccess(await search(SUBJECT, { governance: { user }, top_k: 3, rerank: true }))
    expectSuccess(await search(SUBJECT, { governance: null }))
  })
  test('search: returns the same response again, except for audit_id [GW-KNOW-7]', async () => {
    const { governance: first, ...before } = expectSuccess(await search(SUBJECT))
    clock.advance(1_000)
    const { governance: second, ...after } = expectSuccess(await search(SUBJECT))
    expect(after).toEqual(before)
    expect(second).toEqual({ ...first, audit_id: second.audit_id })
  })
})
