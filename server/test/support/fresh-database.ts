import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/db/database.ts'
import { onDatabases } from './database.ts'
import { listTables } from './list-tables.ts'

export interface FreshDatabase {
  readonly database: Database
  /** Deletes all rows, which is faster than another database. */
  empty(): Promise<void>
  remove(): Promise<void>
}

interface FreshDatabases {
  readonly name: string
  readonly open: () => Promise<FreshDatabase>
}

const quiet = { onError: () => {}, onProgress: () => {}, poolSize: 4 }

/**
 * Empty databases: `describe.each(freshDatabases())('… on $name', ({ open }) => …)`. Each worker has one of each kind, which is
 * emptied after each file.
 */
export const freshDatabases = (): FreshDatabases[] =>
  separateDatabases().map(({ name, open }) => ({ name, open: () => reuse(name, open) }))

/** As `freshDatabases`, but each call opens a new database, so that a test may change its schema. */
export const separateDatabases = (): FreshDatabases[] => onDatabases(openEmbedded, openPostgres)

const openedByName = new Map<string, Promise<FreshDatabase>>()

async function reuse(name: string, open: () => Promise<FreshDatabase>): Promise<FreshDatabase> {
  const opened = openedByName.get(name) ?? open()
  openedByName.set(name, opened)
  const fresh = await opened
  return { ...fresh, remove: () => fresh.empty() }
}

async function openEmbedded(): Promise<FreshDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-fresh-'))
  cpSync(inject('templateDataDir'), dataDir, { recursive: true })
  const database = await openDatabase({ ...quiet, dataDir })
  const remove = async (): Promise<void> => {
    await database.close()
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
  }
  return { database, empty: () => empty(database), remove }
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
  return { database, empty: () => empty(database), remove }
}

/** Deleting is faster than TRUNCATE, which writes new files for each table and each index. */
async function empty({ pool }: Database): Promise<void> {
  const tables = (await listTables(pool)).filter((name) => !name.startsWith('kysely'))
  const deletions = tables.map((name) => `delete from ${name}`)
  // In the role `replica` no trigger and no foreign key prevents a deletion.
  await pool.query(['begin', 'set local session_replication_role = replica', ...deletions, 'commit'].join(';'))
}

async function onServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
