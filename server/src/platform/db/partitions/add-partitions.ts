import { type Kysely, sql } from 'kysely'
import { changeTable } from './change-table.ts'
import { listPartitions } from './list-partitions.ts'
import { addMonths, firstIdOf, type Month, monthOf, partitionName, startOf } from './months.ts'

/** No node may run for some time. */
const MONTHS_AHEAD = 3
const DAY_MS = 86_400_000
/** The default partition is read under a lock when another one is made. */
const MAX_MISPLACED = 10_000

/** A proof refuses rows of its month. Validating it takes an hour at most, and it may have to stay while a backup locks the table. */
const DAYS_WITHOUT_PROOF = 2

/** Makes the partitions of the next months, except those whose rows are in the default partition. */
export async function addPartitions<DB>(db: Kysely<DB>, table: string, now: Date): Promise<void> {
  await removeProofs(db, table)
  const partitions = await listPartitions(db, table)
  const isCovered = (id: string): boolean =>
    partitions.some(({ from, to, isDefault }) => !isDefault && (from === null || from <= id) && (to === null || id < to))
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    const month = addMonths(monthOf(now), ahead)
    // A month in the middle is missing after a clock was wrong, or while it had rows in the default partition.
    if (isCovered(firstIdOf(month))) continue
    if (!(await hasManyMisplaced(db, table))) await addPartition(db, table, month)
    else if (startOf(month).getTime() - now.getTime() > DAYS_WITHOUT_PROOF * DAY_MS) await addWithProof(db, table, month)
  }
}

async function addWithProof<DB>(db: Kysely<DB>, table: string, month: Month): Promise<void> {
  try {
    if (await proveAbsence(db, table, month)) await addPartition(db, table, month)
  } finally {
    await removeProofs(db, table)
  }
}

/**
 * Attaching locks the table less than `create table … partition of`: writers of other partitions go on. Rows of the month that are in the
 * default partition prevent it: they stay there, and so do later ones of that month.
 */
async function addPartition<DB>(db: Kysely<DB>, table: string, month: Month): Promise<void> {
  const [from, to] = [firstIdOf(month), firstIdOf(addMonths(month, 1))]
  if (await hasMisplaced(db, table, from, to)) return
  const name = partitionName(table, month)
  await changeTable(db, async (tx) => {
    // The embedded database has one session, so that the lock of the job does not keep another run out.
    if (await exists(tx, name)) return
    const options = await storageOf(tx, `${table}_default`)
    await sql.raw(`create table ${name} (like ${table}_default including all) ${options}`).execute(tx)
    await sql.raw(`alter table ${name} drop constraint if exists ${proofOf(table, month)}`).execute(tx)
    await sql.raw(`alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`).execute(tx)
    await sql.raw(`alter table ${table}_default drop constraint if exists ${proofOf(table, month)}`).execute(tx)
  })
}

/** The storage parameters of a table, for `create table`: `like` does not copy them. */
async function storageOf<DB>(tx: Kysely<DB>, table: string): Promise<string> {
  const { rows } = await sql<{ options: string | null }>`
    select array_to_string(reloptions, ', ') as options from pg_class where oid = ${table}::regclass`.execute(tx)
  const options = rows[0]?.options
  return options ? `with (${options})` : ''
}

/** Name of a constraint which shows PostgreSQL that the default partition has no rows of a month. */
const proofOf = (table: string, month: Month): string => partitionName(`${table}_default_lacks`, month)

/** Reads a large default partition without blocking writers, so that the partition of the month is attached without reading it. */
async function proveAbsence<DB>(db: Kysely<DB>, table: string, month: Month): Promise<boolean> {
  const [from, to] = [firstIdOf(month), firstIdOf(addMonths(month, 1))]
  if (await hasMisplaced(db, table, from, to)) return false
  const change = (text: string) => sql.raw(`alter table ${table}_default ${text}`)
  const name = proofOf(table, month)
  await changeTable(db, async (tx) => {
    await change(`add constraint ${name} check (id < '${from}' or id >= '${to}') not valid`).execute(tx)
  })
  await change(`validate constraint ${name}`).execute(db)
  return true
}

/** Also those of an interrupted run. Throws if one has to stay. */
async function removeProofs<DB>(db: Kysely<DB>, table: string): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select conname as name from pg_constraint
    where conrelid = to_regclass(${`${table}_default`}) and starts_with(conname, ${`${table}_default_lacks`})`.execute(db)
  for (const { name } of rows) {
    const statement = `alter table ${table}_default drop constraint ${name}`
    await changeTable(db, async (tx) => void (await sql.raw(statement).execute(tx))).catch((cause: Error) => {
      const text = `the constraint ${name} refuses records of that month: end long transactions and run "${statement}"`
      throw new Error(`${text}: ${cause.message}`, { cause })
    })
  }
}

async function exists<DB>(db: Kysely<DB>, table: string): Promise<boolean> {
  const { rows } = await sql`select 1 where to_regclass(${table}) is not null`.execute(db)
  return rows.length > 0
}

export async function hasMisplaced<DB>(db: Kysely<DB>, table: string, from: string, to: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${sql.table(`${table}_default`)} where id >= ${from} and id < ${to} limit 1`.execute(db)
  return rows.length > 0
}

/** Whether so many rows are in the default partition that reading them under a lock would take long. */
export const hasManyMisplaced = async <DB>(db: Kysely<DB>, table: string): Promise<boolean> =>
  (await countMisplaced(db, table)) === MAX_MISPLACED

/** Rows that are in no partition of a month, counted up to 10,000. */
export async function countMisplaced<DB>(db: Kysely<DB>, table: string): Promise<number> {
  if (!(await exists(db, `${table}_default`))) return 0
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select 1 from ${sql.table(`${table}_default`)} limit ${MAX_MISPLACED}) as found`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
