import type pg from 'pg'
import { EXPORTED_TABLES } from '../../src/tools/backup/exported-tables.ts'

/** All rows of the exported tables in PostgreSQL's text form, sorted. `except`: columns (`table.column`) that may differ. */
export async function dumpExported(pool: pg.Pool, except: readonly string[] = []): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {}
  const client = await pool.connect()
  try {
    await client.query("set timezone = 'UTC'")
    for (const [table, rule] of Object.entries(EXPORTED_TABLES)) {
      if ('leftOut' in rule) continue
      const { rows: columns } = await client.query<{ name: string }>(
        `select column_name as name from information_schema.columns
         where table_schema = 'public' and table_name = $1 order by ordinal_position`,
        [table],
      )
      const names = columns.map(({ name }) => name).filter((name) => !except.includes(`${table}.${name}`))
      if (names.length === 0) continue
      const { rows } = await client.query<{ row: string }>(
        `select row(${names.map((name) => `"${name}"`)})::text as row from ${table}`,
      )
      tables[table] = rows.map(({ row }) => row).toSorted()
    }
    return tables
  } finally {
    client.release(true)
  }
}
