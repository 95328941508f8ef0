import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/db/database.ts'

export interface FreshDatabase {
  readonly database: Database
  /** Takes out whatever a test has put in: faster than another database. */
  empty(): Promise<void>
  remove(): Promise<void>
}

const quiet = { onError: () => {}, onProgress: () => {}, poolSize: 4 }

/** For tests that need a database with nothing in it: `describe.each(freshDatabases())('… on $name', ({ open }) => …)`. */
export function freshDatabases(): { name: string; open: () => Promise<FreshDatabase> }[] {
  const url = inject('postgresUrl')
  const embedded = { name: 'embedded', open: openEmbedded }
  return url === null ? [embedded] : [embedded, { name: 'postgresql', open: () => openPostgres(url) }]
}

async function openEmbedded(): Promise<FreshDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-fresh-'))
  cpSync(inject('templateDataDir'), dataDir, { recursive: true })
  const database = await openDatabase({ ...quiet, dataDir })
  const remove = async (): Promise<void> => {
    await database.close()
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
  }
  return { database, empty: () => truncate(database), remove }
}

async function openPostgres(server: string): Promise<FreshDatabase> {
  const name = `fresh_${process.pid}_${process.hrtime.bigint()}`
  await onServer(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const database = await openDatabase({ ...quiet, url: url.href, dataDir: '' })
  const remove = async (): Promise<void> => {
    await database.close()
    await onServer(server, `drop database ${name} with (force)`)
  }
  return { database, empty: () => truncate(database), remove }
}

async function truncate({ pool }: Database): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    "select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename not like 'kysely%'",
  )
  await pool.query(`truncate ${rows.map(({ name }) => name).join(', ')}`)
}

async function onServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
