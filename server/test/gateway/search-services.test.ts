import { afterEach, expect, test } from 'vitest'
import { fromId } from '../../src/platform/lib/id.ts'
import { assertNoContent } from '../support/audit.ts'
import { closeAfterAll } from '../support/close-after-all.ts'
import { embedByMeaning } from '../support/embed-by-meaning.ts'
import { type Behaviour, failWith, respond, startFaultyProvider } from '../support/faulty-provider.ts'
import { expectSuccess, type GatewayResponse } from '../support/gateway-client.ts'
import { startGoverned } from '../support/governed.ts'
import { createKnowledgeFixture, createTestCollection, type KnowledgeFixture } from '../support/knowledge-fixture.ts'
import { createMemoryFixture } from '../support/memory-fixture.ts'

/** Responds as an embedder, or as a reranker that reverses the order. */
const well: Behaviour = (socket, call) => {
  if (!call.path.endsWith('/rerank')) return embedByMeaning(socket, call)
  const { documents } = JSON.parse(call.body) as { documents: string[] }
  respond({ results: documents.map((_, index) => ({ index, relevance_score: index })) })(socket, call)
}
const server = await closeAfterAll(startFaultyProvider(well))
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
  { id: 'unspoken', at: ['retrieve'], when: 'content.text.contains("unspoken")', verdict: 'deny' },
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

const { host } = new URL(server.baseUrl)
const EMBEDDER = { service: 'embedder', host, model: 'm-3', region: 'eu', ms: expect.any(Number) }
const RERANKER = { service: 'reranker', host, model: 'r-1', region: 'eu', ms: expect.any(Number) }
const SENT = { outcome: 'ok', status: 200 }
const WITHHELD = { status: 0, texts: 0, ms: 0 }
const recordedCalls = async (response: GatewayResponse) => (await governed.recordOf(response)).search_services
const ANN = { governance: { user: { id: 'ann' } } }

test('audit record: lists the calls of a knowledge search, without content [GW-AUD-16]', async () => {
  const fixture = await open()
  const texts = ['A harbour lantern.', 'One lantern among other words.']
  for (const text of texts) await fixture.put(text)
  await embed()
  const response = await fixture.search('lantern kitten', ANN)
  const record = await governed.recordOf(response)
  expect(record.search_services).toEqual([
    { ...EMBEDDER, ...SENT, stage: 'retrieve', texts: 1 },
    { ...RERANKER, ...SENT, stage: 'retrieve', texts: 2 },
  ])
  assertNoContent(record as never, ['lantern kitten', ...texts])
  expect(await recordedCalls(await fixture.search('lantern kitten', ANN))).toEqual([
    { ...EMBEDDER, ...WITHHELD, outcome: 'cached', stage: 'retrieve' },
    { ...RERANKER, ...SENT, stage: 'retrieve', texts: 2 },
  ])
})

test('audit record: lists the calls of a memory search and of a chat [GW-AUD-16]', async () => {
  const { name, put } = await createTestCollection(governed, governed.demo.workspace.id)
  await put('The cat sat.')
  const memories = await createMemoryFixture(governed, {}, { settings: { knowledge: { enabled: true, collections: [name] } } })
  await memories.store('The cat ran.')
  await embed()
  expect(await recordedCalls(await memories.search('a kitten'))).toEqual([{ ...EMBEDDER, ...SENT, stage: 'recall', texts: 1 }])
  const chat = await memories.chat('the kitten')
  expectSuccess(chat)
  expect(await recordedCalls(chat)).toEqual([
    { ...EMBEDDER, ...SENT, stage: 'retrieve', texts: 1 },
    { ...EMBEDDER, ...SENT, stage: 'recall', texts: 1 },
  ])
})

test('audit record: names the limit when nothing is sent [GW-AUD-16]', async () => {
  const fixture = await open()
  for (const text of ['A lantern lantern.', 'One lantern.']) await fixture.put(text)
  const outcomes = async (query: string) => {
    const calls = (await recordedCalls(await fixture.search(query, ANN))) as unknown as readonly (typeof EMBEDDER & typeof SENT)[]
    return calls.map(({ service, outcome }) => `${service} ${outcome}`)
  }
  expect(await outcomes('lantern secretly')).toEqual(['embedder above_ceiling', 'reranker above_ceiling'])
  expect(await outcomes('lantern inus')).toEqual(['embedder other_region', 'reranker other_region'])
  await fixture.put('The lantern of the closed office.', { classification: 'confidential' })
  expect(await outcomes('lantern again')).toEqual(['embedder ok', 'reranker above_ceiling'])
})

