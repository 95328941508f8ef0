import { type Kysely, sql } from 'kysely'
import { addMonths, firstIdOf, type Month, monthOf } from './months.ts'

/** Ids of the first partition end this many months after the current one: new rows fit while the table is being checked. */
const MONTHS_IN_FIRST = 2

/** Where the first partition of a table ends that is partitioned at `now`. */
export const endOfFirst = (now: Date): Month => addMonths(monthOf(now), MONTHS_IN_FIRST)

/** Constraint that proves to PostgreSQL that the rows of a large table fit into the first partition. */
export const proofName = (table: string): string => `${table}_fits_first_partition`

/**
 * Makes `table`, whose key is `id` (UUIDv7), the first partition of a new table of the same name, in one short transaction. Its rows stay
 * where they are. Statements of running nodes find the new table by its name. PostgreSQL reads all rows under the lock unless the
 * constraint `proofName` shows that they fit. `end`: first id that is not in the first partition.
 *
 * A unique constraint beside the key belongs to each partition: PostgreSQL has none over all of them without the id.
 */
export async function partitionTable<DB>(tx: Kysely<DB>, table: string, end: string): Promise<void> {
  const run = (statement: string) => sql.raw(statement).execute(tx)
  await run(`lock table ${table} in access exclusive mode`)
  const [indexes, grants, options] = [await listIndexes(tx, table), await listGrants(tx, table), await storageOf(tx, table)]
  const first = `${table}_before`
  await run(`alter table ${table} rename to ${first}`)
  for (const { name } of indexes) await run(`alter index ${name} rename to ${first}${name.slice(table.length)}`)
  await run(
    `create table ${table} (like ${first} including defaults including generated including storage) partition by range (id)`,
  )
  await run(`alter table ${table} add primary key (id)`)
  for (const { definition, isUnique } of indexes) if (!isUnique) await run(definition)
  for (const { privilege, grantee } of grants) await run(`grant ${privilege} on ${table} to ${grantee}`)
  await run(`alter table ${table} attach partition ${first} for values from (minvalue) to ('${end}')`)
  await run(`alter table ${first} drop constraint if exists ${proofName(table)}`)
  await run(`create table ${table}_default (like ${first} including all) ${options}`)
  await run(`alter table ${table} attach partition ${table}_default default`)
}

async function listIndexes<DB>(tx: Kysely<DB>, table: string) {
  const { rows } = await sql<{ name: string; definition: string; isUnique: boolean }>`
    select relname as name, pg_get_indexdef(indexrelid) as definition, indisunique as "isUnique"
    from pg_index join pg_class on pg_class.oid = indexrelid
    where indrelid = ${table}::regclass and indisvalid and starts_with(relname, ${table}) order by relname`.execute(tx)
  return rows
}

async function listGrants<DB>(tx: Kysely<DB>, table: string) {
  const { rows } = await sql<{ privilege: string; grantee: string }>`
    select privilege_type as privilege, case when grantee = 0 then 'public' else grantee::regrole::text end as grantee
    from pg_class, aclexplode(relacl) where pg_class.oid = ${table}::regclass and grantee <> relowner`.execute(tx)
  return rows
}

/** The storage parameters of a table, for `create table`: `like` does not copy them. */
export async function storageOf<DB>(tx: Kysely<DB>, table: string): Promise<string> {
  const { rows } = await sql<{ options: string | null }>`
    select array_to_string(reloptions, ', ') as options from pg_class where oid = ${table}::regclass`.execute(tx)
  const options = rows[0]?.options
  return options ? `with (${options})` : ''
}

/** A table of up to this many rows is checked in milliseconds. */
const SMALL_TABLE_ROWS = 50_000

/** For a migration: partitions a small table. A job partitions a large one (partition-job.ts). */
export async function partitionSmallTable(tx: Kysely<unknown>, table: string): Promise<void> {
  const { rows } = await sql<{ rows: number; now: Date }>`
    select (select count(*)::int from (select 1 from ${sql.table(table)} limit ${SMALL_TABLE_ROWS + 1}) as first) as rows,
      now()`.execute(tx)
  const [found] = rows
  if (found && found.rows <= SMALL_TABLE_ROWS) await partitionTable(tx, table, firstIdOf(endOfFirst(found.now)))
}
