import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase, pgTypes } from '../../src/db/database.ts'
import { primaryReads } from '../../src/db/reads.ts'
import type { Schema } from '../../src/db/schema.ts'
import { localSignal } from '../../src/db/signal.ts'

/** The PostgreSQL of this run. null without TEST_DATABASE_URL, and in `npm test`, which tests the embedded database only. */
export const postgresUrl = (): string | null => (inject('databases').includes('postgresql') ? inject('postgresUrl') : null)

/** Of the two databases, those of this run. */
export function onDatabases<T>(
  embedded: () => Promise<T>,
  postgresql: (url: string) => Promise<T>,
): { name: string; open: () => Promise<T> }[] {
  const url = postgresUrl()
  return [
    ...(inject('databases').includes('embedded') ? [{ name: 'embedded', open: embedded }] : []),
    ...(url === null ? [] : [{ name: 'postgresql', open: () => postgresql(url) }]),
  ]
}

/** The databases of store tests: `describe.each(testDatabases())('… on $name', ({ open }) => …)`. */
export const testDatabases = () => onDatabases(openShared, openPostgres)

/** Opens the embedded database that all store tests share. Each test creates its own Workspace in it (support/seed.ts). */
async function openShared(): Promise<Database> {
  const pool = new pg.Pool({
    host: inject('embeddedSocket'),
    port: 5432,
    user: 'postgres',
    database: 'postgres',
    max: 4,
    types: pgTypes,
  })
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
    broken: new AbortController().signal,
    close: () => db.destroy(),
  }
}

const openPostgres = (url: string): Promise<Database> =>
  openDatabase({ url, dataDir: '', poolSize: 8, onError: () => {}, onProgress: () => {} })
