import { type Kysely, sql } from 'kysely'
import { hasManyMisplaced } from './add-partitions.ts'
import { changeTable } from './change-table.ts'
import { listPartitions, type Partition } from './list-partitions.ts'
import { addMonths, firstIdOf, monthOf } from './months.ts'

/** A request that began in a month may be recorded in the next one. */
const MONTHS_LATE = 2

/**
 * Drops the empty partitions of past months, oldest first. The first partition takes over their ids, because an import may have rows of that
 * time. It must be empty too, so that the change reads no rows under the lock.
 */
export async function dropEmptyPartitions<DB>(db: Kysely<DB>, table: string, now: Date): Promise<void> {
  const past = firstIdOf(addMonths(monthOf(now), -MONTHS_LATE))
  for (let isChanged = true; isChanged; ) {
    isChanged = false
    const [first, next] = await listPartitions(db, table)
    if (!first || !next?.to || first.to === null || first.to !== next.from || next.to > past) return
    const pair = { first, end: next.to, next }
    if (!(await areEmpty(db, pair)) || (await hasManyMisplaced(db, table))) return
    await changeTable(db, async (tx) => {
      await sql.raw(`lock table ${table} in access exclusive mode`).execute(tx)
      if (!(await areEmpty(tx, pair))) return
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

const areEmpty = async <DB>(db: Kysely<DB>, { first, next }: Pair): Promise<boolean> =>
  (await isEmpty(db, first.name)) && (await isEmpty(db, next.name))

async function isEmpty<DB>(db: Kysely<DB>, table: string): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db)
  return rows.length === 0
}
