import type { Database } from '../../src/platform/db/database.ts'
import { type NamedDatabase, newDatabases, testDatabases } from './database.ts'
import { listTables } from './list-tables.ts'

export interface FreshDatabase {
  readonly database: Database
  /** Deletes all rows, which is faster than another database. */
  empty(): Promise<void>
  remove(): Promise<void>
}

/** The databases of `testDatabases` without any rows: `describe.each(freshDatabases())('… on $name', ({ open }) => …)`. */
export const freshDatabases = (): NamedDatabase<FreshDatabase>[] =>
  testDatabases().map(({ name, open }) => ({
    name,
    async open() {
      const database = await open()
      await empty(database)
      return { database, empty: () => empty(database), remove: () => empty(database).then(() => database.close()) }
    },
  }))

/** As `freshDatabases`, but each call opens a new database, so that a test may change its schema. */
export const separateDatabases = (): NamedDatabase<FreshDatabase>[] =>
  newDatabases().map(({ name, open }) => ({
    name,
    async open() {
      const database = await open()
      return { database, empty: () => empty(database), remove: () => database.close() }
    },
  }))

/** Deleting is faster than TRUNCATE, which writes new files for each table and each index. */
async function empty({ pool }: Database): Promise<void> {
  // The names of the migrations stay.
  const tables = (await listTables(pool)).filter((table) => !table.startsWith('kysely'))
  const deletions = tables.map((name) => `delete from ${name}`)
  // In the role `replica` no trigger and no foreign key prevents a deletion.
  await pool.query(['begin', 'set local session_replication_role = replica', ...deletions, 'commit'].join(';'))
}