// The reranker reads visible passages before rules that read their text: its number of passages counts those that a rule denies.
test('audit record: an Application does not see whether a rule left out a passage that the reranker read [GW-AUD-16]', async () => {
  const fixture = await open()
  await fixture.put('A lantern.')
  const view = async () => {
    const response = await fixture.search('lantern', ANN)
    const own = await governed.api('GET', `/v1/audit/${response.headers.get('x-audit-id')}`, { token: fixture.token })
    const calls = (await recordedCalls(response)) as unknown as readonly { readonly service: string }[]
    return { own: expectSuccess(own), services: calls.map(({ service }) => service) }
  }
  const before = await view()
  await fixture.put('An unspoken lantern.')
  const after = await view()
  expect([before.services, after.services]).toEqual([['embedder'], ['embedder', 'reranker']])
  for (const { own } of [before, after]) expect(own).not.toHaveProperty('search_services')
  expect(Object.keys(after.own)).toEqual(Object.keys(before.own))
  expect(after.own.decision).toEqual(before.own.decision)
  expect(after.own.knowledge).toHaveLength(1)
})

test('audit record: a search that an operator makes as a user lists its calls', async () => {
  const fixture = await open()
  await fixture.put('The cat sat.')
  await embed()
  const json = { application_id: fixture.id, query: 'a kitten of an operator' }
  expectSuccess(await governed.admin('POST', '/knowledge/search', { json }))
  const [record] = await changes('knowledge.search_as')
  expect(record?.search_services?.[0]).toEqual({ ...EMBEDDER, ...SENT, stage: 'retrieve', texts: 1 })
})

interface ChangeRecord {
  readonly change: { readonly action: string }
  readonly search_services?: readonly object[]
}
/** The records of operators and of the server itself, newest first. */
const changes = async (action: string) => {
  const { data } = expectSuccess(await governed.admin('GET', '/audit?endpoint=admin&limit=100'))
  return (data as unknown as readonly ChangeRecord[]).filter(({ change }) => change.action === action)
}

test('audit record: names the documents and memories whose texts the job sent, one record for all of them [GW-AUD-17]', async () => {
  await embed()
  const count = (await changes('embedder.send')).length
  const fixture = await open()
  const first = await fixture.put('The cat of the first page.')
  const second = await fixture.put('A cat.', { key: 'twice' })
  await fixture.put('The cat of the second version.', { key: 'twice' })
  await fixture.put('A secret cat.', { classification: 'confidential' })
  const memories = await createMemoryFixture(governed)
  const memory = await memories.store('The cat of the noted memory.')
  await embed()
  const [record, ...others] = await changes('embedder.send')
  expect(others).toHaveLength(count)
  const sources = [
    { id: first, texts: 1, version: 1 },
    { id: second, texts: 1, version: 2 },
    { id: memory, texts: 1 },
  ]
  expect(record).toMatchObject({
    ...{ status: 200, error_code: null, application_id: null, user: { id: null }, request: { hash: null } },
    change: { action: 'embedder.send', object_type: 'embedder', object_id: host, fields: [] },
    search_services: [{ ...EMBEDDER, ...SENT, texts: 3, sources: expect.arrayContaining(sources) }],
  })
  assertNoContent(record as never, [
    'The cat of the first page.',
    'The cat of the second version.',
    'The cat of the noted memory.',
  ])
})

test('audit record: names the failure of a reranker, whose server may have received the passages [GW-AUD-16]', async () => {
  const fixture = await open()
  for (const text of ['A lantern lantern.', 'One lantern.']) await fixture.put(text)
  server.behave((socket, call) => (call.path.endsWith('/rerank') ? failWith(500) : well)(socket, call))
  const calls = await recordedCalls(await fixture.search('lantern', ANN)).finally(() => server.behave(well))
  expect(calls).toContainEqual({ ...RERANKER, outcome: 'status', status: 500, stage: 'retrieve', texts: 2 })
})

test('audit record: no vector is stored when it cannot be recorded that the text was sent [GW-AUD-17]', async () => {
  const { id } = expectSuccess(await governed.admin('POST', '/workspaces', { json: { name: 'without a log' } }), 201)
  const collection = await createTestCollection(governed, String(id))
  await collection.put('The cat of the lost log.')
  const { db } = governed.server.context
  const workspace = fromId('ws', String(id)) ?? ''
  await db.deleteFrom('audit_head').where('workspace_id', '=', workspace).execute()
  await expect(embed()).rejects.toThrow('has no audit chain')
  expect(sent().embedded.join()).toContain('lost log')
  const vectors = db
    .selectFrom('retrieval_vector as vector')
    .innerJoin('retrieval_partition as own', 'own.id', 'vector.partition_id')
  expect(await vectors.where('own.workspace_id', '=', workspace).select('entry_id').execute()).toEqual([])
})
