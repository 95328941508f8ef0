import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { createRetrievalFixture, newEntry } from '../../../test/support/retrieval-fixture.ts'
import type { Entry } from './entries.ts'
import { rankLexically } from './lexical.ts'
import { mergePending, purgeRemoved } from './merge.ts'
import { countsOf } from './packed-terms.ts'
import type { Partition } from './partition.ts'
import { frequencyOf, fromBytes, lengthOf, placeOf } from './posting.ts'
import { reindexOutdated } from './reindex.ts'

describe.each(testDatabases())('reindexOutdated on $name', async ({ open }) => {
  const texts = new Map<string, Entry>()
  const load = async (_: unknown, ids: readonly string[]) => ids.flatMap((id) => texts.get(id) ?? [])
  const reindex = (most = 50) => reindexOutdated(database.db, { knowledge: load, memory: load }, most)
  const found = async (partition: Partition, query: string) =>
    (await rankLexically(database.db, desk.workspace, [partition], { text: query }, 10)).map(({ id }) => texts.get(id)?.text)
  const stateOf = async ({ id }: Partition) => {
    while (await mergePending(database.db, 100));
    while (await purgeRemoved(database.db, 100));
    const { rows: statistics } = await database.pool.query(
      'select entries, total_length, pending_from from retrieval_partition where id = $1',
      [id],
    )
    const { rows } = await database.pool.query<{ number: string; length: number; packed: Buffer; tokenizer: number }>(
      'select number, length, packed, tokenizer from retrieval_entry where partition_id = $1 order by number',
      [id],
    )
    const lists = await database.pool.query<{ term: string; postings: Buffer }>(
      'select term, postings from retrieval_list where partition_id = $1 order by term',
      [id],
    )
    const former = await database.pool.query('select from retrieval_posting where partition_id = $1', [id])
    // Entries that are indexed again get new numbers.
    const first = Number(rows[0]?.number)
    return {
      statistics,
      entries: rows.map(({ number, packed, ...row }) => ({ ...row, number: Number(number) - first, terms: countsOf(packed) })),
      postings: lists.rows.map(({ term, postings }) => ({
        term,
        postings: Array.from(fromBytes(postings), (one) => [placeOf(one) - first, frequencyOf(one), lengthOf(one)]),
      })),
      former: former.rows.length,
    }
  }
  const database = await closeAfterAll(open())
  const desk = await createRetrievalFixture(database)
  while ((await reindex()) > 0);

  test('index equals that of new entries when an older tokenizer has indexed some of them', async () => {
    const partition = await desk.partition('none')
    const entries = ['plain words', 'Docker部署', '신청서를'].map((text) => newEntry(text))
    // The words that a former tokenizer made of these texts.
    const older = ['plain words', 'x docker部署', 'y 신청서를 z']
    for (const entry of entries) texts.set(entry.id, entry)
    const asBefore = entries.map((entry, at) => ({ ...entry, text: older[at] ?? '' }))
    await desk.add(partition, asBefore)
    await database.pool.query('update retrieval_entry set tokenizer = 1 where partition_id = $1', [partition.id])
    expect(await found(partition, '인사')).toEqual([])

    expect(await reindex(2)).toBe(2)
    expect(await reindex(2)).toBe(1)
    expect(await reindex(2)).toBe(0)
    expect(await found(partition, 'docker')).toEqual(['Docker部署'])
    expect(await found(partition, '신청서')).toEqual(['신청서를'])
    expect(await found(partition, 'y')).toEqual([])

    const fresh = await desk.partition('none')
    const again = entries.map(({ text }) => newEntry(text))
    await desk.add(fresh, again)
    expect(await stateOf(partition)).toEqual(await stateOf(fresh))
  })
})
