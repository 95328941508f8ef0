import { describe, expect, test } from 'vitest'
import { expectSuccess } from '../../support/gateway-client.ts'
import { createKnowledgeFixture } from '../../support/knowledge-fixture.ts'
import { governed } from '../shared-server.ts'
import { as } from './retrieval-client.ts'

describe('knowledge: a page is full whenever enough visible passages exist [GW-KNOW-7]', () => {
  test('page: has ten visible matches after 1,000 better invisible ones', async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed)
    // Large sections become one chunk each.
    const filler = Array.from({ length: 230 }, () => 'onyx').join(' ')
    const sections = (count: number) => Array.from({ length: count }, (_, at) => `# Part ${at}\n\n${filler} ${at}`).join('\n\n')
    for (let file = 0; file < 10; file++) await knowledgeFixture.put(sections(100), { acl: { users: ['vera'] } })
    const hidden = await knowledgeFixture.hits('onyx', { limit: 50, ...as('vera') })
    expect(hidden).toHaveLength(50)
    for (let file = 0; file < 10; file++)
      await knowledgeFixture.put(`One of many words here is onyx, and page ${file} has others.`, { acl: { users: ['noor'] } })
    const hits = await knowledgeFixture.hits('onyx', { limit: 10, ...as('noor') })
    expect(hits.map(({ content }) => content)).toEqual(hits.map(() => expect.stringContaining('One of many')))
    expect(hits).toHaveLength(10)
  })
  test('page: has ten matches after 150 better ones that a rule drops', async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed)
    for (let file = 0; file < 150; file++) await knowledgeFixture.put(`opal opal opal ${file} quince-deny`)
    for (let file = 0; file < 10; file++) await knowledgeFixture.put(`A page in which, among other words, opal stands: ${file}.`)
    const { data, governance } = expectSuccess(await knowledgeFixture.search('opal'))
    expect(data).toHaveLength(10)
    expect(JSON.stringify(data)).not.toContain('quince')
    expect(governance.decision.verdict).toBe('allow')
  })
  test('page: dropped and invisible hits leave no gap and change no count', async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed)
    await knowledgeFixture.put('topaz for all')
    const before = expectSuccess(await knowledgeFixture.search('topaz'))
    await knowledgeFixture.put('topaz topaz', { acl: { users: ['vera'] } })
    await knowledgeFixture.put('topaz topaz', { classification: 'restricted' })
    const after = expectSuccess(await knowledgeFixture.search('topaz'))
    expect(after.data).toEqual(before.data)
    expect(Object.keys(after)).toEqual(Object.keys(before))
  })
})

describe('knowledge: similarity and order', () => {
  test('similarity: 0 to 1, highest first [GW-KNOW-4]', async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed)
    await knowledgeFixture.put('jasper jasper agate agate')
    await knowledgeFixture.put('jasper in a page about much else, and nothing of the other stone that was asked for')
    await knowledgeFixture.put('agate once, and then again a good many words that have no place in this query at all')
    const hits = await knowledgeFixture.hits('jasper agate')
    expect(hits.map(({ content }) => content)[0]).toContain('jasper jasper')
    const similarities = hits.map(({ similarity }) => similarity)
    expect(similarities).toHaveLength(3)
    expect(similarities).toEqual(similarities.toSorted((a, b) => b - a))
    for (const similarity of similarities) expect(similarity > 0 && similarity <= 1, String(similarity)).toBe(true)
  })
  test('search: finds words of titles and headings', async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed)
    await knowledgeFixture.put('# Malachite\n\nGreen.', { title: 'Chrysoprase' })
    for (const query of ['malachite', 'chrysoprase']) expect(await knowledgeFixture.hits(query), query).toHaveLength(1)
  })
  test('search: finds misspelt words and identifiers', async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed)
    await knowledgeFixture.put('The invoice INV-2024-0017 is about tourmaline.')
    for (const query of ['tourmalin', 'tuormaline', 'inv-2024-0017', '0017'])
      expect(await knowledgeFixture.hits(query), query).toHaveLength(1)
  })
  test('search: returns a text once when a document contains it twice', async () => {
    const knowledgeFixture = await createKnowledgeFixture(governed)
    const section = `${Array.from({ length: 120 }, () => 'garnet').join(' ')}`
    await knowledgeFixture.put(`# One\n\n${section}\n\n# One\n\n${section}`)
    expect(await knowledgeFixture.hits('garnet')).toHaveLength(1)
  })
})
