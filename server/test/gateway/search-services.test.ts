import { afterEach, expect, test } from 'vitest'
import { closeAfterAll } from '../support/close-after-all.ts'
import { embedByMeaning } from '../support/embed-by-meaning.ts'
import { respond, startFaultyProvider } from '../support/faulty-provider.ts'
import { startGoverned } from '../support/governed.ts'
import { createKnowledgeFixture, createTestCollection, type KnowledgeFixture } from '../support/knowledge-fixture.ts'
import { createMemoryFixture } from '../support/memory-fixture.ts'

/** Responds as an embedder, or as a reranker that reverses the order. */
const server = await closeAfterAll(
  startFaultyProvider((socket, call) => {
    if (!call.path.endsWith('/rerank')) return embedByMeaning(socket, call)
    const { documents } = JSON.parse(call.body) as { documents: string[] }
    respond({ results: documents.map((_, index) => ({ index, relevance_score: index })) })(socket, call)
  }),
)
const governed = await closeAfterAll(
  startGoverned({
    GATEHOUSE_EMBEDDINGS_URL: server.baseUrl,
    GATEHOUSE_EMBEDDINGS_MODEL: 'm-3',
    GATEHOUSE_EMBEDDINGS_MAX_CLASSIFICATION: 'internal',
    GATEHOUSE_EMBEDDINGS_REGION: 'eu',
    GATEHOUSE_RERANK_URL: server.baseUrl,
    GATEHOUSE_RERANK_MODEL: 'r-1',
    GATEHOUSE_RERANK_MAX_CLASSIFICATION: 'internal',
    GATEHOUSE_RERANK_REGION: 'eu',
  }),
)
await governed.publish([
  { id: 'raise', at: ['input'], when: 'content.text.contains("secretly")', verdict: 'allow', classification: 'confidential' },
  { id: 'in-eu', at: ['input'], when: 'content.text.contains("ineu")', verdict: 'allow', directives: ['route:region=eu'] },
  { id: 'in-us', at: ['input'], when: 'content.text.contains("inus")', verdict: 'allow', directives: ['route:region=us'] },
])
afterEach(() => {
  server.calls.length = 0
})

/** The texts that the embedder received, and the number of requests to the reranker, since the test began. */
const sent = () => {
  const bodies = server.calls.map(({ body }) => JSON.parse(body) as { input?: string[]; documents?: string[] })
  return { embedded: bodies.flatMap(({ input = [] }) => input), reranked: bodies.filter(({ documents }) => documents).length }
}
/** Embeds what is missing, as a job does, which tests do not start. */
const embed = () => governed.server.context.semantic?.job.run()
const search = async (fixture: KnowledgeFixture, query: string): Promise<readonly string[]> => {
  server.calls.length = 0
  return fixture.texts(query, { limit: 10, governance: { user: { id: 'ann' } } })
}
const open = () =>
  createKnowledgeFixture(governed, { application: { ceiling: 'restricted' }, settings: { assertion_clearance: 'restricted' } })

test('embedder: reads no text above its ceiling, and a text once its classification is low enough', async () => {
  const fixture = await open()
  await fixture.put('The cat of the plain office.')
  await fixture.put('The cat of the closed office.', { classification: 'confidential' })
  await fixture.put('---\nclassification: restricted\n---\n\nThe cat of the front matter.')
  const secret = await createTestCollection(governed, governed.demo.workspace.id, { classification: 'confidential' })
  await secret.put('The cat of the secret collection.')
  const memories = await createMemoryFixture(governed, {}, { ceiling: 'restricted' })
  await memories.store('The cat of the memory.', { classification: 'confidential' })
  await embed()
  const embedded = sent().embedded.join('\n')
  expect(embedded).toContain('plain office')
  for (const hidden of ['closed office', 'front matter', 'secret collection', 'of the memory'])
    expect(embedded).not.toContain(hidden)

  server.calls.length = 0
  await secret.change({ classification: 'internal' })
  await embed()
  expect(sent().embedded.join('\n')).toContain('secret collection')
})

test('embedder: reads no query of a request above its ceiling or for another region', async () => {
  const fixture = await open()
  await fixture.put('The cat sat.')
  await embed()
  expect(await search(fixture, 'kitten')).toEqual(['The cat sat.'])
  expect(sent().embedded).toEqual(['kitten'])
  expect(await search(fixture, 'kitten ineu')).toEqual(['The cat sat.'])
  expect(sent().embedded).toEqual(['kitten ineu'])
  for (const query of ['kitten secretly', 'kitten inus']) {
    expect(await search(fixture, query), query).toEqual([])
    expect(sent().embedded, query).toEqual([])
  }
})

test('reranker: reads no passages above its ceiling, and none of a request above it or for another region', async () => {
  const fixture = await open()
  await fixture.put('A lantern lantern.')
  await fixture.put('One lantern among other words.')
  const reversed = ['One lantern among other words.', 'A lantern lantern.']
  expect(await search(fixture, 'lantern')).toEqual(reversed)
  expect(sent().reranked).toBe(1)
  for (const query of ['lantern secretly', 'lantern inus']) {
    expect(await search(fixture, query), query).toEqual(reversed.toReversed())
    expect(sent().reranked, query).toBe(0)
  }
  await fixture.put('The lantern of the closed office.', { classification: 'confidential' })
  const own = await search(fixture, 'lantern')
  expect(own).toHaveLength(3)
  expect(own[0]).toBe('A lantern lantern.')
  expect(sent().reranked).toBe(0)
})
