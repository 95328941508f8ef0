import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely'
import { Migrator } from 'kysely/migration'
import pg from 'pg'
import { startEmbedded } from './embedded.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { preparing } from './prepared-statements.ts'
import type { Schema } from './schema.ts'
import { requireServerVersion } from './server-version.ts'
import { localSignal, postgresSignal, type Signal } from './signal.ts'

/** What stores take first: the database, or a transaction of it. */
export type Db = Kysely<Schema>
/** A store function that must be part of a larger write asks for this instead. */
export type Tx = Transaction<Schema>

export interface Database {
  readonly kind: 'embedded' | 'postgresql'
  readonly db: Db
  /** For the few statements that are sent as plain SQL. */
  readonly pool: pg.Pool
  readonly signal: Signal
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** PostgreSQL to use; absent: the embedded database below `dataDir`. */
  readonly url?: string | undefined
  readonly dataDir: string
  readonly poolSize: number
  /** For commands beside a running server: use its embedded database instead of refusing to start a second one. */
  readonly share?: boolean
  readonly onError: (error: Error) => void
  /** Told what takes long (“creating the database …”), so that a first start does not look dead. */
  readonly onProgress: (text: string) => void
}

/** Sequences and sizes stay far below 2^53: read bigint as a number instead of a string. */
export const pgTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? (value: string) => Number(value)
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/** PostgreSQL's code for a table that is not there. */
const UNDEFINED_TABLE = '42P01'

/** Opens the database and brings its schema up to date. Throws when it cannot be reached or another server holds it. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, poolSize: max, onError } = options
  const embedded = url === undefined ? await startEmbedded(options) : undefined
  const where = embedded ? embedded.connection : { connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true }
  // For statements that take milliseconds, compiling them costs more than it saves.
  const onConnect = async (client: pg.ClientBase): Promise<void> => void (await client.query('set jit = off'))
  const pool = new pg.Pool({ ...where, max, types: pgTypes, onConnect })
  pool.on('error', onError)
  // A connection in use that breaks fails its query, and says so once more; unheard, that would end the process.
  pool.on('connect', (client) => client.on('error', () => {}))
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: preparing(pool) }) })
  try {
    if (!embedded) await requireServerVersion(pool)
    await migrate(db)
    const signal = url === undefined ? localSignal() : await postgresSignal(pool, url, onError)
    return {
      kind: embedded ? 'embedded' : 'postgresql',
      db,
      pool,
      signal,
      async close() {
        await signal.close()
        await db.destroy()
        await embedded?.stop()
      },
    }
  } catch (cause) {
    await db.destroy()
    await embedded?.stop()
    throw cause
  }
}

/** Runs what is missing, under Kysely's advisory lock: nodes that start together wait for one another. */
async function migrate(db: Db): Promise<void> {
  if (await isUpToDate(db)) return
  const { error } = await new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } }).migrateToLatest()
  if (error) throw error
}

/** Most starts find nothing to do. The migrator would read the whole catalogue to learn it, a third of an embedded start. */
async function isUpToDate(db: Db): Promise<boolean> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
    return rows.map(({ name }) => name).join() === Object.keys(MIGRATIONS).toSorted().join()
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return false
    throw error
  }
}
