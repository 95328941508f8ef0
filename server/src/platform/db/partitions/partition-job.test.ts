import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { separateDatabases } from '../../../../test/support/fresh-database.ts'
import { newUuid } from '../../lib/id.ts'
import type { Database } from '../database.ts'
import { listPartitions } from './list-partitions.ts'
import { addMonths, firstIdOf, type Month, monthOf, partitionName, startOf, timeOfId } from './months.ts'
import { earlierTime, maintainPartitions } from './partition-job.ts'

const now = new Date()
const WORKSPACE = newUuid()
const DAY_MS = 86_400_000
const PROOFS = "select conname from pg_constraint where conname like '%lacks%'"
/** The months of the partitions that the first run makes: the first partition has those before. */
const AHEAD = [2, 3].map((count) => addMonths(monthOf(now), count))

describe.each(separateDatabases())('partitions on $name', ({ open }) => {
  let database: Database
  let remove: () => Promise<void>
  beforeAll(async () => ({ database, remove } = await open()))
  afterAll(() => remove())

  const run = (at = now) => maintainPartitions(database, at)
  const query = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await database.pool.query<Row>(text, values)).rows
  const list = async () => (await listPartitions(database.db, 'audit_record')).map(({ name }) => name)
  let sequence = 0
  const insert = (id: string) =>
    query(
      `insert into audit_record (id, workspace_id, sequence, created_at, endpoint, status, body, prev_hash, hash, duration_ms, tokens)
       values ($1, $2, $3, now(), 'chat', 200, '', '', '', 1, 1)`,
      [id, WORKSPACE, ++sequence],
    )
  const placeOf = async (id: string) =>
    (await query<{ place: string }>('select tableoid::regclass::text as place from audit_record where id = $1', [id]))[0]?.place
  const names = AHEAD.map((month) => partitionName('audit_record', month))

  test('months: the first id of a month is the smallest of its ids', () => {
    const month = addMonths({ year: 2026, month: 11 }, 2)
    expect(month).toEqual({ year: 2027, month: 1 })
    expect(timeOfId(firstIdOf(month))).toEqual(startOf(month))
    expect(timeOfId(newUuid()).getTime()).toBeGreaterThanOrEqual(now.getTime())
  })

  test('maintainPartitions: makes the partitions of three months ahead, once, when two nodes do it', async () => {
    expect(await list()).toEqual(['audit_record_before', 'audit_record_default'])
    await Promise.all([run(), run()])
    await run()
    expect(await list()).toEqual(['audit_record_before', ...names, 'audit_record_default'])
  })

  test('maintainPartitions: makes the partition of a month that is missing before a later one', async () => {
    await query(`drop table ${names[0]}`)
    await run()
    expect(await list()).toEqual(['audit_record_before', ...names, 'audit_record_default'])
  })

  test('maintainPartitions: each record goes to the partition of its month, with all indexes', async () => {
    const places = { [newUuid()]: 'audit_record_before', [firstIdOf(AHEAD[0] ?? monthOf(now))]: names[0] }
    for (const id of Object.keys(places)) await insert(id)
    for (const [id, place] of Object.entries(places)) expect(await placeOf(id)).toBe(place)
    const counts = await query<{ count: number }>(
      "select count(*)::int as count from pg_index where indrelid in (select inhrelid from pg_inherits where inhparent = 'audit_record'::regclass) group by indrelid",
    )
    expect(new Set(counts.map(({ count }) => count)).size).toBe(1)
  })

  test('maintainPartitions: fails and makes no partition of a month whose records are in the default partition', async () => {
    const later = addMonths(monthOf(now), 5)
    const id = firstIdOf(later)
    await insert(id)
    await expect(run(startOf(addMonths(monthOf(now), 2)))).rejects.toThrow('audit_record_default has rows')
    expect(await list()).toContain(partitionName('audit_record', addMonths(monthOf(now), 4)))
    expect(await list()).not.toContain(partitionName('audit_record', later))
    await query('delete from audit_record where id = $1', [id])
    await run(startOf(addMonths(monthOf(now), 2)))
    expect(await list()).toContain(partitionName('audit_record', later))
  })

  test('maintainPartitions: drops empty partitions of past months, whose rows then fit into the first one', async () => {
    const later = startOf(addMonths(monthOf(now), 6))
    await run(later)
    expect(await list()).toEqual(expect.arrayContaining(['audit_record_before', ...names]))
    await query('delete from audit_record')
    await run(later)
    const left = await list()
    expect(left[0]).toBe('audit_record_before')
    for (const name of names) expect(left).not.toContain(name)
    const id = firstIdOf(AHEAD[0] ?? monthOf(now))
    await insert(id)
    expect(await placeOf(id)).toBe('audit_record_before')
  })

  /** Rows with ids of a month: with 10,000 in the default partition, that one is no longer read under a lock. */
  const insertMany = async (month: Month) => {
    await query(
      `insert into audit_record (id, workspace_id, sequence, created_at, endpoint, status, body, prev_hash, hash, duration_ms, tokens)
       select overlay($1::text placing lpad(i::text, 12, '0') from 25)::uuid, $2, $3 + i, now(), 'chat', 200, '', '', '', 1, 1
       from generate_series(1, 10000) as i`,
      [firstIdOf(month), WORKSPACE, sequence],
    )
    sequence += 10_000
  }

  test('maintainPartitions: drops empty partitions behind a month that has none', async () => {
    const nameOf = (ahead: number) => partitionName('audit_record', addMonths(monthOf(now), ahead))
    expect((await list()).slice(1, 3)).toEqual([nameOf(4), nameOf(5)])
    await query(`drop table ${nameOf(4)}`)
    const inGap = firstIdOf(addMonths(monthOf(now), 4))
    await insert(inGap)
    await expect(run(startOf(addMonths(monthOf(now), 9)))).rejects.toThrow('audit_record_default has rows')
    expect(await list()).toContain(nameOf(5))
    await query('delete from audit_record')
    await run(startOf(addMonths(monthOf(now), 9)))
    expect(await list()).not.toContain(nameOf(5))
    await insert(inGap)
    expect(await placeOf(inGap)).toBe('audit_record_before')
    await query('delete from audit_record')
  })

  test('maintainPartitions: reads no pages of deleted rows when it drops a partition', async () => {
    const [, empty = ''] = await list()
    await insertMany(addMonths(monthOf(now), 1))
    await query('delete from audit_record')
    await expect.poll(() => run(startOf(addMonths(monthOf(now), 10))).then(list), { timeout: 20_000 }).not.toContain(empty)
    expect(await query("select pg_relation_size('audit_record_before')::int as bytes")).toEqual([{ bytes: 0 }])
  })

  test('maintainPartitions: makes the partitions of later months when many rows are in the default partition', async () => {
    const at = startOf(addMonths(monthOf(now), 20))
    const later = [1, 2, 3].map((ahead) => partitionName('audit_record', addMonths(monthOf(at), ahead)))
    await insertMany(monthOf(at))
    await expect(run(at)).rejects.toThrow('audit_record_default has rows (10000 or more)')
    expect(await list()).toEqual(expect.arrayContaining(later))
    await insert(firstIdOf(addMonths(monthOf(at), 1)))
    expect(await placeOf(firstIdOf(addMonths(monthOf(at), 1)))).toBe(later[0])
    expect(await query(PROOFS)).toEqual([])
  })

  test('maintainPartitions: leaves no constraint on the default partition when a partition cannot be made', async () => {
    const taken = partitionName('audit_record', addMonths(monthOf(now), 24))
    await query(`create table ${taken} (id uuid)`)
    await expect(run(startOf(addMonths(monthOf(now), 21)))).rejects.toThrow('audit_record_default has rows')
    expect(await query(PROOFS)).toEqual([])
    await query(`drop table ${taken}`)
  })

  test('maintainPartitions: refuses no records of a month that begins soon when many rows are in the default partition', async () => {
    const next = addMonths(monthOf(now), 25)
    await expect(run(new Date(startOf(next).getTime() - DAY_MS))).rejects.toThrow('audit_record_default has rows')
    expect(await list()).not.toContain(partitionName('audit_record', next))
    expect(await list()).toContain(partitionName('audit_record', addMonths(next, 1)))
    await query('delete from audit_record')
  })

  test('earlierTime: is the time of the database when the clock of the node is ahead', async () => {
    const ahead = startOf(addMonths(monthOf(now), 12))
    expect((await earlierTime(database.db, ahead)).getTime()).toBeLessThan(ahead.getTime())
    expect(await earlierTime(database.db, startOf(monthOf(now)))).toEqual(startOf(monthOf(now)))
  })

  test('maintainPartitions: leaves the partitions to pg_partman when that manages the table', async () => {
    const before = await list()
    await query("create schema partman; create table partman.part_config as select 'public.audit_record' as parent_table")
    await run(startOf(addMonths(monthOf(now), 12)))
    expect(await list()).toEqual(before)
    await query('drop schema partman cascade')
  })
})
