import type pg from 'pg'

/**
 * Throws if the connections of `pool` lead through a pooler in transaction mode, which gives one server process to several of them:
 * notifications would be lost and session locks would not hold. It may miss such a pooler, but never reports one that is not there.
 *
 * @param variable of the environment that holds the URL
 */
export async function refuseTransactionPooler(pool: pg.Pool, variable: string): Promise<void> {
  const [first, second] = await Promise.all([pool.connect(), pool.connect()])
  try {
    const process = await serverProcess(first)
    // A pooler sends its own number when a connection begins.
    if (process === (first as unknown as { processID?: number }).processID) return
    await second.query('begin')
    const shared = (await serverProcess(second)) === process
    await second.query('rollback')
    if (shared)
      throw new Error(
        `${variable} leads through a pooler in transaction mode: set GATEHOUSE_DATABASE_SESSION_URL to a URL of the same database without it (docs/high-availability.md)`,
      )
  } finally {
    for (const client of [first, second]) client.release(true)
  }
}

async function serverProcess(client: pg.PoolClient): Promise<number | undefined> {
  const { rows } = await client.query<{ process: number }>('select pg_backend_pid() as process')
  return rows[0]?.process
}
