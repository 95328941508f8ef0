import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../platform/db/database.ts'

export interface Column {
  readonly name: string
  /** For example `timestamp with time zone`. */
  readonly type: string
}

/** Columns that are stored, in the order of the table. None: there is no such table. */
export async function listColumns(tx: Tx, table: string): Promise<readonly Column[]> {
  const { rows } = await sql<Column>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = to_regclass(${`public.${table}`}) and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`.execute(tx)
  return rows
}

/** Makes the text forms of values the same on every database, and complete. */
export async function useStandardTextForms(tx: Tx): Promise<void> {
  for (const setting of SETTINGS) await sql.raw(`set local ${setting}`).execute(tx)
}

const SETTINGS = [
  "timezone = 'UTC'",
  "datestyle = 'ISO, YMD'",
  "bytea_output = 'hex'",
  'extra_float_digits = 1',
  'idle_in_transaction_session_timeout = 0',
]

export const references = (names: readonly string[]): RawBuilder<unknown> => sql.join(names.map((name) => sql.ref(name)))
