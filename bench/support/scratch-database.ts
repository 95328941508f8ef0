import { randomBytes } from 'node:crypto'
import pg from 'pg'

/** A database of its own on somebody's PostgreSQL, dropped at the end. */
export interface ScratchDatabase extends AsyncDisposable {
  readonly url: string
  /** The process ids of the connections that serve it; none when the server is not on this machine. */
  backends(): Promise<readonly number[]>
}

/** @throws when `serverUrl` does not let us create one. */
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
