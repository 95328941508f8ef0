import { describe, expect, test } from 'vitest'
import { expectError, expectSuccess } from '../../support/gateway-client.ts'
import { createKnowledgeFixture } from '../../support/knowledge-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { clock, governed } from '../shared-server.ts'

const PATH = '/v1/knowledge/search'
const SUBJECT = word()
/** More than a page holds. */
const DOCUMENTS = 55
const knowledgeFixture = await createKnowledgeFixture(governed)
for (let number = 0; number < DOCUMENTS; number++) await knowledgeFixture.put(`About ${SUBJECT}, page ${number}.`)

describe('POST /v1/knowledge/search', () => {
  test('200: object, data, governance; all three required [GW-PATH-3, GW-KNOW-3, GW-GOV-1]', async () => {
    const body = expectSuccess(await knowledgeFixture.search(SUBJECT))
    expect(Object.keys(body).toSorted()).toEqual(['data', 'governance', 'object'])
    expect(body.object).toBe('list')
    expect(body.governance).toEqual({
      audit_id: expect.stringMatching(/^aud_/),
      decision: { verdict: 'allow', transforms: [], directives: [] },
      risk_level: 'low',
      user_verified: false,
    })
  })
  test('KnowledgeHit: all fields, and no other [GW-KNOW-4]', async () => {
    const topic = word()
    await knowledgeFixture.put(`A description of ${topic}.`, { title: 'Sayings', regulations: ['hipaa', 'gdpr'] })
    expect(await knowledgeFixture.hits(topic)).toEqual([
      {
        chunk_id: expect.stringMatching(/^chk_[0-9a-z]{26}$/),
        document_title: 'Sayings',
        content: `A description of ${topic}.`,
        classification: 'internal',
        regulations: ['gdpr', 'hipaa'],
        similarity: expect.any(Number),
      },
    ])
  })
  test.each([
    ['public', 'public'],
    ['internal', 'internal'],
    ['confidential', 'confidential'],
    ['restricted', 'restricted'],
  ] as const)('KnowledgeHit: classification %s', async (classification, shown) => {
    const labelled = await createKnowledgeFixture(governed, { collection: { classification } })
    await labelled.put('Sea trade of amber.')
    const options = { userToken: governed.demo.users.find(({ id }) => id === 'carol')?.user_token ?? '' }
    expect((await labelled.hits('amber', {}, options)).map((hit) => hit.classification)).toEqual([shown])
  })
  test('KnowledgeHit: regulations are an empty list when there are none [GW-KNOW-4]', async () => {
    const [hit] = await knowledgeFixture.hits(SUBJECT)
    expect(hit?.regulations).toEqual([])
  })
  test('data: an empty list when nothing matches', async () => {
    expect(expectSuccess(await knowledgeFixture.search(word())).data).toEqual([])
  })
  test.each([
    [1, 1],
    [2, 2],
    [49, 49],
    [50, 50],
    [undefined, 10],
    [null, 10],
  ])('limit %j: %i hits [GW-KNOW-2]', async (limit, count) => {
    const hits = await knowledgeFixture.hits(SUBJECT, { limit })
    expect(hits).toHaveLength(count)
    expect(new Set(hits.map(({ chunk_id }) => chunk_id)).size).toBe(count)
  })
  test.each([0, 51, -1, 1.5, 1e9, '10', true, [10]])('limit %j: 400 VALIDATION_ERROR [GW-KNOW-2]', async (limit) => {
    const { param, audit_id } = expectError(await knowledgeFixture.search(SUBJECT, { limit }), 'VALIDATION_ERROR')
    expect({ param, audit_id }).toEqual({ param: 'limit', audit_id: undefined })
  })
  test('limit: a smaller page is the start of a larger one', async () => {
    const all = await knowledgeFixture.hits(SUBJECT, { limit: 50 })
    for (const limit of [1, 7, 10]) expect(await knowledgeFixture.hits(SUBJECT, { limit })).toEqual(all.slice(0, limit))
  })
  test.each([undefined, '', '   ', '\n\t', 5, null, ['x'], 'x'.repeat(32_769)])(
    'query %j: 400 VALIDATION_ERROR [GW-KNOW-1]',
    async (query) => {
      const response = await governed.post(PATH, { query }, { token: knowledgeFixture.token })
      expect(expectError(response, 'VALIDATION_ERROR').param).toBe('query')
    },
  )
  test.each([
    ['a query of 32 Ki characters', 'x '.repeat(16_384)],
    ['a query of signs only', '!?… -- ***'],
    ['a query of operators', `"${SUBJECT}" & | ! :* <-> OR AND NOT (`],
    ['a query with quotes and SQL', `'; drop table knowledge_chunk; -- ${SUBJECT}`],
    ['a query with U+0000', `\0${SUBJECT}`],
  ])('%s is an ordinary query', async (_, query) => {
    expectSuccess(await knowledgeFixture.search(query))
    expect(await knowledgeFixture.hits(SUBJECT)).toHaveLength(10)
  })
  test('governance.user: only id is required, and unknown fields are ignored [GW-KNOW-10]', async () => {
    for (const user of [{}, { id: '' }, { id: 5 }, 'mara', { id: 'mara', role: 5 }]) {
      expect(expectError(await knowledgeFixture.search(SUBJECT, { governance: { user } }), 'VALIDATION_ERROR').param).toMatch(
        /^governance\.user/,
      )
    }
    const user = { id: 'mara', role: 'pilot', department: 'hangar', attributes: { any: ['key'] } }
    expectSuccess(await knowledgeFixture.search(SUBJECT, { governance: { user }, top_k: 3, rerank: true }))
    expectSuccess(await knowledgeFixture.search(SUBJECT, { governance: null }))
  })
  test('X-Gateway-User-Token: verified, else 401 [GW-AUTH-12]', async () => {
    const userToken = governed.demo.users[0]?.user_token ?? ''
    expect(expectSuccess(await knowledgeFixture.search(SUBJECT, {}, { userToken })).governance.user_verified).toBe(true)
    expectError(await knowledgeFixture.search(SUBJECT, {}, { userToken: 'nonsense' }), 'AUTH_INVALID_USER_TOKEN')
  })
  test('400 VALIDATION_ERROR: from the next request on when knowledge is turned off', async () => {
    const own = await createKnowledgeFixture(governed)
    await own.put('Sea trade of amber.')
    expect(await own.hits('amber')).toHaveLength(1)
    await governed.change(own.id, { settings: { knowledge: { enabled: false } } })
    expectError(await own.search('amber'), 'VALIDATION_ERROR')
  })
  test('search: returns the same response again, except for audit_id [GW-KNOW-7]', async () => {
    const { governance: first, ...before } = expectSuccess(await knowledgeFixture.search(SUBJECT))
    clock.advance(1_000)
    const { governance: second, ...after } = expectSuccess(await knowledgeFixture.search(SUBJECT))
    expect(after).toEqual(before)
    expect(second).toEqual({ ...first, audit_id: second.audit_id })
  })
})
