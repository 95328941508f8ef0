import { sql } from 'kysely'
import type { Database, Db } from '../database.ts'
import { withoutTransaction } from '../long-statements.ts'
import { addPartitions, countMisplaced } from './add-partitions.ts'
import { dropEmptyPartitions } from './drop-partitions.ts'
import { isManagedByPartman } from './pg-partman.ts'

/** Tables by month of their ids. */
const PARTITIONED_TABLES = ['audit_record'] as const

/** Key of an advisory lock (`GATP` in ASCII): one node changes partitions at a time. */
const LOCK = 0x47415450

/**
 * Makes the partitions of the next months and drops empty ones of past months, unless
 * another node or pg_partman does. Throws if a table has rows that are in no month's partition: they would never be dropped with a month.
 */
export async function maintainPartitions({ sessionDb }: Pick<Database, 'sessionDb'>, now: Date): Promise<void> {
  await withPartitionLock(sessionDb, async (db) => {
    for (const table of PARTITIONED_TABLES) await maintain(db, table, now)
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

async function maintain(db: Db, table: string, now: Date): Promise<void> {
  // It finds a partition by its name, which tells the month.
  if (await isManagedByPartman(db, table)) return
  await addPartitions(db, table, now)
  await dropEmptyPartitions(db, table, now)
}
