import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { dumpTables } from '../../../test/support/dump-tables.ts'
import { createMemoryStoreFixture, type MemoryStoreFixture, testHasher } from '../../../test/support/memory-store-fixture.ts'
import type { Tx } from '../../platform/db/database.ts'
import { eraseMemory, eraseUser, removeExpired } from './erase.ts'
import { correctMemory, findMemory, listMemories } from './memory-store.ts'

const DAY = 86_400_000

describe.each(testDatabases())('correct and erase memories on $name', async ({ open }) => {
  let bench: MemoryStoreFixture
  const database = await closeAfterAll(open())
  beforeEach(async () => {
    bench = await createMemoryStoreFixture(database)
  })

  const alice = () => bench.viewer({ user: { id: 'alice' }, sessionId: 's1' })
  const transact = <T>(work: (tx: Tx) => Promise<T>) => database.db.transaction().execute(work)
  const erase = (id: string) => transact((tx) => eraseMemory(tx, bench.workspaceId, id))
  const eraseOf = (userId: string) => transact((tx) => eraseUser(tx, bench.workspaceId, userId))
  const correct = (id: string, content: string) => {
    const correction = { content, summary: null, classification: 'internal' } as const
    return transact((tx) => correctMemory(tx, bench.workspaceId, id, correction, testHasher, bench.clock.now()))
  }
  const list = async (fields: { userId?: string; history?: boolean } = {}) =>
    (await listMemories(database.db, bench.workspaceId, { limit: 100, now: bench.clock.now(), ...fields }))?.data ?? []
  /** The columns of the database that contain the word. */
  const traces = async (word: string) =>
    (await dumpTables(database.pool))
      .filter(({ text }) => text.toLowerCase().includes(word))
      .map(({ table, column }) => `${table}.${column}`)

  test('eraseMemory: removes the memory and its history and keeps others', async () => {
    const { id } = await bench.store(alice(), { content: 'my favourite tea is xylozamba', summary: 'xylozamba again' })
    const { id: current } = await bench.store(alice(), { content: 'my favourite tea is xylozimba', subject: 'favourite tea' })
    await bench.store(alice(), { content: 'the cake is kept' })
    expect(await traces('xyloz')).not.toEqual([])
    expect(await erase(current)).toMatchObject({ id: current, content: 'my favourite tea is xylozimba' })
    expect(await traces('xyloz')).toEqual([])
    expect((await list({ history: true })).map(({ content }) => content)).toEqual(['the cake is kept'])
    expect(await erase(current)).toBeUndefined()
    expect(await erase(id)).toBeUndefined()
    expect((await bench.recall(alice(), 'cake')).map(({ content }) => content)).toEqual(['the cake is kept'])
  })

  test('eraseUser: removes sessions, history and audit_only memories of this user only', async () => {
    const bob = bench.viewer({ user: { id: 'bob' }, sessionId: 's1' })
    for (const viewer of [alice(), bob]) {
      const { id } = viewer.user
      await bench.store(viewer, { content: `my favourite tea is quuxtea${id}` })
      await bench.store(viewer, { content: `my favourite tea is quuxmilk${id}` })
      await bench.store(viewer, { content: `quuxsession${id}`, scope: 'session' })
      await bench.store(viewer, { content: `quuxaudit${id}`, mode: 'audit_only' })
    }
    await bench.store(alice(), { content: 'quuxshared', scope: 'workspace' })
    expect(await list({ userId: 'alice', history: true })).toHaveLength(4)
    expect(await list({ userId: 'alice' })).toHaveLength(3)
    expect(await eraseOf('alice')).toBe(4)
    for (const word of ['quuxteaalice', 'quuxmilkalice', 'quuxsessionalice', 'quuxauditalice'])
      expect(await traces(word)).toEqual([])
    expect(await list({ userId: 'bob', history: true })).toHaveLength(4)
    expect(await bench.recall(alice(), 'quuxshared')).toHaveLength(1)
    expect(await eraseOf('alice')).toBe(0)
    // New memories of the user can be stored.
    await bench.store(alice(), { content: 'a new quuxpage' })
    expect(await bench.recall(alice(), 'quuxpage')).toHaveLength(1)
  })

  test('eraseUser: leaves the user id in no table', async () => {
    const viewer = bench.viewer({ user: { id: 'zephyrine' }, sessionId: 'zephyrine at work' })
    await bench.store(viewer, { content: 'tea' })
    await bench.store(viewer, { content: 'tea', scope: 'session' })
    expect(await traces('zephyrine')).not.toEqual([])
    await eraseOf('zephyrine')
    expect(await traces('zephyrine')).toEqual([])
  })

  test('eraseUser: stays consistent under concurrent stores', async () => {
    const writers = Array.from({ length: 12 }, (_, i) => bench.store(alice(), { content: `turmoil ${i}` }))
    const erasers = Array.from({ length: 4 }, () => eraseOf('alice'))
    await Promise.all([...writers, ...erasers])
    expect(await bench.recall(alice(), 'turmoil')).toHaveLength((await list()).length)
  })

  test('correctMemory: stores a new version with the same labels and keeps the old one as history', async () => {
    const expiresAt = new Date(bench.clock.now().getTime() + DAY)
    const fields = { classification: 'internal', regulations: ['gdpr'], kind: 'preference', expiresAt } as const
    const { id } = await bench.store(alice(), { ...fields, content: 'my favourite tea is Asam' })
    const corrected = await correct(id, 'my favourite tea is Assam')
    expect(corrected).toMatchObject({
      ...fields,
      content: 'my favourite tea is Assam',
      source: 'admin',
      subject: 'tea favourite',
    })
    expect((await bench.recall(alice(), 'favourite')).map((memory) => memory.id)).toEqual([corrected?.id])
    expect(await findMemory(database.db, bench.workspaceId, id, bench.clock.now())).toMatchObject({ supersededBy: corrected?.id })
    // Superseded memories cannot be corrected.
    expect(await correct(id, 'something else')).toBeUndefined()
  })

  test('correctMemory: keeps one memory when the correction duplicates another', async () => {
    const tea = await bench.store(alice(), { content: 'tea is at five' })
    const cake = await bench.store(alice(), { content: 'cake is at five' })
    expect((await correct(cake.id, 'Tea is at five!'))?.id).toBe(tea.id)
    expect(await list()).toHaveLength(1)
    const respelled = await correct(tea.id, 'TEA is at five')
    expect(respelled?.content).toBe('TEA is at five')
    expect((await list()).map(({ id }) => id)).toEqual([respelled?.id])
    expect((await bench.recall(alice(), 'tea')).map(({ content }) => content)).toEqual(['TEA is at five'])
  })

  test('removeExpired: removes expired memories, already hidden before, with their history', async () => {
    // An early time, because the job covers all Workspaces and must not remove memories of other tests.
    bench.clock.advance(-1_000 * DAY)
    const expiresAt = new Date(bench.clock.now().getTime() + DAY)
    await bench.store(alice(), { content: 'my favourite tea is wobblefirst' })
    const { id } = await bench.store(alice(), { content: 'my favourite tea is wobblesecond', expiresAt })
    const { id: kept } = await bench.store(alice(), { content: 'wobblekept', expiresAt: new Date(expiresAt.getTime() + DAY) })
    bench.clock.advance(DAY)
    const now = bench.clock.now()
    expect(await findMemory(database.db, bench.workspaceId, id, now)).toBeUndefined()
    expect(await correct(id, 'later')).toBeUndefined()
    while ((await removeExpired(database.db, now, 100)) === 100);
    expect(await traces('wobblefirst')).toEqual([])
    expect(await traces('wobblesecond')).toEqual([])
    expect((await list({ history: true })).map((memory) => memory.id)).toEqual([kept])
    await Promise.all([1, 2, 3].map(() => removeExpired(database.db, now, 100)))
  })
})
