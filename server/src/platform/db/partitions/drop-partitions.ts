import { type Kysely, sql } from 'kysely'
import { hasManyMisplaced, hasMisplaced } from './add-partitions.ts'
import { changeTable } from './change-table.ts'
import { listPartitions, type Partition } from './list-partitions.ts'
import { addMonths, firstIdOf, monthOf } from './months.ts'

/** A request that began in a month may be recorded in the next one. */
const MONTHS_LATE = 2
/** Deleted rows take pages until a vacuum, and up to this many bytes of them are read in a few milliseconds. */
const MAX_BYTES = 1 << 20
/** Writers wait for the change. */
const CHANGE_MS = 2_000

/**
 * Drops the empty partitions of past months, oldest first. The first partition takes over their ids, because an import may have rows of that
 * time, also those of a month between them that has no partition. It must be empty too, so that the change reads no rows under the lock.
 */
export async function dropEmptyPartitions<DB>(db: Kysely<DB>, table: string, now: Date): Promise<void> {
  const past = firstIdOf(addMonths(monthOf(now), -MONTHS_LATE))
  for (let isChanged = true; isChanged; ) {
    isChanged = false
    const [first, next] = await listPartitions(db, table)
    if (!first?.to || !next?.from || !next.to || next.to > past) return
    const pair = { first, next, end: next.to, gap: [first.to, next.from] } as const
    if (!(await areEmpty(db, table, pair)) || (await hasManyMisplaced(db, table))) return
    for (const { name } of [first, next]) if (!(await isSmall(db, name))) await sql.raw(`vacuum ${name}`).execute(db)
    await changeTable(db, async (tx) => {
      await sql`set local statement_timeout = ${sql.lit(CHANGE_MS)}`.execute(tx)
      await sql.raw(`lock table ${table} in access exclusive mode`).execute(tx)
      // A vacuum leaves rows that another transaction may still see: a later run tries again.
      if (!(await isSmall(tx, first.name)) || !(await isSmall(tx, next.name)) || !(await areEmpty(tx, table, pair))) return
      await joinPartitions(tx, table, pair)
      isChanged = true
    })
  }
}

interface Pair {
  readonly first: Partition
  readonly next: Partition
  /** First id after `next`. */
  readonly end: string
  /** First id after `first`, and first id of `next`. */
  readonly gap: readonly [string, string]
}

async function joinPartitions<DB>(tx: Kysely<DB>, table: string, { first, next, end }: Pair): Promise<void> {
  const from = first.from === null ? 'minvalue' : `'${first.from}'`
  for (const statement of [
    `drop table ${next.name}`,
    `alter table ${table} detach partition ${first.name}`,
    `alter table ${table} attach partition ${first.name} for values from (${from}) to ('${end}')`,
  ])
    await sql.raw(statement).execute(tx)
}

/** Whether no row has an id of the pair, or of a month between them. */
async function areEmpty<DB>(db: Kysely<DB>, table: string, { first, next, gap: [from, to] }: Pair): Promise<boolean> {
  if (!(await isEmpty(db, first.name)) || !(await isEmpty(db, next.name))) return false
  return from === to || !(await hasMisplaced(db, table, from, to))
}

async function isEmpty<DB>(db: Kysely<DB>, table: string): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db)
  return rows.length === 0
}

async function isSmall<DB>(db: Kysely<DB>, table: string): Promise<boolean> {
  const { rows } = await sql<{ bytes: number }>`select pg_relation_size(${table}::regclass)::float8 as bytes`.execute(db)
  return (rows[0]?.bytes ?? 0) <= MAX_BYTES
}
