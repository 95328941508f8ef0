import type pg from 'pg'

/** Number of sessions that wait for a lock of the session of `holder`. */
export async function countWaitingFor(pool: pg.Pool, holder: pg.PoolClient): Promise<number> {
  const { rows: own } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid')
  const { rows } = await pool.query<{ count: number }>(
    'select count(*)::int as count from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
    [own[0]?.pid],
  )
  return rows[0]?.count ?? 0
}
