import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { closeAfterAll } from '../../../test/support/close-after-all.ts'
import { testDatabases } from '../../../test/support/database.ts'
import { createRetrievalFixture, newEntry } from '../../../test/support/retrieval-fixture.ts'
import { newUuid } from '../../platform/lib/id.ts'
import { addEntries, type Entry, removeEntries } from './entries.ts'
import { mergePending, purgeRemoved } from './merge.ts'
import { lockPartitions, openPartition, type Partition } from './partition.ts'
import { BLOCK_ENTRIES, frequencyOf, fromBytes, lengthOf, placeOf } from './posting.ts'

describe.each(testDatabases())('search entries on $name', async ({ open }) => {
  const database = await closeAfterAll(open())
  const desk = await createRetrievalFixture(database)

  /** The statistics of a partition and the terms of its entries, independent of entry numbers. */
  async function stateOf({ id }: Partition) {
    while (await mergePending(database.db, 100));
    while (await purgeRemoved(database.db, 100));
    const { rows: statistics } = await database.pool.query(
      'select entries, total_length from retrieval_partition where id = $1',
      [id],
    )
    const { rows: numbers } = await database.pool.query<{ id: string; number: number }>(
      'select id, number from retrieval_entry where partition_id = $1',
      [id],
    )
    const entries = new Map(numbers.map((row) => [Number(row.number), row.id]))
    const { rows } = await database.pool.query<{ term: string; block: number; postings: Buffer }>(
      'select term, block, postings from retrieval_list where partition_id = $1',
      [id],
    )
    const postings = rows.flatMap(({ term, block, postings }) =>
      Array.from(fromBytes(postings), (posting) => {
        const entry = entries.get(block * BLOCK_ENTRIES + placeOf(posting))
        return `${term} ${entry} ${frequencyOf(posting)} ${lengthOf(posting)}`
      }),
    )
    return {
      statistics,
      entries: [...entries.values()].toSorted(),
      postings: postings.toSorted(),
      empty: rows.filter((row) => !row.postings.length),
    }
  }

  const EMPTY = { statistics: [{ entries: 0, total_length: 0 }], entries: [], postings: [], empty: [] }

  /** The partition has the state of a new one to which only these entries, all that are left, were added. Removes them. */
  async function expectAsNew(partition: Partition, left: readonly Entry[]): Promise<void> {
    const [state, fresh] = [await stateOf(partition), await desk.partition()]
    await desk.remove(left.map(({ id }) => id))
    expect(await stateOf(partition)).toEqual(EMPTY)
    await desk.add(fresh, left)
    expect(await stateOf(fresh)).toEqual(state)
    expect(state.empty).toEqual([])
  }

  test('adding and removing: leaves the same state as adding only the remaining entries', async () => {
    const word = fc.constantFrom('red', 'green', 'blue', 'of', 'the')
    const step = fc.record({
      add: fc.array(fc.array(word, { maxLength: 6 }), { maxLength: 4 }),
      remove: fc.array(fc.nat(30), { maxLength: 3 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        const partition = await desk.partition()
        const added: ReturnType<typeof newEntry>[] = []
        const gone = new Set<string>()
        for (const { add, remove } of steps) {
          const entries = add.map((words) => newEntry(words.join(' '), words[0]))
          await desk.add(partition, entries)
          added.push(...entries)
          const ids = remove.flatMap((at) => added[at]?.id ?? [])
          await desk.remove(ids)
          for (const id of ids) gone.add(id)
        }
        await expectAsNew(
          partition,
          added.filter(({ id }) => !gone.has(id)),
        )
      }),
      { numRuns: 15 },
    )
  })

  test('removeEntries: removes half of the entries of several blocks', async () => {
    const partition = await desk.partition()
    const entries = Array.from({ length: 2_400 }, (_, at) => newEntry(`common ${at % 7 === 0 ? 'rare' : ''} w${at}`))
    await desk.add(partition, entries)
    await desk.remove(entries.filter((_, at) => at % 2 === 0).map(({ id }) => id))
    await expectAsNew(
      partition,
      entries.filter((_, at) => at % 2 === 1),
    )
  })

  test('removeEntries: ignores unknown ids and an empty list', async () => {
    await desk.remove([newEntry('').id])
    await desk.remove([])
    const partition = await desk.partition()
    await desk.add(partition, [])
    await desk.add(partition, [newEntry(''), newEntry('the of'), newEntry('\u0000 nul')])
    expect((await stateOf(partition)).statistics).toEqual([{ entries: 3, total_length: 1 }])
  })

  test('entries: handles more entries than a statement accepts parameters', async () => {
    const partition = await desk.partition()
    const entry = newEntry('one that stays no longer')
    await desk.add(partition, [entry])
    await desk.remove([...Array.from({ length: 66_000 }, () => newUuid()), entry.id])
    expect((await stateOf(partition)).statistics).toEqual([{ entries: 0, total_length: 0 }])
  })

  test('addEntries: leaves nothing after a rollback', async () => {
    const partition = await desk.partition()
    const failing = database.db.transaction().execute(async (tx) => {
      await addEntries(tx, partition, [newEntry('invoice')])
      throw new Error('the document could not be stored')
    })
    await expect(failing).rejects.toThrow('document')
    expect(await stateOf(partition)).toEqual(EMPTY)
  })

  test('openPartition: creates one partition for a key when called twenty times at once', async () => {
    const opened = await Promise.all(Array.from({ length: 20 }, () => desk.partition('de', 'the same')))
    expect(new Set(opened.map(({ id }) => id)).size).toBe(1)
    expect(await desk.partition('fr', 'the same')).toEqual(opened[0])
    const memory = await database.db.transaction().execute((tx) => openPartition(tx, desk.workspace, 'memory', 'the same', 'de'))
    expect(memory.id).not.toBe(opened[0]?.id)
  })

  test('entries: twenty concurrent writers on three partitions lose nothing and do not deadlock', async () => {
    const partitions = [await desk.partition(), await desk.partition(), await desk.partition()]
    const kept = await Promise.all(
      Array.from({ length: 20 }, async (_, writer) => {
        const at = (step: number): Partition => partitions[(writer + step) % 3] ?? { id: 0, language: 'en' }
        const [stays, moves, goes] = [newEntry(`stays ${writer}`), newEntry(`moves ${writer}`), newEntry(`goes ${writer}`)]
        await desk.add(at(0), [stays, goes])
        await desk.add(at(1), [moves])
        await database.db.transaction().execute(async (tx) => {
          await lockPartitions(tx, [at(1).id, at(2).id])
          await removeEntries(tx, [moves.id])
          await addEntries(tx, at(2), [moves])
        })
        await desk.remove([goes.id])
        return { stays, moves, partition: [at(0), at(2)] }
      }),
    )
    for (const partition of partitions) {
      const left = kept.flatMap(({ stays, moves, partition: [first, second] }) => [
        ...(first === partition ? [stays] : []),
        ...(second === partition ? [moves] : []),
      ])
      await expectAsNew(partition, left)
    }
  })
})
