import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase, pgTypes } from '../../src/db/database.ts'
import type { Schema } from '../../src/db/schema.ts'
import { localSignal } from '../../src/db/signal.ts'

/** Every store test runs on each of these: `describe.each(testDatabases())('… on $name', ({ open }) => …)`. */
export function testDatabases(): { name: string; open: () => Promise<Database> }[] {
  const url = inject('postgresUrl')
  const embedded = { name: 'embedded', open: openShared }
  return url === null ? [embedded] : [embedded, { name: 'postgresql', open: () => openPostgres(url) }]
}

/** The run's one embedded database: make a Workspace of your own in it (support/seed.ts), others are there too. */
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
