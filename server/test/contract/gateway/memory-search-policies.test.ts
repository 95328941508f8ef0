import { describe, expect, test } from 'vitest'
import { assertNoContent } from '../../support/audit.ts'
import { expectSuccess } from '../../support/gateway-client.ts'
import { createMemoryFixture } from '../../support/memory-fixture.ts'
import { word } from '../../support/scripted-provider.ts'
import { governed } from '../shared-server.ts'
import { MAIL, MARA, recordOf, reviewsOf, tokenOf } from './memory-client.ts'

describe('memory: a search under policies', () => {
  const searchMarked = async (mark: string, text = '', query = '') => {
    const memoryFixture = await createMemoryFixture(governed)
    await memoryFixture.store('spinel alone')
    await memoryFixture.store(`spinel ${mark} ${text}`.trim(), { classification: 'internal' })
    const response = await memoryFixture.search(`spinel ${query}`, {}, { userToken: tokenOf('carol') })
    const { data, governance } = expectSuccess(response)
    const texts = data.map(({ content }) => String(content)).toSorted()
    return { memoryFixture, texts, ...governance, record: await recordOf(memoryFixture, response) }
  }
  test.each([
    ['juniper-deny', 'deny'],
    ['juniper-hold', 'require_approval'],
    ['juniper-broken', 'deny'],
  ])('%s in the query: 200 with no hits, and the verdict %s [GW-VERD-7]', async (mark, verdict) => {
    const { texts, decision, memoryFixture } = await searchMarked('', '', mark)
    expect(texts).toEqual([])
    expect(decision.verdict).toBe(verdict)
    expect(await reviewsOf(memoryFixture, 'hold')).toEqual([])
  })
  test('memory:off in the query: no hits', async () => {
    const { texts, decision } = await searchMarked('', '', 'juniper-memory-off')
    expect(texts).toEqual([])
    expect(decision).toMatchObject({ verdict: 'allow', directives: ['memory:off'] })
  })
  test('memory:audit_only in the query: does not change the hits', async () => {
    expect((await searchMarked('plain', '', 'juniper-memory-audit')).texts).toHaveLength(2)
  })
  test('deny: drops the hit [GW-VERD-8]', async () => {
    const { texts, decision, record } = await searchMarked('medlar-deny')
    expect(texts).toEqual(['spinel alone'])
    expect(decision.verdict).toBe('allow')
    expect((record.decision as { rules: object[] }).rules).toEqual([{ id: 'medlar-deny', point: 'recall', verdict: 'deny' }])
  })
  test('condition: drops the hit when it fails', async () => {
    expect((await searchMarked('medlar-broken')).texts).toEqual(['spinel alone'])
  })
  test('escalate: sets the verdict of the response, which keeps the hit [GW-VERD-8]', async () => {
    const { memoryFixture, texts, decision } = await searchMarked('medlar-escalate')
    expect(texts).toHaveLength(2)
    expect(decision.verdict).toBe('escalate')
    expect(await reviewsOf(memoryFixture, 'escalation')).toHaveLength(1)
  })
  test('require_approval: sets the verdict of the response, which leaves out the hit [GW-VERD-8]', async () => {
    const { texts, decision } = await searchMarked('medlar-hold')
    expect(texts).not.toContain('spinel medlar-hold')
    expect(decision.verdict).toBe('require_approval')
  })
  test.each(['redact', 'mask', 'pseudonymize'])('%s: changes the hit and is listed', async (name) => {
    const { texts, decision } = await searchMarked(`medlar-${name}`, MAIL)
    expect(texts).toHaveLength(2)
    expect(texts.join()).not.toContain(MAIL)
    expect(decision.transforms).toEqual([`${name}:pii`])
  })
  test('redact: applies to summaries', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    await memoryFixture.store('spinel medlar-redact', { summary: `Write to ${MAIL}` })
    const hits = await memoryFixture.hits('spinel', {}, { userToken: tokenOf('carol') })
    expect(hits).toMatchObject([{ summary: 'Write to [EMAIL]' }])
  })
  test.each(['sorrel-deny', 'sorrel-hold'])('output policies: %s leaves no hits', async (mark) => {
    const { texts, decision } = await searchMarked(mark)
    expect(texts).toEqual([])
    expect(decision.verdict).toBe(mark === 'sorrel-deny' ? 'deny' : 'require_approval')
  })
  test('page: is full when many hits are dropped before it', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    for (let number = 0; number < 80; number++) await memoryFixture.store(`opal opal ${number} medlar-deny`)
    for (let number = 0; number < 10; number++) await memoryFixture.store(`among many other words there is opal, ${number}`)
    const texts = await memoryFixture.texts('opal')
    expect(texts).toHaveLength(10)
    expect(texts.join()).not.toContain('medlar')
  })
  test('record: has ids, keyed hashes, scores and used stages, and no content [GW-PIPE-6, GW-AUD-3]', async () => {
    const memoryFixture = await createMemoryFixture(governed)
    const [content, query] = [`${word()} jade ${word()}`, `jade ${word()}`]
    await memoryFixture.store(content, {}, MARA)
    const response = await memoryFixture.search(query, {}, MARA)
    const [hit] = expectSuccess(response).data
    const record = await recordOf(memoryFixture, response)
    expect(record.memory).toEqual([{ id: hit?.memory_id, score: hit?.similarity, hash: expect.stringMatching(/^[0-9a-f]{64}$/) }])
    assertNoContent(
      record as never,
      [content, query, ...content.split(' '), 'mara'].filter((text) => text.length > 3 && text !== 'jade'),
    )
    const usedStages = (record.stages as { name: string; outcome: string }[]).filter(({ outcome }) => outcome === 'ok')
    expect(usedStages.map(({ name }) => name).join(' ')).toBe(
      'authenticate admit identify classify authorize recall inspect record',
    )
  })
  test('similarity: 0 to 1 [GW-MEMS-4]', async () => {
    const { memoryFixture } = await searchMarked('jasper')
    for (const { similarity } of await memoryFixture.hits('spinel jasper')) expect(similarity > 0 && similarity <= 1).toBe(true)
  })
})
