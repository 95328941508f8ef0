import type pg from 'pg'

/** A value for row `n` of a column without a default, by the column's type. */
const VALUES: Readonly<Record<string, string>> = {
  // The time in a UUIDv7 is the past.
  uuid: "('0190' || substr(md5(n::text), 5))::uuid",
  text: "'x' || n",
  'character varying': "'x' || n",
  bytea: "decode(md5(n::text), 'hex')",
  integer: 'n',
  bigint: 'n',
  'double precision': 'n',
  boolean: 'false',
  json: "'{}'",
  jsonb: "'{}'",
  'text[]': "'{}'",
  'timestamp with time zone': "timestamptz '2026-01-01' + n * interval '1 second'",
}

/** Adds rows to a table, without their foreign keys. `values`: SQL for the row `n`, by column. */
export async function fillTable(
  pool: pg.Pool,
  table: string,
  rows: number,
  values: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { rows: required } = await pool.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and attnotnull and not atthasdef and attidentity = '' and not attisdropped`,
    [table],
  )
  const columns = { ...Object.fromEntries(required.map(({ name, type }) => [name, VALUES[type] ?? 'null'])), ...values }
  const names = Object.keys(columns).map((name) => `"${name}"`)
  await pool.query(
    `begin; set local session_replication_role = replica; set local synchronous_commit = off;
     insert into ${table} (${names}) select ${Object.values(columns)} from generate_series(1, ${rows}) as n; commit; analyze ${table}`,
  )
}
