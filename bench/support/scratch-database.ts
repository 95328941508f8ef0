import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** A new database on an existing PostgreSQL, dropped at the end. */
export interface ScratchDatabase extends AsyncDisposable {
  readonly url: string
  /** Process ids of the database's connections; empty if the server is not on this machine. */
  backends(): Promise<readonly number[]>
}

/** @throws if the user of `serverUrl` may not create databases. */
export async function createScratchDatabase(serverUrl: string): Promise<ScratchDatabase> {
  const name = `gatehouse_bench_${randomBytes(6).toString('hex')}`
  const pool = new pg.Pool({ connectionString: serverUrl, max: 1 })
  // The pool's own connection may be cut while idle; the next query opens another.
  pool.on('error', () => {})
  await pool.query(`CREATE DATABASE ${name}`)
  const url = new URL(serverUrl)
  const local = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  url.pathname = `/${name}`
  return {
    url: url.href,
    async backends() {
      if (!local) return []
      const { rows } = await pool.query<{ pid: number }>('SELECT pid FROM pg_stat_activity WHERE datname = $1', [name])
      return rows.map(({ pid }) => pid)
    },
    async [Symbol.asyncDispose]() {
      await pool.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
      await pool.end()
    },
  }
}
