import { sql } from 'kysely'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { embedByMeaning, embedWith } from '../../../../test/support/embed-by-meaning.ts'
import { failWith, startFaultyProvider } from '../../../../test/support/faulty-provider.ts'
import { freshDatabases } from '../../../../test/support/fresh-database.ts'
import { rankByMeaning, rankOnce } from '../../../../test/support/rank-once.ts'
import { seedWorkspace } from '../../../../test/support/seed.ts'
import { inSnapshot } from '../../../platform/db/snapshot.ts'
import { fromId, newUuid, toId } from '../../../platform/lib/id.ts'
import { guardedConnector } from '../../../platform/lib/url-guard.ts'
import { absorbPartition } from '../absorb-partition.ts'
import { addEntries, removeEntries } from '../entries.ts'
import { openPartition, type Partition } from '../partition.ts'
import { createRanker } from '../rank.ts'
import { EmbeddingProgress, embedMissing, type RecordEmbedding } from './embed-missing.ts'
import { Embedder, type ModelChoice } from './embedder.ts'
import { findModel, findReadyModel, leaseModel } from './model-store.ts'
import { buildIndex, nearest } from './nearest.ts'
import { prepareVectors, type VectorSupport } from './prepare-vectors.ts'
import { createSemanticRanker } from './semantic-ranker.ts'

