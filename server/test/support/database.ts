import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase, pgTypes } from '../../src/db/database.ts'
import type { Schema } from '../../src/db/schema.ts'
import { localSignal } from '../../src/db/signal.ts'

/** The databases of store tests: `describe.each(testDatabases())('… on $name', ({ open }) => …)`. */
export function testDatabases(): { name: string; open: () => Promise<Database> }[] {
  const url = inject('postgresUrl')
  const embedded = { name: 'embedded', open: openShared }
  return url === null ? [embedded] : [embedded, { name: 'postgresql', open: () => openPostgres(url) }]
}

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
    probe: pool,
    signal: localSignal(),
    broken: new AbortController().signal,
    close: () => db.destroy(),
  }
}

const openPostgres = (url: string): Promise<Database> =>
  openDatabase({ url, dataDir: '', poolSize: 8, onError: () => {}, onProgress: () => {} })
