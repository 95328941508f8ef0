import { sql } from 'kysely'
import type pg from 'pg'
import type { Database, Db } from '../database.ts'
import { hasMissingIndexes } from '../deferred-indexes.ts'
import { withoutTransaction } from '../long-statements.ts'
import { addPartitions, countMisplaced } from './add-partitions.ts'
import { changeTable } from './change-table.ts'
import { dropEmptyPartitions } from './drop-partitions.ts'
import { isPartitioned } from './list-partitions.ts'
import { addMonths, firstIdOf, monthOf } from './months.ts'
import { endOfFirst, partitionTable, proofName } from './partition-table.ts'
import { isManagedByPartman } from './pg-partman.ts'

/** Tables by month of their ids. */
const PARTITIONED_TABLES = ['audit_record'] as const

/** Key of an advisory lock (`GATP` in ASCII): one node changes partitions at a time. */
const LOCK = 0x47415450

/**
 * Partitions large tables that an upgrade left whole, makes the partitions of the next months and drops empty ones of past months, unless
 * another node or pg_partman does. Throws if a table has rows that are in no month's partition: they would never be dropped with a month.
 */
export async function maintainPartitions(database: Pick<Database, 'sessionDb' | 'sessionPool'>, now: Date): Promise<void> {
  const { sessionDb, sessionPool } = database
  await withPartitionLock(sessionDb, async (db) => {
    for (const table of PARTITIONED_TABLES) await maintain(db, sessionPool, table, now)
  })
  for (const table of PARTITIONED_TABLES) {
    const misplaced = await countMisplaced(sessionDb, table)
    if (misplaced > 0) throw new Error(`${table}_default has rows (${misplaced} or more): see docs/growth.md`)
  }
}

/** The earlier one of the times of the database and of this node: a clock that is ahead would make partitions of a distant future. */
export async function earlierTime(db: Db, now: Date): Promise<Date> {
  const { rows } = await sql<{ time: Date }>`select now() as time`.execute(db)
  return rows[0] && rows[0].time < now ? rows[0].time : now
}

/** Runs `work` on one connection, without a limit of time for a statement. Does nothing if another node has the lock. */
const withPartitionLock = (sessionDb: Db, work: (db: Db) => Promise<void>): Promise<void> =>
  withoutTransaction(sessionDb, async (db) => {
    const { rows } = await sql<{ locked: boolean }>`select pg_try_advisory_lock(${LOCK}) as locked`.execute(db)
    if (!rows[0]?.locked) return
    try {
      await work(db)
    } finally {
      await sql`select pg_advisory_unlock(${LOCK})`.execute(db)
    }
  })

async function maintain(db: Db, pool: pg.Pool, table: string, now: Date): Promise<void> {
  if (!(await isPartitioned(db, table))) {
    // An index that is missing would be built under the lock of the table.
    if (await hasMissingIndexes(pool, table)) return
    const end = await proveFit(db, table, now)
    await changeTable(db, (tx) => partitionTable(tx, table, end))
  }
  // It finds a partition by its name, which tells the month.
  if (await isManagedByPartman(db, table)) return
  await addPartitions(db, table, now)
  await dropEmptyPartitions(db, table, now)
}

/**
 * Adds the constraint that all ids are before the end of the first partition, and checks it without blocking writers, so that the change
 * itself reads no rows. Returns the end.
 */
async function proveFit(db: Db, table: string, now: Date): Promise<string> {
  const name = proofName(table)
  const { rows } = await sql<{ definition: string }>`
    select pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = ${table}::regclass and conname = ${name}`.execute(db)
  const found = /'([0-9a-f-]{36})'/.exec(rows[0]?.definition ?? '')?.[1]
  // The constraint refuses later ids, so one of an interrupted attempt must not stay until then.
  const isUsable = found !== undefined && found > firstIdOf(addMonths(monthOf(now), 1))
  const end = isUsable ? found : firstIdOf(endOfFirst(now))
  if (!isUsable)
    await changeTable(db, async (tx) => {
      await sql.raw(`alter table ${table} drop constraint if exists ${name}`).execute(tx)
      await sql.raw(`alter table ${table} add constraint ${name} check (id < '${end}') not valid`).execute(tx)
    })
  try {
    await sql.raw(`alter table ${table} validate constraint ${name}`).execute(db)
  } catch (cause) {
    await changeTable(db, async (tx) => void (await sql.raw(`alter table ${table} drop constraint ${name}`).execute(tx)))
    throw new Error(`${table} cannot be partitioned by month: ${(cause as Error).message}`, { cause })
  }
  return end
}
