import type pg from 'pg'
import { listTables } from './list-tables.ts'

export interface DumpedColumn {
  readonly table: string
  readonly column: string
  /** PostgreSQL's name of the type: `text`, `bytea`, `jsonb` … */
  readonly type: string
  /** All values in PostgreSQL's text form, one per line. */
  readonly text: string
}

/** Reads all values of all columns. */
export async function dumpTables(pool: pg.Pool): Promise<DumpedColumn[]> {
  const { rows: columns } = await pool.query<{ table: string; column: string; type: string }>(
    `select table_name as table, column_name as column, data_type as type
       from information_schema.columns where table_schema = 'public' and table_name = any($1)`,
    [await listTables(pool)],
  )
  const dumped: DumpedColumn[] = []
  for (const { table, column, type } of columns) {
    const { rows } = await pool.query<{ value: string | null }>(`select "${column}"::text as value from "${table}"`)
    dumped.push({ table, column, type, text: rows.map(({ value }) => value ?? '').join('\n') })
  }
  return dumped
}
