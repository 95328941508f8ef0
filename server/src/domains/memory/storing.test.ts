import { beforeEach, describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import {
  createMemoryStoreFixture,
  draft,
  type MemoryStoreFixture,
  testHasher,
} from '../../../test/support/memory-store-fixture.ts'
import { fromId, newId } from '../../platform/lib/id.ts'
import { storeMemory } from './capture.ts'
import { loadMemoryTexts } from './memory-row.ts'
import { findMemory, listMemories } from './memory-store.ts'

const DAY = 86_400_000

describe.each(testDatabases())('storeMemory on $name', async ({ open }) => {
  let bench: MemoryStoreFixture
  const database = await closeAfterAll(open())
  beforeEach(async () => {
    bench = await createMemoryStoreFixture(database)
  })

  const alice = () => bench.viewer({ user: { id: 'alice' }, sessionId: 's1' })
  const all = async (history = true) => {
    const page = await listMemories(database.db, bench.workspaceId, { history, limit: 100, now: bench.clock.now() })
    return page?.data ?? []
  }
  const contents = async (text: string, viewer = alice()) => (await bench.recall(viewer, text)).map(({ content }) => content)

  test('stores equal content once, for all kinds', async () => {
    const first = await bench.store(alice(), { content: 'The launch is in May.' })
    expect(first.outcome).toBe('stored')
    for (const content of ['the  launch is in May', ' “The launch is in May” ', 'The launch is in May!']) {
      expect(await bench.store(alice(), { content, kind: 'decision' })).toEqual({ id: first.id, outcome: 'duplicate' })
    }
    expect(await all()).toHaveLength(1)
  })

  test('stores near duplicates once for each kind', async () => {
    const first = await bench.store(alice(), { content: 'The deploy is on the Friday' })
    expect(await bench.store(alice(), { content: 'Deploy is on Friday' })).toEqual({ id: first.id, outcome: 'duplicate' })
    expect((await bench.store(alice(), { content: 'deploy is on Friday', kind: 'decision' })).outcome).toBe('stored')
    expect((await bench.store(alice(), { content: 'The deploy is on the Monday' })).outcome).toBe('stored')
    expect((await bench.store(alice(), { content: 'The deploy is not on the Friday' })).outcome).toBe('stored')
  })

  test('stores a memory once when fifty requests store it at the same time', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `caller tells thing number ${index % 10}`)
    const stored = await Promise.all(texts.map((content) => bench.store(alice(), { content })))
    expect(new Set(stored.map(({ id }) => id)).size).toBe(10)
    expect(stored.filter(({ outcome }) => outcome === 'stored')).toHaveLength(10)
    expect((await all()).map(({ content }) => content).toSorted()).toEqual([...new Set(texts)].toSorted())
    expect(await contents('caller tells thing')).toHaveLength(10)
  })

  test('keeps one current value when fifty values of a subject arrive at the same time', async () => {
    const texts = Array.from({ length: 50 }, (_, index) => `my favourite tea is number${index}`)
    await Promise.all(texts.map((content) => bench.store(alice(), { content })))
    expect(await contents('favourite tea')).toHaveLength(1)
    expect(await all()).toHaveLength(50)
    expect(await all(false)).toHaveLength(1)
  })

  test('merges stricter labels, later expiry and a missing summary into a duplicate', async () => {
    const { clock, viewer } = bench
    const soon = new Date(clock.now().getTime() + DAY)
    const late = new Date(clock.now().getTime() + 2 * DAY)
    const content = 'The vault is in Zug'
    const { id } = await bench.store(alice(), { content, regulations: ['gdpr'], expiresAt: late })
    await bench.store(alice(), {
      content,
      classification: 'restricted',
      regulations: ['sox'],
      expiresAt: soon,
      summary: 'bunker',
    })
    await bench.store(alice(), { content, classification: 'public' })
    expect(await findMemory(database.db, bench.workspaceId, id, clock.now())).toMatchObject({
      classification: 'restricted',
      regulations: ['gdpr', 'sox'],
      summary: 'bunker',
      expiresAt: null,
    })
    expect(await contents('vault', viewer({ user: { id: 'alice' }, ceiling: 'confidential' }))).toEqual([])
    expect(await contents('bunker')).toEqual([content])
  })

  test('returns the id of a duplicate above the clearance without changing it', async () => {
    const merger = { content: 'The merger is off.', scope: 'project' as const, scopeId: 'zebra' }
    const first = await bench.store(bench.viewer({ user: { id: 'carol' } }), { ...merger, classification: 'restricted' })
    const mallory = bench.viewer({ user: { id: 'mallory' }, ceiling: 'internal' })
    const changed = { ...merger, classification: 'public' as const, summary: 'Mallory was here.' }
    expect(await bench.store(mallory, changed)).toEqual({ id: first.id, outcome: 'duplicate' })
    expect(await all()).toMatchObject([{ summary: null, classification: 'restricted' }])
  })

  test('makes an audit_only duplicate active, but never the reverse', async () => {
    const content = 'The heron flies at noon'
    const { id } = await bench.store(alice(), { content, mode: 'audit_only' })
    expect(await contents('heron')).toEqual([])
    expect(await bench.store(alice(), { content })).toEqual({ id, outcome: 'duplicate' })
    expect(await contents('heron')).toEqual([content])
    await bench.store(alice(), { content, mode: 'audit_only' })
    expect(await contents('heron')).toEqual([content])
  })

  test('supersedes the old value of a subject and keeps it as history', async () => {
    const assam = await bench.store(alice(), { content: 'my favourite tea is Assam' })
    const green = await bench.store(alice(), { content: 'My favorite tea is Sencha', kind: 'preference' })
    expect(green.outcome).toBe('superseded')
    expect(await contents('favourite favorite tea Assam')).toEqual(['My favorite tea is Sencha'])
    expect(await findMemory(database.db, bench.workspaceId, assam.id, bench.clock.now())).toMatchObject({
      content: 'my favourite tea is Assam',
      supersededBy: green.id,
      supersededAt: expect.any(Date),
    })
    // Superseded memories do not count as duplicates.
    const back = await bench.store(alice(), { content: 'my favourite tea is Assam' })
    expect(back.outcome).toBe('superseded')
    expect(back.id).not.toBe(assam.id)
    expect(await contents('tea')).toEqual(['my favourite tea is Assam'])
  })

  test.each([
    ['My budget is 100 euro in May', 'My budget is 200 euro in June'],
    ['Die Gebühr von Tarif A ist 10 Euro', 'Die Gebühr vom Tarif ist 20 Euro'],
    ['Le prix du train de Lyon à Nice est 50 euros', 'Le prix du train de Nice à Lyon est 60 euros'],
    ['服务器A已停机', '服务器已停机'],
  ])('keeps %j beside %j', async (one, other) => {
    await bench.store(alice(), { content: one })
    expect((await bench.store(alice(), { content: other })).outcome).toBe('stored')
    expect((await all(false)).map(({ content }) => content).toSorted()).toEqual([one, other].toSorted())
  })

  test('keeps both when a model gives two trips one subject', async () => {
    const subject = 'train'
    await bench.store(alice(), { content: 'The user takes the train from Rome to Oslo', subject })
    const stored = await bench.store(alice(), { content: 'The user takes the train from Oslo to Rome', subject })
    expect(stored.outcome).toBe('stored')
  })

  test('uses a given subject', async () => {
    await bench.store(alice(), { content: 'Tea it is', subject: 'Favourite drink' })
    expect((await bench.store(alice(), { content: 'Coffee from now on', subject: 'favorite drink' })).outcome).toBe('superseded')
    expect(await contents('tea coffee')).toEqual(['Coffee from now on'])
  })

  test('does not supersede decisions or memories of other owners', async () => {
    const project = { scope: 'project' as const, kind: 'decision' as const }
    const viewer = bench.viewer({ user: { id: 'alice', attributes: { projects: ['p1', 'p2'] } } })
    await bench.store(viewer, { ...project, scopeId: 'p1', content: 'The deadline of Atlas is May' })
    await bench.store(viewer, { ...project, scopeId: 'p1', content: 'The deadline of Atlas is June' })
    await bench.store(viewer, { ...project, kind: 'fact', scopeId: 'p2', content: 'The deadline of Atlas is July' })
    await bench.store(viewer, { ...project, kind: 'workflow_state', scopeId: 'p2', content: 'The deadline of Atlas is set' })
    expect(await contents('deadline Atlas', viewer)).toHaveLength(4)
  })

  test('supersedes nothing above the clearance, and nothing by audit_only memories', async () => {
    const shared = { scope: 'workspace' as const }
    await bench.store(alice(), { ...shared, content: 'The price of Atlas is 5', classification: 'restricted' })
    const low = bench.viewer({ user: { id: 'bob' }, ceiling: 'internal' })
    expect((await bench.store(low, { ...shared, content: 'The price of Atlas is 6' })).outcome).toBe('stored')
    await bench.store(low, { ...shared, content: 'The price of Atlas is 7', mode: 'audit_only' })
    expect((await contents('price Atlas')).toSorted()).toEqual(['The price of Atlas is 5', 'The price of Atlas is 6'])
  })

  test('stores the provenance and a keyed hash of the content', async () => {
    const auditId = newId('aud')
    const { id } = await bench.store(alice(), { content: 'Tea', auditId, messageId: 'm7', source: 'explicit' })
    const memory = await findMemory(database.db, bench.workspaceId, id, bench.clock.now())
    expect(memory).toMatchObject({
      auditId,
      messageId: 'm7',
      source: 'explicit',
      applicationId: bench.applicationId,
      scope: 'user',
      scopeId: 'alice',
      userId: 'alice',
      contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  test('loadMemoryTexts: returns summary and content', async () => {
    const [tea, cake] = [
      await bench.store(alice(), { content: 'tea', summary: 'drink' }),
      await bench.store(alice(), { content: 'cake' }),
    ]
    const ids = [tea, cake].map(({ id }) => fromId('mem', id) ?? '')
    const texts = await loadMemoryTexts(database.db, [...ids, '01890000-0000-7000-8000-000000000000'])
    expect(ids.map((id) => texts.get(id))).toEqual([
      { text: 'drink\n\ntea', source: { id: tea.id } },
      { text: 'cake', source: { id: cake.id } },
    ])
    expect(texts.size).toBe(2)
  })

  test('stores nothing when the transaction fails', async () => {
    const failing = database.db.transaction().execute(async (tx) => {
      await storeMemory(tx, alice(), draft({ content: 'gone' }), testHasher, new Date())
      throw new Error('the record could not be written')
    })
    await expect(failing).rejects.toThrow('could not be written')
    expect(await all()).toEqual([])
    const owners = database.db
      .selectFrom('memory_owner')
      .select('id')
      .where('workspace_id', '=', fromId('ws', bench.workspaceId) ?? '')
    expect(await owners.execute()).toEqual([])
  })
})
