import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { createRetrievalFixture, newEntry } from '../../../test/support/retrieval-fixture.ts'
import type { Entry } from './entries.ts'
import { rankLexically } from './lexical.ts'
import type { Partition } from './partition.ts'
import { reindexOutdated } from './reindex.ts'

describe.each(testDatabases())('reindexOutdated on $name', async ({ open }) => {
  const texts = new Map<string, Entry>()
  const load = async (_: unknown, ids: readonly string[]) => ids.flatMap((id) => texts.get(id) ?? [])
  const reindex = (most = 50) => reindexOutdated(database.db, { knowledge: load, memory: load }, most)
  const found = async (partition: Partition, query: string) =>
    (await rankLexically(database.db, desk.workspace, [partition], { text: query }, 10)).map(({ id }) => texts.get(id)?.text)
  const stateOf = async ({ id }: Partition) => {
    const { rows } = await database.pool.query(
      `select entry.number, entry.length, terms, tokenizer, entries, total_length from retrieval_entry as entry
        join retrieval_partition as partition on partition.id = partition_id where partition_id = $1 order by number`,
      [id],
    )
    const postings = await database.pool.query(
      `select term, block, encode(postings, 'hex') as postings from retrieval_posting where partition_id = $1 order by 1, 2`,
      [id],
    )
    return { entries: rows, postings: postings.rows }
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
