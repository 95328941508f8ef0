import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { createMemoryStoreFixture, type MemoryStoreFixture } from '../../../test/support/memory-store-fixture.ts'
import { onStatement } from '../../../test/support/statement-listener.ts'
import type { MemoryScope } from '../../shared/memory-words.ts'
import type { Viewer } from '../../shared/viewer.ts'
import type { Ranker } from '../retrieval/rank.ts'
import { recallMemories } from './recall.ts'

const DAY = 86_400_000

describe.each(testDatabases())('recallMemories on $name', async ({ open }) => {
  let bench: MemoryStoreFixture
  const database = await closeAfterAll(open())
  beforeEach(async () => {
    bench = await createMemoryStoreFixture(database)
  })

  const alice = (fields: Partial<Viewer> = {}) => bench.viewer({ user: { id: 'alice' }, ...fields })
  const contents = async (viewer: Viewer, text: string, scopes?: readonly MemoryScope[]) =>
    (await bench.recall(viewer, text, scopes)).map(({ content }) => content)

  test('returns identical results when other owners store memories', async () => {
    for (const content of ['tea at noon', 'tea and cake', 'cake at noon']) await bench.store(alice(), { content })
    const before = await bench.recall(alice(), 'tea cake noon')
    const bob = bench.viewer({ user: { id: 'bob' } })
    for (let i = 0; i < 20; i++) await bench.store(bob, { content: `tea cake noon number ${i}` })
    await bench.store(alice(), { content: 'tea for auditors', mode: 'audit_only' })
    await bench.store(alice(), { content: 'tea in secret', classification: 'restricted' })
    const low = await bench.recall(alice({ ceiling: 'internal' }), 'tea cake noon')
    expect(JSON.stringify(low)).toBe(JSON.stringify(before))
    expect(before).toHaveLength(3)
  })

  test('hides an expired memory at the millisecond without a job', async () => {
    const expiresAt = new Date(bench.clock.now().getTime() + DAY)
    await bench.store(alice(), { content: 'the guest code', expiresAt })
    bench.clock.advance(DAY - 60_000)
    expect(await contents(alice(), 'guest')).toEqual(['the guest code'])
    bench.clock.advance(60_000)
    expect(await contents(alice(), 'guest')).toEqual([])
  })

  test('returns only the chosen scopes', async () => {
    await bench.store(alice(), { content: 'tea of mine' })
    await bench.store(alice(), { content: 'tea of all', scope: 'workspace' })
    expect(await contents(alice(), 'tea', ['workspace'])).toEqual(['tea of all'])
    expect(await contents(alice(), 'tea', ['department'])).toEqual([])
    expect(await contents(alice(), 'tea', [])).toEqual([])
  })

  test('orders by relevance, then by freshness', async () => {
    await bench.store(alice(), { content: 'tea is green today' })
    bench.clock.advance(60 * DAY)
    await bench.store(alice(), { content: 'tea is black today' })
    await bench.store(alice(), { content: 'cake is black today' })
    expect(await contents(alice(), 'tea')).toEqual(['tea is black today', 'tea is green today'])
    expect((await contents(alice(), 'green tea'))[0]).toBe('tea is green today')
  })

  test('returns every match once, also behind many expired memories', async () => {
    const expiresAt = new Date(bench.clock.now().getTime() + DAY)
    for (let i = 0; i < 150; i++) await bench.store(alice(), { content: `needle ${i}`, expiresAt })
    for (let i = 0; i < 80; i++) await bench.store(alice(), { content: `needle in a stack of hay ${i}` })
    expect(new Set(await contents(alice(), 'needle')).size).toBe(230)
    bench.clock.advance(2 * DAY)
    const left = await contents(alice(), 'needle')
    expect([left.length, new Set(left).size]).toEqual([80, 80])
  })

  test('keeps one order of scores across batches', async () => {
    for (let i = 0; i < 100; i++) await bench.store(alice(), { content: `pebble ${i}`, kind: i % 2 ? 'fact' : 'preference' })
    const kinds = (await bench.recall(alice(), 'pebble')).map(({ kind }) => kind)
    expect(kinds).toEqual([...Array(50).fill('preference'), ...Array(50).fill('fact')])
  })

  test('limits every statement to the Workspace and the owners', async () => {
    await bench.store(alice(), { content: 'tea' })
    const statements: string[] = []
    onStatement(database.pool, ({ text }) => {
      if (text.startsWith('select')) statements.push(text)
    })
    const ranker: Ranker = {
      prepare: async (query) => query,
      reorder: async () => undefined,
      rank: async () => [{ id: '01890000-0000-7000-8000-000000000000', similarity: 1 }],
    }
    for await (const _ of recallMemories({ db: database.db, ranker, clock: bench.clock }, alice(), { text: 'tea' }));
    expect(statements).toHaveLength(2)
    expect(statements[0]).toMatch(/where "owner"\."workspace_id" = .* and "owner"\."key" in /)
    expect(statements[1]).toMatch(/where "item"\."workspace_id" = .* and "item"\."owner_id" in .* and "item"\."partition_id" in /)
  })
})
