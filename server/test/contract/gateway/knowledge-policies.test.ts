import { beforeAll, describe, expect, test } from 'vitest'
import { assertNoContent } from '../../support/audit.ts'
import { expectError, expectSuccess, type ResponseBody } from '../../support/gateway-client.ts'
import { createKnowledgeFixture, type KnowledgeFixture } from '../../support/knowledge-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'
import { as, INJECTION, MAIL, recordOf, reviewsOf } from './knowledge-client.ts'

describe('knowledge: a query under the input policies', () => {
  let knowledgeFixture: KnowledgeFixture
  beforeAll(async () => {
    knowledgeFixture = await createKnowledgeFixture(governed)
    await knowledgeFixture.put('zircon')
  })
  test.each([
    ['juniper-deny', 'deny'],
    ['juniper-hold', 'require_approval'],
    ['juniper-broken', 'deny'],
  ])('%s: 200 with no hits, and the verdict %s [GW-VERD-7]', async (mark, verdict) => {
    const { data, governance } = expectSuccess(await knowledgeFixture.search(`zircon ${mark}`))
    expect(data).toEqual([])
    expect(governance.decision.verdict).toBe(verdict)
    expect(await recordOf(knowledgeFixture, governance.audit_id)).toMatchObject({ status: 200, review: null, knowledge: [] })
  })
  test('juniper-escalate: hits, the verdict, and an escalation for reviewers [GW-VERD-3]', async () => {
    const query = `zircon juniper-escalate ${word()}`
    const { data, governance } = expectSuccess(await knowledgeFixture.search(query, as('mara')))
    expect(data).toHaveLength(1)
    expect(governance.decision.verdict).toBe('escalate')
    expect(await reviewsOf(knowledgeFixture, 'escalation')).toHaveLength(1)
  })
  test('juniper-hold: opens no item, because a search cannot be held [GW-VERD-7]', async () => {
    const own = await createKnowledgeFixture(governed)
    expectSuccess(await own.search('zircon juniper-hold'))
    expect(await reviewsOf(own, 'hold')).toEqual([])
  })
  test('knowledge:off: no hits, and the directive in the block [GW-POL-11]', async () => {
    const { data, governance } = expectSuccess(await knowledgeFixture.search('zircon juniper-knowledge-off'))
    expect(data).toEqual([])
    expect(governance.decision).toEqual({ verdict: 'allow', transforms: [], directives: ['knowledge:off'] })
  })
  test('transforms: change the query before it is used [GW-POL-10]', async () => {
    const own = await createKnowledgeFixture(governed)
    await own.put(`Write to ${MAIL}`)
    expect(await own.hits(MAIL)).toHaveLength(1)
    expect(await own.hits(`${MAIL} juniper-redact`)).toEqual([])
  })
})

