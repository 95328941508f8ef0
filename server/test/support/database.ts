import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase, pgTypes } from '../../src/platform/db/database.ts'
import { type Embedded, startEmbedded } from '../../src/platform/db/embedded.ts'
import { primaryReads } from '../../src/platform/db/reads.ts'
import type { Schema } from '../../src/platform/db/schema.ts'
import { localSignal } from '../../src/platform/db/signal.ts'

/** The PostgreSQL of this run. null without TEST_DATABASE_URL, and in `npm test`, which tests the embedded database only. */
export const postgresUrl = (): string | null => (inject('databases').includes('postgresql') ? inject('postgresUrl') : null)

export interface NamedDatabase<T> {
  readonly name: 'embedded' | 'postgresql'
  readonly open: () => Promise<T>
}

/** Of the two databases, those of this run. */
export function onDatabases<T>(embedded: () => Promise<T>, postgresql: (url: string) => Promise<T>): NamedDatabase<T>[] {
  const url = postgresUrl()
  return [
    ...(inject('databases').includes('embedded') ? [{ name: 'embedded', open: embedded } as const] : []),
    ...(url === null ? [] : [{ name: 'postgresql', open: () => postgresql(url) } as const]),
  ]
}

/**
 * The databases of store tests: `describe.each(testDatabases())('… on $name', ({ open }) => …)`. Each test creates its own Workspace in them
 * (support/seed.ts). Each worker has one of each kind, so that a job for all Workspaces meets no test that runs at the same time. Each
 * `open` connects to it like another node.
 */
export const testDatabases = (): NamedDatabase<Database>[] => onDatabases(connectEmbedded, connectPostgres)

/** As `testDatabases`, but each call creates an empty database, which `close` removes. */
export const newDatabases = (): NamedDatabase<Database>[] => onDatabases(createEmbedded, createPostgres)

const quiet = { onError: () => {}, onProgress: () => {} }
const POOL_SIZE = 8

let embedded: Promise<Embedded> | undefined

async function connectEmbedded(): Promise<Database> {
  embedded ??= startEmbedded({ ...quiet, dataDir: newDataFolder() })
  const { connection, broken } = await embedded
  const pool = new pg.Pool({ ...connection, max: 4, types: pgTypes })
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  return {
    kind: 'embedded',
    db,
    pool,
    sessionDb: db,
    sessionPool: pool,
    reads: primaryReads(db),
    probe: pool,
    signal: localSignal(),
    broken,
    close: () => db.destroy(),
  }
}

async function createEmbedded(): Promise<Database> {
  const dataDir = newDataFolder()
  const database = await openDatabase({ ...quiet, poolSize: POOL_SIZE, dataDir })
  const remove = () => rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
  return { ...database, close: () => database.close().then(remove) }
}

/** A data folder with an empty, migrated embedded database. */
export function newDataFolder(): string {
  const dataDir = mkdtempSync(join(inject('runFolder'), 'database-'))
  cpSync(inject('templateDataDir'), dataDir, { recursive: true })
  return dataDir
}

let postgres: Promise<string> | undefined

async function connectPostgres(server: string): Promise<Database> {
  postgres ??= createOnServer(server)
  return openPostgres(await postgres)
}

async function createPostgres(server: string): Promise<Database> {
  const url = await createOnServer(server)
  const database = await openPostgres(url)
  const remove = () => onServer(server, `drop database ${new URL(url).pathname.slice(1)} with (force)`)
  return { ...database, close: () => database.close().then(remove) }
}

const openPostgres = (url: string): Promise<Database> => openDatabase({ ...quiet, poolSize: POOL_SIZE, url, dataDir: '' })

/** Returns the URL of a new database. */
async function createOnServer(server: string): Promise<string> {
  const name = `${inject('runName')}_${process.pid}_${process.hrtime.bigint()}`
  await onServer(server, `create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

async function onServer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}
