import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { createRetrievalFixture, newEntry } from '../../../test/support/retrieval-fixture.ts'
import type { Entry } from './entries.ts'
import { rankLexically } from './lexical.ts'
import type { Partition } from './partition.ts'
import { B, K1 } from './scoreboard.ts'

const WORDS = ['apple', 'banana', 'cherry', 'damson', 'elder', 'fig', 'grape']
const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 }).map((words) => words.join(' '))

/** A textbook BM25 over all visible entries. */
function naive(visible: readonly Entry[], query: string): Map<string, number> {
  const documents = visible.map((entry) => ({ id: entry.id, words: entry.text.split(' ') }))
  const average = documents.reduce((sum, { words }) => sum + words.length, 0) / documents.length
  const scores = new Map<string, number>()
  for (const term of query.split(' ')) {
    const found = documents.filter(({ words }) => words.includes(term)).length
    const idf = Math.log(1 + (documents.length - found + 0.5) / (found + 0.5))
    for (const { id, words } of documents) {
      const frequency = words.filter((word) => word === term).length
      if (frequency === 0) continue
      const score = (idf * frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * words.length) / average))
      scores.set(id, (scores.get(id) ?? 0) + score)
    }
  }
  return scores
}

describe.each(testDatabases())('rankLexically on $name', async ({ open }) => {
  const rank = (partitions: readonly Partition[], query: string, depth = 10) =>
    rankLexically(database.db, desk.workspace, partitions, { text: query }, depth)
  const idsOf = async (...wanted: Parameters<typeof rank>) => (await rank(...wanted)).map(({ id }) => id)
  const database = await closeAfterAll(open())
  const desk = await createRetrievalFixture(database)

  test('equals BM25 over the visible entries for any partitions', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(text, { maxLength: 8 }), { minLength: 1, maxLength: 4 }),
        text,
        async (corpus, query) => {
          const visible = corpus.map((texts) => texts.map((one) => newEntry(one)))
          const partitions: Partition[] = []
          for (const entries of visible) {
            const partition = await desk.partition('none')
            await desk.add(partition, entries)
            partitions.push(partition)
          }
          const scores = naive(visible.flat(), query)
          const ranked = await rank(partitions, query, 100)
          expect(ranked.map(({ id }) => id).toSorted()).toEqual([...scores.keys()].toSorted())
          const inOrder = ranked.map(({ id }) => scores.get(id) ?? 0)
          for (const [at, score] of inOrder.entries()) expect(score).toBeLessThanOrEqual((inOrder[at - 1] ?? score) + 1e-9)
          for (const [at, { id, similarity }] of ranked.entries()) {
            expect(similarity).toBeGreaterThan(0)
            expect(similarity).toBeLessThanOrEqual(1)
            const before = ranked[at - 1]
            if (before?.similarity === similarity) expect(before.id < id).toBe(true)
          }
        },
      ),
      { numRuns: 25 },
    )
  })

  test('returns identical results with any number of hidden entries', async () => {
    const [shown, hidden] = [await desk.partition(), await desk.partition()]
    const entries = ['invoice for apples', 'invoice of the bank', 'a bank holiday'].map((one) => newEntry(one))
    await desk.add(shown, entries)
    const queries = ['invoice', 'bank holiday', 'inovice', 'hollday']
    const before = JSON.stringify(await Promise.all(queries.map((query) => rank([shown], query))))
    const others = Array.from({ length: 50 }, (_, at) => newEntry(`invoice inovice bank hollday ${at}`))
    await desk.add(hidden, others)
    expect(JSON.stringify(await Promise.all(queries.map((query) => rank([shown], query))))).toBe(before)
  })

  test('ignores partitions of another Workspace', async () => {
    const other = await createRetrievalFixture(database)
    const foreign = await other.partition()
    await other.add(foreign, [newEntry('invoice')])
    expect(await rank([foreign], 'invoice')).toEqual([])
  })

  test('only appends results when the depth grows, and finds all matches', async () => {
    const partition = await desk.partition('none')
    const entries = Array.from({ length: 300 }, (_, at) =>
      newEntry(WORDS.filter((_, word) => at % (word + 2) === 0 || word === 0).join(' ')),
    )
    await desk.add(partition, entries)
    const query = WORDS.join(' ')
    const tight = { eager: 0, whole: 120, rescored: 20 }
    for (const bounds of [undefined, tight]) {
      const all = await rankLexically(database.db, desk.workspace, [partition], { text: query }, 1_000, bounds)
      expect(new Set(all.map(({ id }) => id))).toEqual(new Set(entries.map(({ id }) => id)))
      for (const [at, { similarity }] of all.entries()) expect(similarity).toBeLessThanOrEqual(all[at - 1]?.similarity ?? 1)
      for (const depth of [1, 19, 20, 21, 150, 299]) {
        expect(await rankLexically(database.db, desk.workspace, [partition], { text: query }, depth, bounds)).toEqual(
          all.slice(0, depth),
        )
      }
    }
  })

  test('ranks entries with a rare word exactly when frequent words are not read completely', async () => {
    const partition = await desk.partition('none')
    const textAt = (at: number) => `common ${at % 20 === 0 ? 'rare' : 'other'} ${'filler '.repeat(at % 13)}`
    const entries = Array.from({ length: 300 }, (_, at) => newEntry(textAt(at)))
    await desk.add(partition, entries)
    const tight = { eager: 0, whole: 20, rescored: 50 }
    const ranked = await rankLexically(database.db, desk.workspace, [partition], { text: 'common rare filler' }, 15, tight)
    expect(ranked).toHaveLength(15)
    expect(ranked.map(({ id }) => id)).toEqual(await idsOf([partition], 'common rare filler', 15))
  })

  test('finds identifiers as a whole and by parts, whole matches first', async () => {
    const partition = await desk.partition()
    const [exact, near, code] = [
      newEntry('See INV-2024-0017 for the amount.'),
      newEntry('See INV-2024-0018 for the 17th amount.'),
      newEntry('Call parseHttpRequest of retry_after, version 2.11.4.'),
    ]
    await desk.add(partition, [exact, near, code])
    expect((await idsOf([partition], 'inv-2024-0017'))[0]).toBe(exact.id)
    expect((await idsOf([partition], 'invoice 0018'))[0]).toBe(near.id)
    for (const query of ['parsehttprequest', 'http request', 'retry_after', 'retry', '2.11.4']) {
      expect((await idsOf([partition], query))[0], query).toBe(code.id)
    }
  })

  test('finds similar terms for a misspelt word with a lower score', async () => {
    const partition = await desk.partition()
    const entry = newEntry('The encryption of quarterly invoices')
    await desk.add(partition, [entry, newEntry('something else'), newEntry('and more of it')])
    const [right] = await rank([partition], 'invoice')
    for (const query of ['inovice', 'invoices', 'imvoice', 'nvoice', 'xnvoices', 'invoize', 'encrytpion', 'quartely']) {
      const ranked = await rank([partition], query)
      expect([query, ...ranked.map(({ id }) => id)]).toEqual([query, entry.id])
      if (query !== 'invoices') expect(ranked[0]?.similarity).toBeLessThan(right?.similarity ?? 0)
    }
    expect(await rank([partition], 'xylophone')).toEqual([])
  })

  test('searches each partition in its language', async () => {
    const [english, german, plain] = [await desk.partition('en'), await desk.partition('de'), await desk.partition('none')]
    const [one, two, three] = [newEntry('The houses were sold'), newEntry('Die Häuser wurden verkauft'), newEntry('Houses')]
    await desk.add(english, [one])
    await desk.add(german, [two])
    await desk.add(plain, [three])
    const all = [english, german, plain]
    expect(await idsOf(all, 'house')).toEqual([one.id])
    expect(await idsOf(all, 'Haus')).toEqual([two.id])
    expect((await idsOf(all, 'houses')).toSorted()).toEqual([one.id, three.id].toSorted())
  })

  test('finds matches for stop words only, and nothing for an empty query', async () => {
    const partition = await desk.partition()
    const entry = newEntry('To be, or not to be')
    await desk.add(partition, [entry, newEntry('Something of another kind')])
    expect((await idsOf([partition], 'to be or not to be'))[0]).toBe(entry.id)
    for (const nothing of ['', ' … ', '\u0000', '🙂']) expect(await rank([partition], nothing)).toEqual([])
    expect(await rank([], 'to be')).toEqual([])
    expect(await rank([await desk.partition()], 'to be')).toEqual([])
  })

  test('accepts a pasted document as query', async () => {
    const partition = await desk.partition()
    await desk.add(partition, [newEntry('An uncharacteristically long word')])
    const paste = `${Array.from({ length: 5_000 }, (_, at) => `w${at}`).join(' ')} uncharacteristically`
    expect(await rank([partition], paste)).toHaveLength(1)
  })
})