describe('knowledge: each hit under the retrieve policies', () => {
  const searchMarked = async (mark: string, text = '') => {
    const knowledgeFixture = await createKnowledgeFixture(governed)
    await knowledgeFixture.put(`spinel alone`)
    await knowledgeFixture.put(`spinel ${mark} ${text}`)
    const body = expectSuccess(await knowledgeFixture.search('spinel'))
    const texts = body.data.map(({ content }) => String(content).trim()).toSorted()
    return { knowledgeFixture, texts, ...body.governance, record: await recordOf(knowledgeFixture, body.governance.audit_id) }
  }
  test('deny: drops the hit, keeps the verdict allow, and the record names the rule [GW-VERD-8]', async () => {
    const { texts, decision, record } = await searchMarked('quince-deny')
    expect(texts).toEqual(['spinel alone'])
    expect(decision.verdict).toBe('allow')
    expect((record.decision as { rules: object[] }).rules).toEqual([{ id: 'quince-deny', point: 'retrieve', verdict: 'deny' }])
  })
  test('condition: drops the hit when it fails [GW-SAFE-1]', async () => {
    const { texts, decision } = await searchMarked('quince-broken')
    expect(texts).toEqual(['spinel alone'])
    expect(decision.verdict).toBe('allow')
  })
  test('escalate: sets the verdict of the response, which keeps the hit [GW-VERD-8]', async () => {
    const { knowledgeFixture, texts, decision } = await searchMarked('quince-escalate')
    expect(texts).toEqual(['spinel alone', 'spinel quince-escalate'])
    expect(decision.verdict).toBe('escalate')
    expect(await reviewsOf(knowledgeFixture, 'escalation')).toHaveLength(1)
  })
  test('require_approval: sets the verdict of the response, which leaves out the hit [GW-VERD-8]', async () => {
    const { knowledgeFixture, texts, decision } = await searchMarked('quince-hold')
    expect(texts).not.toContain('spinel quince-hold')
    expect(decision.verdict).toBe('require_approval')
    expect(await reviewsOf(knowledgeFixture, 'hold')).toEqual([])
  })
  test.each([
    ['redact', '[EMAIL]'],
    ['mask', /^(?!.*mara\.lind).*\.org/],
    ['pseudonymize', /^(?!.*mara)/],
  ])('%s: changes the hit and is listed', async (name, shown) => {
    const { texts, decision } = await searchMarked(`quince-${name}`, MAIL)
    expect(decision.transforms).toEqual([`${name}:pii`])
    expect(texts).toHaveLength(2)
    const changed = texts.find((text) => text.includes(name)) ?? ''
    expect(changed).not.toContain(MAIL)
    if (typeof shown === 'string') expect(changed).toContain(shown)
    else expect(changed).toMatch(shown)
  })
  test('redact: applies to titles', async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed)
    await knowledgeFixture.put('spinel quince-redact', { title: `Letters to ${MAIL}` })
    expect(await knowledgeFixture.hits('spinel')).toMatchObject([{ document_title: 'Letters to [EMAIL]' }])
  })
  test('risk: raised by rules and by findings', async () => {
    expect((await searchMarked('quince-critical')).risk_level).toBe('critical')
    const { risk_level, record } = await searchMarked('', INJECTION)
    expect(risk_level).toBe('high')
    expect(record.findings).toMatchObject({ retrieve: { injection: expect.any(Number) } })
  })
  test('rules: can deny instructions in a passage', async () => {
    const { texts } = await searchMarked('quince-orders', INJECTION)
    expect(texts).toEqual(['spinel alone'])
    expect((await searchMarked('quince-orders', 'harmless')).texts).toHaveLength(2)
  })
  test('rules: read every variable of `hit` [GW-POL-17]', async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed)
    await knowledgeFixture.put('spinel quince-facts', { title: 'Facts', regulations: ['gdpr', 'hipaa'] })
    expect(expectSuccess(await knowledgeFixture.search('spinel')).governance.decision.verdict).toBe('escalate')
    await knowledgeFixture.put('beryl quince-facts', { title: 'Other', regulations: ['gdpr', 'hipaa'] })
    expect(expectSuccess(await knowledgeFixture.search('beryl')).governance.decision.verdict).toBe('allow')
  })
  test.each(['sorrel-deny', 'sorrel-hold'])('output policies: read all hits together: %s leaves none', async (mark) => {
    const { texts, decision } = await searchMarked(mark)
    expect(texts).toEqual([])
    expect(decision.verdict).toBe(mark === 'sorrel-deny' ? 'deny' : 'require_approval')
  })
  test('output policies: redact hits', async () => {
    const { texts, decision } = await searchMarked('sorrel-redact', MAIL)
    expect(texts).toContain('spinel sorrel-redact [EMAIL]')
    expect(decision.transforms).toEqual(['redact:pii'])
  })
})

describe('knowledge: the record of a search', async () => {
  let knowledgeFixture: KnowledgeFixture
  let body: ResponseBody
  const [title, content, query] = [word(), `${word()} jade ${word()}`, `jade ${word()}`]
  knowledgeFixture = await createKnowledgeFixture(governed)
  await knowledgeFixture.put(content, { title })
  body = expectSuccess(await knowledgeFixture.search(query))
  const record = await recordOf(knowledgeFixture, body.governance.audit_id)
  test('record: has ids, keyed hashes and scores of the hits [GW-AUD-2]', () => {
    const [hit] = body.data
    expect(record.knowledge).toEqual([
      { id: hit?.chunk_id, score: hit?.similarity, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    ])
    expect(record.response).toMatchObject({ hits: 1 })
  })
  test('record: has no content [GW-AUD-3]', () =>
    assertNoContent(
      record as never,
      [title, content, query, knowledgeFixture.name, ...content.split(' ')].filter((text) => text.length > 4),
    ))
  test('stages: twelve, of which these are used [GW-PIPE-5]', () => {
    const usedStages = (record.stages as { name: string; outcome: string }[]).filter(({ outcome }) => outcome === 'ok')
    expect(usedStages.map(({ name }) => name).join(' ')).toBe(
      'authenticate admit identify classify authorize retrieve inspect record',
    )
  })
  test('lookup: 404 for other Applications [GW-AUD-1]', async () => {
    expectError(await governed.api('GET', `/v1/audit/${body.governance.audit_id}`), 'NOT_FOUND')
  })
})
