import { describe, expect, test } from 'vitest'
import { assertNoContent } from '../../support/audit.ts'
import { expectSuccess } from '../../support/gateway-client.ts'
import { word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'
import { INJECTION, MAIL, MARA, recordOf, reviewsOf, SOURCES, tokenOf, usedStages } from './retrieval-client.ts'

describe.each(SOURCES)('$source: a search under policies', ({ source, point, rule, create }) => {
  /** Searches for `spinel`, which a marked text and another one contain. */
  const searchMarked = async (mark: string, text = '', query = '') => {
    const fixture = await create()
    await fixture.store('spinel alone')
    await fixture.store(`spinel ${mark} ${text}`.trim())
    const response = await fixture.search(`spinel ${query}`, {}, { userToken: tokenOf('carol') })
    const { data, governance } = expectSuccess(response)
    const texts = data.map(({ content }) => String(content).trim()).toSorted()
    return { fixture, texts, ...governance, record: await recordOf(fixture, response) }
  }
  test.each([
    ['juniper-deny', 'deny'],
    ['juniper-hold', 'require_approval'],
    ['juniper-broken', 'deny'],
  ])('%s in the query: 200 with no hits and no review item, and the verdict %s [GW-VERD-7]', async (mark, verdict) => {
    const { texts, decision, fixture, record } = await searchMarked('', '', mark)
    expect(texts).toEqual([])
    expect(decision.verdict).toBe(verdict)
    expect(record).toMatchObject({ status: 200, review: null, [source]: [] })
    expect(await reviewsOf(fixture, 'hold')).toEqual([])
  })
  test('juniper-escalate in the query: hits, the verdict, and an escalation for reviewers [GW-VERD-3]', async () => {
    const { texts, decision, fixture } = await searchMarked('', '', 'juniper-escalate')
    expect(texts).toHaveLength(2)
    expect(decision.verdict).toBe('escalate')
    expect(await reviewsOf(fixture, 'escalation')).toHaveLength(1)
  })
  test(`${source}:off in the query: no hits, and the directive in the block [GW-POL-11]`, async () => {
    const { texts, decision } = await searchMarked('', '', `juniper-${source}-off`)
    expect(texts).toEqual([])
    expect(decision).toEqual({ verdict: 'allow', transforms: [], directives: [`${source}:off`] })
  })
  test('deny: drops the hit, keeps the verdict allow, and the record names the rule to operators only [GW-VERD-8]', async () => {
    const { texts, decision, record, audit_id } = await searchMarked(`${rule}-deny`)
    expect(texts).toEqual(['spinel alone'])
    expect(decision.verdict).toBe('allow')
    const full = expectSuccess(await governed.admin('GET', `/audit/${audit_id}`))
    const decided = { id: `${rule}-deny`, point, verdict: 'deny', left_out: true }
    expect(full.decision).toMatchObject({ rules: [decided] })
    expect(record.decision).toMatchObject({ rules: [] })
  })
  test('condition: drops the hit when it fails [GW-SAFE-1]', async () => {
    const { texts, decision } = await searchMarked(`${rule}-broken`)
    expect(texts).toEqual(['spinel alone'])
    expect(decision.verdict).toBe('allow')
  })
  test('escalate: sets the verdict of the response, which keeps the hit [GW-VERD-8]', async () => {
    const { fixture, texts, decision } = await searchMarked(`${rule}-escalate`)
    expect(texts).toEqual(['spinel alone', `spinel ${rule}-escalate`])
    expect(decision.verdict).toBe('escalate')
    expect(await reviewsOf(fixture, 'escalation')).toHaveLength(1)
  })
  test('require_approval: sets the verdict of the response, which leaves out the hit [GW-VERD-8]', async () => {
    const { fixture, texts, decision } = await searchMarked(`${rule}-hold`)
    expect(texts).not.toContain(`spinel ${rule}-hold`)
    expect(decision.verdict).toBe('require_approval')
    expect(await reviewsOf(fixture, 'hold')).toEqual([])
  })
  test.each([
    ['redact', /\[EMAIL\]/],
    ['mask', /^(?!.*mara\.lind).*\.org/],
    ['pseudonymize', /^(?!.*mara)/],
  ])('%s: changes the hit and is listed', async (name, shown) => {
    const { texts, decision } = await searchMarked(`${rule}-${name}`, MAIL)
    expect(decision.transforms).toEqual([`${name}:pii`])
    expect(texts).toHaveLength(2)
    const changed = texts.find((text) => text.includes(name)) ?? ''
    expect(changed).not.toContain(MAIL)
    expect(changed).toMatch(shown)
  })
  test.each([
    ['sorrel-deny', 'allow'],
    ['sorrel-hold', 'require_approval'],
  ])('output policies: %s leaves out the hit that it matches, and the verdict is %s', async (mark, verdict) => {
    const { texts, decision } = await searchMarked(mark)
    expect(texts).toEqual(['spinel alone'])
    expect(decision.verdict).toBe(verdict)
  })
  test('output policies: redact hits', async () => {
    const { texts, decision } = await searchMarked('sorrel-redact', MAIL)
    expect(texts).toContain('spinel sorrel-redact [EMAIL]')
    expect(decision.transforms).toEqual(['redact:pii'])
  })
  test('risk: raised by rules and by findings', async () => {
    expect((await searchMarked(`${rule}-critical`)).risk_level).toBe('critical')
    const { risk_level, record } = await searchMarked('', INJECTION)
    expect(risk_level).toBe('high')
    expect(record.findings).toMatchObject({ [point]: { injection: expect.any(Number) } })
  })
  test('rules: can deny instructions in a text', async () => {
    const { texts } = await searchMarked(`${rule}-orders`, INJECTION)
    expect(texts).toEqual(['spinel alone'])
    expect((await searchMarked(`${rule}-orders`, 'harmless')).texts).toHaveLength(2)
  })
  test('record: has ids, keyed hashes, scores and used stages, and no content [GW-PIPE-5, GW-PIPE-6, GW-AUD-2, GW-AUD-3]', async () => {
    const fixture = await create()
    const [content, query] = [`${word()} jade ${word()}`, `jade ${word()}`]
    await fixture.store(content)
    const response = await governed.post(`/v1/${source}/search`, { query, governance: MARA }, { token: fixture.token })
    const [hit] = expectSuccess(response).data
    const record = await recordOf(fixture, response)
    const id = hit?.chunk_id ?? hit?.memory_id
    expect(record[source]).toEqual([{ id, score: hit?.similarity, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }])
    expect(record.response).toMatchObject({ hits: 1 })
    const words = [...content.split(' '), ...query.split(' ')].filter((text) => text !== 'jade')
    assertNoContent(record as never, [content, query, ...words, 'mara'])
    const stage = source === 'knowledge' ? 'retrieve' : 'recall'
    expect(usedStages(record)).toBe(`authenticate admit identify classify authorize ${stage} inspect record`)
  })
})
