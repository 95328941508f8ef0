import { type Kysely, sql } from 'kysely'

/** Whether the extension pg_partman manages the partitions of a table: it lists them in `part_config`, in its schema. */
export async function isManagedByPartman<DB>(db: Kysely<DB>, table: string): Promise<boolean> {
  const { rows } = await sql<{ schema: string }>`
    select quote_ident(nspname) as schema from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relname = 'part_config' and relkind = 'r'`.execute(db)
  for (const { schema } of rows) {
    const { rows: managed } = await sql`
      select 1 from ${sql.raw(schema)}.part_config where to_regclass(parent_table) = to_regclass(${table})`.execute(db)
    if (managed.length > 0) return true
  }
  return false
}
