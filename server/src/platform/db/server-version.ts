import type pg from 'pg'

/** Oldest supported major version: migrations use `unique nulls not distinct`, which 15 introduced. */
export const OLDEST_POSTGRESQL = 15

/** Throws if the server is older than `oldest` (a major version). Call it before the first migration. */
export async function requireServerVersion(pool: Pick<pg.Pool, 'query'>, oldest = OLDEST_POSTGRESQL): Promise<void> {
  const { rows } = await pool.query<{ number: number; name: string }>(
    `select current_setting('server_version_num')::integer as number, current_setting('server_version') as name`,
  )
  const { number = 0, name = '' } = rows[0] ?? {}
  if (Math.floor(number / 10_000) >= oldest) return
  throw new Error(
    `DATABASE_URL names a PostgreSQL ${name.split(' ', 1)[0]}, which is too old: Gatehouse needs PostgreSQL ${oldest} or later. Upgrade that server, or name another one.`,
  )
}
