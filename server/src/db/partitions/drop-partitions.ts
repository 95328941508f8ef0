import { type Kysely, sql } from 'kysely'
import { changeTable } from './change-table.ts'
import { listPartitions } from './list-partitions.ts'
import { addMonths, firstIdOf, monthOf } from './months.ts'

/** A request that began in a month may be recorded in the next one. */
const MONTHS_LATE = 2

/** Drops the empty partitions of past months. The first one stays: it takes the older rows of an import. */
export async function dropEmptyPartitions<DB>(db: Kysely<DB>, table: string, now: Date): Promise<void> {
  const past = firstIdOf(addMonths(monthOf(now), -MONTHS_LATE))
  for (const { name, from, to } of await listPartitions(db, table)) {
    if (from === null || to === null || to > past || !(await isEmpty(db, name))) continue
    await changeTable(db, async (tx) => {
      await sql.raw(`lock table ${table} in access exclusive mode`).execute(tx)
      if (await isEmpty(tx, name)) await sql.raw(`drop table ${name}`).execute(tx)
    })
  }
}

async function isEmpty<DB>(db: Kysely<DB>, table: string): Promise<boolean> {
  const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(db)
  return rows.length === 0
}
