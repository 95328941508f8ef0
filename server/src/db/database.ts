import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { answerLimit, Connections, type DatabaseTimeouts } from './connections.ts'
import { startEmbedded } from './embedded.ts'
import { type Migrations, migrate } from './migrate.ts'
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
  /** One connection beside the pool: whether the database is there can be asked however busy the pool is. */
  readonly probe: Pick<pg.Pool, 'query'>
  readonly signal: Signal
  /** Aborted, with the reason, when the embedded database has died: only a new process can open it again. */
  readonly broken: AbortSignal
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** PostgreSQL to use; absent: the embedded database below `dataDir`. */
  readonly url?: string | undefined
  readonly dataDir: string
  readonly poolSize: number
  readonly timeouts?: DatabaseTimeouts
  /** For tests: the schema of another version. */
  readonly migrations?: Migrations
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

/** The embedded database answers one after the other, and a large document takes it a while. */
const EMBEDDED_ANSWER_MS = 60_000
const PROBE_MS = 1_900
/** Migrations may build an index for minutes; how long they wait for a table that others use is set by each (migrate.ts). */
const MIGRATION_TIMEOUTS = { statementMs: 0, lockMs: 0, idleTransactionMs: 60_000, answerMs: 0 }
/** While the rest of the server loads, a busy machine takes seconds to see that a connection is there. */
const STARTUP_CONNECT_MS = 30_000

/** Without a database of its own to wait for, and for commands: how long things may take. */
const DEFAULT_TIMEOUTS: DatabaseTimeouts = {
  connectMs: 5_000,
  statementMs: 10_000,
  lockMs: 5_000,
  idleTransactionMs: 2_000,
}

/** Opens the database and brings its schema up to date. Throws when it cannot be reached or another server holds it. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, poolSize: max, onError, timeouts = DEFAULT_TIMEOUTS, migrations = MIGRATIONS } = options
  const embedded = url === undefined ? await startEmbedded(options) : undefined
  const where = { ...(embedded ? embedded.connection : { connectionString: url }), types: pgTypes }
  const limits = embedded
    ? { ...timeouts, connectMs: EMBEDDED_ANSWER_MS, answerMs: EMBEDDED_ANSWER_MS, isEmbedded: true }
    : { ...timeouts, answerMs: answerLimit(timeouts), isEmbedded: false }
  const connections = new Connections({ ...where, max }, limits)
  const probe = new Connections({ ...where, max: 1 }, { ...limits, connectMs: PROBE_MS, answerMs: PROBE_MS }).pool
  const { pool } = connections
  pool.on('error', onError)
  probe.on('error', () => {})
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: preparing(pool) }) })
  const close = async (): Promise<void> => {
    await Promise.all([db.destroy(), probe.end()])
    await embedded?.stop()
  }
  try {
    await atStartup(
      new Connections({ ...where, max: 2 }, { ...limits, ...MIGRATION_TIMEOUTS, connectMs: STARTUP_CONNECT_MS }),
      async (own) => {
        if (!embedded) await requireServerVersion(own)
        await migrate(own, { migrations, onProgress: options.onProgress })
      },
    )
    const onSilence = (since: number): void => connections.evict(since, true)
    const signal = url === undefined ? localSignal() : await postgresSignal(pool, url, { onError, onSilence })
    return {
      kind: embedded ? 'embedded' : 'postgresql',
      db,
      pool,
      probe,
      signal,
      broken: embedded?.broken ?? new AbortController().signal,
      async close() {
        await signal.close()
        await close()
      },
    }
  } catch (cause) {
    await close()
    throw cause
  }
}

/** Connections with more time than the server's own, for what comes before it serves. */
async function atStartup({ pool }: Connections, work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  pool.on('error', () => {})
  try {
    await work(pool)
  } finally {
    await pool.end()
  }
}