describe.each(freshDatabases())('semantic search on $name', async ({ open }) => {
  let support: VectorSupport
  let workspace: string
  let animals: Partition
  let vehicles: Partition
  const texts = new Map<string, string>()
  const embedders: Embedder[] = []
  const problems: string[] = []
  const recorded: string[] = []

  const fresh = await open()
  const db = fresh.database.db
  const server = await startFaultyProvider(embedByMeaning)
  const prepared = await prepareVectors(db, (why) => expect.unreachable(why))
  if (prepared) support = prepared
  afterAll(async () => {
    await server.close()
    await fresh.remove()
  })
  beforeEach(async () => {
    const { workspaceId } = await seedWorkspace(db)
    workspace = fromId('ws', workspaceId) ?? ''
    await db.transaction().execute(async (tx) => {
      animals = await openPartition(tx, workspace, 'knowledge', 'animals', 'en')
      vehicles = await openPartition(tx, workspace, 'memory', 'vehicles', 'en')
    })
  })
  afterEach(async () => {
    server.behave(embedByMeaning)
    server.calls.length = 0
    problems.length = 0
    recorded.length = 0
    texts.clear()
    for (const embedder of embedders.splice(0)) await embedder.close()
    await fresh.empty()
  })

  const embedderOf = (model: ModelChoice): Embedder => {
    const settings = { url: server.baseUrl, apiKey: undefined, model }
    const deps = { connect: guardedConnector(true, 1_000), now: Date.now, random: () => 0, backoffMs: 1 }
    const embedder = new Embedder(settings, deps)
    embedders.push(embedder)
    return embedder
  }
  const add = async (partition: Partition, ...added: string[]): Promise<string[]> => {
    const entries = added.map((text) => ({ id: newUuid(), title: '', text }))
    for (const { id, text } of entries) texts.set(id, text)
    await db.transaction().execute((tx) => addEntries(tx, partition, entries))
    return entries.map(({ id }) => id)
  }
  const textsOf = async (_: unknown, ids: readonly string[]) =>
    new Map(ids.map((id) => [id, { text: texts.get(id) ?? '', source: { id: toId('mem', id) } }]))
  /** A server with this model that embeds missing entries and searches. */
  const node = (name = 'm-3', dimensions?: number, embeddable = sql<boolean>`true`) => {
    const embedder = embedderOf({ name, dimensions })
    const fallbacks: string[] = []
    const onProblem = (text: string) => problems.push(text)
    const reports = { onProblem, onFallback: (reason: string) => fallbacks.push(reason) }
    const record: RecordEmbedding = (_, { texts, outcome, status }, write) => {
      recorded.push(`${texts} text: ${outcome} ${status}`)
      return db.transaction().execute(write)
    }
    const deps = {
      db,
      embedder,
      support,
      textsOf: { knowledge: textsOf, memory: textsOf },
      record,
      progress: new EmbeddingProgress(),
    }
    const semantic = createSemanticRanker({ db, embedder, ...reports })
    const ranker = createRanker({ embedder: semantic })
    return {
      embed: (maxBatches = 10) => embedMissing({ ...deps, embeddable, sessionDb: db, onProblem }, { maxBatches }),
      progress: deps.progress,
      semantic,
      ranker,
      fallbacks,
    }
  }
  const found = (hits: readonly { id: string }[] | undefined) => hits?.map(({ id }) => texts.get(id))
  const vectors = () => db.selectFrom('retrieval_vector').select(['model_id', 'embedding']).execute()

  test('serves queries only when every entry has a vector, then finds entries without a common word', async () => {
    await add(animals, 'a small cat', 'the red car')
    const one = node()
    expect(await rankByMeaning(db, one.semantic, workspace, [animals], 'kitten', 10)).toBeUndefined()
    expect(await one.embed()).toBe(2)
    const hits = await rankByMeaning(db, node().semantic, workspace, [animals], 'kitten', 10)
    expect(found(hits)).toEqual(['a small cat', 'the red car'])
    expect(hits?.[0]?.similarity).toBeCloseTo(0.9 / Math.hypot(0.9, 0.1))
    expect(found(await rankOnce(db, node().ranker, workspace, [animals], 'kitten', 1))).toEqual(['a small cat'])
  })

  test('returns identical results with hidden partitions', async () => {
    await add(animals, 'a small cat', 'one kitten', 'nothing')
    await node().embed()
    const before = await rankByMeaning(db, node().semantic, workspace, [animals], 'kitten', 10)
    await add(vehicles, ...Array.from({ length: 40 }, (_, at) => `kitten ${at}`))
    await node().embed()
    expect(await rankByMeaning(db, node().semantic, workspace, [animals], 'kitten', 10)).toEqual(before)
    expect(await rankByMeaning(db, node().semantic, workspace, [vehicles], 'kitten', 100)).toHaveLength(40)
    expect(await rankByMeaning(db, node().semantic, workspace, [], 'kitten', 10)).toBeUndefined()
  })

  test('entries that another partition absorbs keep their vectors, and are not embedded again', async () => {
    await add(animals, 'a small cat', 'one kitten', 'nothing')
    await add(vehicles, 'the red car')
    await node().embed()
    const search = (partition: Partition) => rankByMeaning(db, node().semantic, workspace, [partition], 'kitten', 10)
    const before = await search(animals)
    await db.transaction().execute((tx) => absorbPartition(tx, animals, vehicles, ['reader ann']))
    expect(await node().embed()).toBe(0)
    expect(await search({ ...vehicles, filter: { alternatives: [[['reader ann']]], without: [] } })).toEqual(before)
    expect([await search(vehicles), await search(animals)].map((hits) => hits?.length)).toEqual([4, 0])
  })

  test('stops after the maximum of batches and continues there', async () => {
    await add(animals, ...Array.from({ length: 150 }, (_, at) => `cat ${at}`))
    const one = node()
    expect(await one.embed(1)).toBe(64)
    expect(await findReadyModel(db)).toBeUndefined()
    expect(await node().embed(1)).toBe(64)
    expect(await one.embed(1)).toBe(22)
    expect(await findReadyModel(db)).toMatchObject({ name: 'm-3', dimensions: 3, state: 'ready' })
    server.calls.length = 0
    expect(await one.embed()).toBe(0)
    expect(server.calls).toEqual([])
    await add(animals, 'a late cat')
    expect(await one.embed()).toBe(1)
  })

  test('runs on one of two nodes only', async () => {
    await add(animals, 'cat')
    await node().embed()
    await add(animals, 'another cat')
    const two = node()
    await two.embed(0)
    const id = two.progress.modelId ?? 0
    const otherNode = newUuid()
    expect(await leaseModel(db, id, otherNode)).toBe(true)
    expect(await two.embed()).toBe(0)
    await sql`update embedding_model set leased_until = now() - interval '1 second'`.execute(db)
    expect(await two.embed()).toBe(1)
    expect(await leaseModel(db, id, otherNode)).toBe(true)
  })

  test('removes the vectors of removed entries', async () => {
    const [cat = ''] = await add(animals, 'cat', 'car')
    await node().embed()
    await db.transaction().execute((tx) => removeEntries(tx, [cat]))
    expect(await vectors()).toHaveLength(1)
    expect(found(await rankByMeaning(db, node().semantic, workspace, [animals], 'cat', 10))).toEqual(['car'])
  })

  test('stores no vector for a refused or blank text and finds the other entries', async () => {
    await add(animals, 'cat', 'poison cat', ' ', 'car')
    const one = node()
    expect(await one.embed()).toBe(4)
    expect((await vectors()).filter(({ embedding }) => embedding === null)).toHaveLength(2)
    expect(found(await rankByMeaning(db, node().semantic, workspace, [animals], 'cat', 10))).toEqual(['cat', 'car'])
    expect(problems).toEqual([])
  })

  test('builds a new model while the old one serves queries, then switches and deletes the old vectors', async () => {
    await add(animals, ...Array.from({ length: 100 }, (_, at) => `car ${at}`), 'cat')
    await node('m-3').embed()
    const next = node('m-4')
    await next.embed(1)
    server.calls.length = 0
    expect(found(await rankByMeaning(db, next.semantic, workspace, [animals], 'kitten', 1))).toEqual(['cat'])
    expect(JSON.parse(server.calls[0]?.body ?? '')).toMatchObject({ model: 'm-3', input: ['kitten'] })

    await next.embed()
    expect(await findReadyModel(db)).toMatchObject({ name: 'm-4', dimensions: 4 })
    expect(await vectors()).toHaveLength(202)
    server.calls.length = 0
    const later = node('m-4')
    expect(found(await rankByMeaning(db, later.semantic, workspace, [animals], 'kitten', 1))).toEqual(['cat'])
    expect(JSON.parse(server.calls[0]?.body ?? '')).toMatchObject({ model: 'm-4' })

    await sql`update embedding_model set changed_at = now() - interval '2 minutes' where state = 'retired'`.execute(db)
    await next.embed()
    expect(await vectors()).toHaveLength(101)
    expect((await sql`select from embedding_model`.execute(db)).rows).toHaveLength(1)
  })

  test('keeps the new model when a server still has the old one; a restarted server switches', async () => {
    await add(animals, 'cat')
    const old = node('m-3')
    await old.embed()
    await node('m-4').embed()
    await add(animals, 'car')
    expect(await old.embed()).toBe(0)
    expect(await old.embed()).toBe(0)
    expect(problems).toEqual([expect.stringContaining('another server')])
    expect(await node('m-3').embed()).toBe(1)
    expect(await findReadyModel(db)).toMatchObject({ name: 'm-3' })
  })

  test('treats other dimensions under the same name as another model', async () => {
    await add(animals, 'cat')
    await node('m', 3).embed()
    server.behave(embedWith(() => [1, 2]))
    await node('m', 2).embed()
    expect(await findReadyModel(db)).toMatchObject({ name: 'm', dimensions: 2, shortened: true })
  })

  test('falls back to lexical search when the embedder fails, reports once and counts each time', async () => {
    await add(animals, 'a small cat', 'the red car')
    await node().embed()
    const one = node()
    server.behave(failWith(500))
    server.calls.length = 0
    for (const query of ['red', 'car', 'red car']) {
      expect(found(await rankOnce(db, one.ranker, workspace, [animals], query, 1))).toEqual(['the red car'])
    }
    expect(one.fallbacks).toHaveLength(3)
    expect(problems).toEqual([expect.stringContaining('status 500')])
    // One query tries the embedder twice; the others do not wait, unless the machine takes seconds for them.
    expect(server.calls.length).toBeLessThanOrEqual(4)
  })

  test('keeps the order of pages when the embedder fails between them', async () => {
    await add(animals, 'a small cat', 'the red car', 'a boat')
    await node().embed()
    const one = node()
    const first = await rankOnce(db, one.ranker, workspace, [animals], 'kitten', 1)
    server.behave(failWith(500))
    expect((await rankOnce(db, one.ranker, workspace, [animals], 'kitten', 3)).slice(0, 1)).toEqual(first)
    expect(one.fallbacks).toEqual([])
  })

  test('pauses the job and reports once when the embedder is down', async () => {
    await add(animals, 'cat')
    server.behave(failWith(401))
    const one = node('m-3', 3)
    expect(await one.embed()).toBe(0)
    const calls = server.calls.length
    expect(await one.embed()).toBe(0)
    expect(server.calls).toHaveLength(calls)
    one.progress.pause.until = 0
    await one.embed()
    expect(problems).toEqual([expect.stringContaining('status 401')])
    server.behave(embedByMeaning)
    one.progress.pause.until = 0
    expect(await one.embed()).toBe(1)
    // The texts of a failed call are recorded once.
    expect(recorded).toEqual(['1 text: status 401', '1 text: ok 200'])
  })

  test('returns visible entries in exact order from the approximate index', async () => {
    const points = Array.from({ length: 600 }, (_, at) => `point ${at}`)
    const at = (text: string) => Number(text.split(' ')[1] ?? 0) / 300
    server.behave(embedWith((text) => [Math.cos(at(text)), Math.sin(at(text)), 0]))
    await add(animals, ...points.filter((_, at) => at % 2 === 0))
    await add(vehicles, ...points.filter((_, at) => at % 2 === 1))
    await node().embed(20)
    const model = await findReadyModel(db)
    if (!model) return expect.unreachable()
    const target = Float32Array.of(Math.cos(1), Math.sin(1), 0)
    const exact = await inSnapshot(db, (tx) => nearest(tx, { model, vector: target }, workspace, [animals], 50))
    await buildIndex(db, model)
    await buildIndex(db, model)
    const indexed = await findModel(db, model.id)
    await sql`update retrieval_partition set entries = 60000 where id = ${animals.id}`.execute(db)
    const approximate = await inSnapshot(db, (tx) =>
      nearest(tx, { model: { ...model, ...indexed, indexed: true }, vector: target }, workspace, [animals], 50),
    )
    expect(approximate).toEqual(exact)
    expect(found(exact)?.every((text) => Number(text?.split(' ')[1]) % 2 === 0)).toBe(true)
  })
})
