import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { createRetrievalFixture, newEntry } from '../../../test/support/retrieval-fixture.ts'
import { addEntries, countTerms, type Entry, eraseEntries, removeEntries } from './entries.ts'
import { LABELLED } from './entry-filter.ts'
import { rankLexically } from './lexical.ts'
import { mergePending, purgeRemoved } from './merge.ts'
import type { Partition } from './partition.ts'
import { BLOCK_ENTRIES } from './posting.ts'
import { reindexOutdated } from './reindex.ts'
import { TOKENIZER } from './words.ts'

/** Frequent, rare, misspelt and absent words, and words of removed entries only. */
const QUERIES = ['common', 'word7', 'wrod7 common', 'ommon', 'gone', 'rare common word3', 'nothing', 'word12 word13 word14']

describe.each(testDatabases())('merging changes into the lists on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const desk = await createRetrievalFixture(database)
  const texts = new Map<string, string>()
  const mine = { alternatives: [[['mine']]], without: [] }

  const numbered = (from: number, count: number, labels?: readonly string[]): Entry[] =>
    Array.from({ length: count }, (_, at) => {
      const number = from + at
      const text = `common word${number % 40} entry${number} ${number % 9 === 0 ? 'rare' : 'rest'}`
      return { ...newEntry(text), ...(labels ? { labels: number % 3 === 0 ? labels : [] } : {}) }
    })

  /** Texts and scores of the hits, because ids differ between partitions. */
  async function answersOf(partition: Partition): Promise<string[]> {
    const found: string[] = []
    for (const text of QUERIES) {
      for (const bounds of [undefined, { eager: 0, whole: 50, rescored: 100 }]) {
        const ranked = await rankLexically(database.db, desk.workspace, [partition], { text }, 5_000, bounds)
        found.push(JSON.stringify(ranked.map(({ id, similarity }) => `${texts.get(id)} ${similarity}`).toSorted()))
      }
    }
    return found
  }

  const add = async (partition: Partition, entries: readonly Entry[]) => {
    for (const { id, text } of entries) texts.set(id, text)
    await desk.add(partition, entries)
  }
  const merge = async () => {
    while (await mergePending(database.db, 700));
  }

  test.each([undefined, mine])(
    'search: finds the same before, while and after changes reach the lists, with the filter %j',
    async (filter) => {
      const labels = filter && [LABELLED, 'mine']
      const [partition, fresh] = [await desk.partition('none'), await desk.partition('none')]
      const [before, later] = [numbered(0, 1_300, labels), numbered(1_300, 60, labels)]
      const gone = [...before.filter((_, at) => at % 11 === 0), ...later.filter((_, at) => at % 7 === 0)]
      const extra = { ...newEntry('gone gone common'), ...(labels ? { labels } : {}) }
      const isGone = new Set(gone.map(({ id }) => id))
      const seen = (one: Partition): Partition => (filter ? { ...one, filter } : one)

      await add(partition, [...before, extra])
      await mergePending(database.db, 700)
      await add(partition, later)
      await desk.remove([...isGone, extra.id])
      const pending = await answersOf(seen(partition))

      await add(
        fresh,
        [...before, ...later].filter(({ id }) => !isGone.has(id)).map((entry) => ({ ...entry, id: newEntry('').id })),
      )
      await merge()
      while (await purgeRemoved(database.db, 200));
      const merged = await answersOf(seen(fresh))

      expect(pending).toEqual(merged)
      expect(await answersOf(seen(partition))).toEqual(merged)
      expect(pending[0]).not.toBe('[]')
      expect(pending[8]).toBe('[]')
    },
  )

  test('addEntries: many pending entries are merged at once, beginning with the oldest', async () => {
    const partition = await desk.partition('none')
    // A transaction that waits for the terms of all of them to be counted would be cut off on a busy machine.
    for (let at = 0; at < 8_192; at += 1_024) await desk.add(partition, numbered(at, 1_024))
    const waiting = async () =>
      (await database.pool.query('select pending_from from retrieval_partition where id = $1', [partition.id])).rows.map(
        ({ pending_from }) => Number(pending_from),
      )
    expect(await waiting()).toEqual([0])
    await desk.add(partition, numbered(8_192, 10))
    expect(await waiting()).toEqual([10])
    await merge()
  })

  test('removed entries: postings leave the lists also when all pending entries of a partition were removed', async () => {
    const partition = await desk.partition('none')
    const entries = numbered(0, 5)
    await desk.add(partition, entries)
    await desk.remove(entries.map(({ id }) => id))
    expect(await mergePending(database.db, 10)).toBe(true)
    expect(await mergePending(database.db, 10)).toBe(false)
    const { rows } = await database.pool.query(
      'select from retrieval_list where partition_id = $1 union all select from retrieval_removed where partition_id = $1',
      [partition.id],
    )
    expect(rows).toEqual([])
  })

  test('search: reads the labels of an entry that moves to the same number of another partition while it is pending', async () => {
    const [from, to] = [await desk.partition('none'), await desk.partition('none')]
    const entry = newEntry('amber')
    const found = async (partition: Partition) =>
      rankLexically(database.db, desk.workspace, [{ ...partition, filter: mine }], { text: 'amber' }, 10)
    await desk.add(from, [{ ...entry, labels: ['mine'] }])
    expect(await found(from)).toHaveLength(1)
    await database.db.transaction().execute(async (tx) => {
      await removeEntries(tx, [entry.id])
      await addEntries(tx, to, [{ ...entry, labels: ['theirs'] }])
    })
    expect(await found(to)).toEqual([])
    expect(await found(from)).toEqual([])
  })

  test('eraseEntries: leaves no word of the entries, and those of others', async () => {
    const partition = await desk.partition('none')
    const [erased, kept] = [newEntry('amber common'), newEntry('beryl common')]
    await desk.add(partition, [erased, kept])
    await merge()
    await database.db.transaction().execute((tx) => eraseEntries(tx, [erased.id]))
    const { rows } = await database.pool.query('select term from retrieval_list where partition_id = $1 order by term', [
      partition.id,
    ])
    expect(rows).toEqual([{ term: 'beryl' }, { term: 'common' }])
    const removed = await database.pool.query('select from retrieval_removed where partition_id = $1', [partition.id])
    expect(removed.rows).toEqual([])
  })

  test('postings of a former release: are found, removed and moved into the lists', async () => {
    const [partition, fresh] = [await desk.partition('none'), await desk.partition('none')]
    const entries = numbered(0, BLOCK_ENTRIES + 300)
    await addAsFormerRelease(partition, entries)
    await add(
      fresh,
      entries.map((entry) => ({ ...entry, id: newEntry('').id })),
    )
    for (const { id, text } of entries) texts.set(id, text)
    expect(await answersOf(partition)).toEqual(await answersOf(fresh))

    const [first, second] = entries
    await desk.remove([first?.id ?? ''])
    await add(partition, [newEntry(first?.text ?? '')])
    expect(await answersOf(partition)).toEqual(await answersOf(fresh))

    const load = async (_: unknown, ids: readonly string[]) => entries.filter(({ id }) => ids.includes(id))
    while ((await reindexOutdated(database.db, { knowledge: load, memory: load }, 400)) > 0);
    await merge()
    while (await purgeRemoved(database.db, 200));
    expect(await answersOf(partition)).toEqual(await answersOf(fresh))
    expect((await database.pool.query('select from retrieval_posting where partition_id = $1', [partition.id])).rows).toEqual([])
    expect(
      second && (await database.pool.query('select tokenizer from retrieval_entry where id = $1', [second.id])).rows,
    ).toEqual([{ tokenizer: TOKENIZER }])
  })

  /** Adds entries as the last release did: with terms as text, and postings in blocks of 256. */
  async function addAsFormerRelease({ id, language }: Partition, entries: readonly Entry[]): Promise<void> {
    const postings = new Map<string, number[]>()
    let total = 0
    for (const [number, entry] of entries.entries()) {
      const { terms, length } = countTerms(entry, language)
      total += length
      await database.pool.query(
        'insert into retrieval_entry (id, partition_id, number, length, terms, tokenizer) values ($1, $2, $3, $4, $5, 2)',
        [entry.id, id, number, length, [...terms.keys()].join(' ')],
      )
      for (const [term, frequency] of terms) {
        const key = `${Math.floor(number / 256)} ${term}`
        postings.set(key, [...(postings.get(key) ?? []), number % 256, frequency, length & 0xff, length >> 8])
      }
    }
    const rows = [...postings].map(([key, bytes]) => {
      const [block = '', term = ''] = key.split(' ')
      return { block: Number(block), term, bytes: Buffer.from(bytes) }
    })
    await database.pool.query(
      'insert into retrieval_posting (partition_id, term, block, postings) select $1, * from unnest($2::text[], $3::integer[], $4::bytea[])',
      [id, rows.map(({ term }) => term), rows.map(({ block }) => block), rows.map(({ bytes }) => bytes)],
    )
    await database.pool.query('update retrieval_partition set entries = $2, total_length = $3, next_number = $4 where id = $1', [
      id,
      entries.length,
      total,
      entries.length,
    ])
  }

  test('search: finds the old or the new version of entries while they are replaced and merged', async () => {
    const partition = await desk.partition('none')
    let current = newEntry('steady topic 0')
    await desk.add(partition, [current, ...numbered(0, 50)])
    let isDone = false
    const merging = (async () => {
      while (!isDone) {
        await mergePending(database.db, 20)
        await purgeRemoved(database.db, 20)
      }
    })()
    for (let round = 1; round <= 60; round++) {
      const next = newEntry(`steady topic ${round}`)
      const [replaced] = await Promise.all([
        database.db.transaction().execute(async (tx) => {
          await removeEntries(tx, [current.id])
          await addEntries(tx, partition, [next])
        }),
        database.db
          .transaction()
          .setIsolationLevel('repeatable read')
          .execute(async (tx) => {
            const ranked = await rankLexically(tx, desk.workspace, [partition], { text: 'steady topic' }, 10)
            expect(ranked).toHaveLength(1)
            expect([current.id, next.id]).toContain(ranked[0]?.id)
          }),
      ])
      expect(replaced).toBeUndefined()
      current = next
    }
    isDone = true
    await merging
  })
})
