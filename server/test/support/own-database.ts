import pg from 'pg'
import { word } from './scripted-provider.ts'

/** Creates a database for one server on the PostgreSQL at `url`. */
export async function createOwnDatabase(url: string) {
  const name = `gatehouse_${word()}`
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  await pool.query(`create database ${name}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  return {
    url: own.href,
    endConnections: () => pool.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]),
    /** Sets whether the database accepts new connections. */
    allowConnections: (allowed: boolean) => pool.query(`alter database ${name} with allow_connections ${allowed}`),
    drop: async () => {
      await pool.query(`drop database ${name} with (force)`)
      await pool.end()
    },
  }
}
