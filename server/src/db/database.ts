import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { Connections, type DatabaseTimeouts, responseLimitMs } from './connections.ts'
import { startEmbedded } from './embedded.ts'
import { type Migrations, migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { withPreparedStatements } from './prepared-statements.ts'
import type { Schema } from './schema.ts'
import { requireServerVersion } from './server-version.ts'
import { localSignal, postgresSignal, type Signal } from './signal.ts'

/** First argument of store functions: the database or a transaction. */
export type Db = Kysely<Schema>
/** First argument of store functions that must run in a transaction. */
export type Tx = Transaction<Schema>

export interface Database {
  readonly kind: 'embedded' | 'postgresql'
  readonly db: Db
  /** For statements that are sent as plain SQL. */
  readonly pool: pg.Pool
  /** A separate connection for readiness checks: it works also when all connections of the pool are in use. */
  readonly probe: Pick<pg.Pool, 'query'>
  readonly signal: Signal
  /** Aborted with the reason when the embedded database has died. Only a new process can open it again. */
  readonly broken: AbortSignal
  close(): Promise<void>
}

export interface DatabaseOptions {
  /** URL of a PostgreSQL; absent: the embedded database in `dataDir`. */
  readonly url?: string | undefined
  readonly dataDir: string
  readonly poolSize: number
  readonly timeouts?: DatabaseTimeouts
  /** For tests: the schema of another version. */
  readonly migrations?: Migrations
  /** For commands: use the embedded database of a running server instead of throwing. */
  readonly share?: boolean
  readonly onError: (error: Error) => void
  /** Called with a text when a step takes long, such as the creation of the database. */
  readonly onProgress: (text: string) => void
}

/** Reads bigint as a number instead of a string: sequences and sizes stay far below 2^53. */
export const pgTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8
      ? (value: string) => Number(value)
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

/** The embedded database runs statements one after the other, and a large document takes long. */
const EMBEDDED_RESPONSE_MS = 60_000
const PROBE_MS = 1_900
/** A migration may build an index for minutes. migrate.ts limits how long it waits for a table. */
const MIGRATION_TIMEOUTS = { statementMs: 0, lockMs: 0, idleTransactionMs: 60_000, responseMs: 0 }
/** At startup, a busy machine may take seconds to notice that a connection is established. */
const STARTUP_CONNECT_MS = 30_000

/** Time limits without configuration, for example of commands. */
const DEFAULT_TIMEOUTS: DatabaseTimeouts = {
  connectMs: 5_000,
  statementMs: 10_000,
  lockMs: 5_000,
  idleTransactionMs: 2_000,
}

/** Opens the database and runs missing migrations. Throws if it cannot be reached or another server uses it. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, poolSize: max, onError, timeouts = DEFAULT_TIMEOUTS, migrations = MIGRATIONS } = options
  const embedded = url === undefined ? await startEmbedded(options) : undefined
  const config = { ...(embedded ? embedded.connection : { connectionString: url }), types: pgTypes }
  const limits = embedded
    ? { ...timeouts, connectMs: EMBEDDED_RESPONSE_MS, responseMs: EMBEDDED_RESPONSE_MS, isEmbedded: true }
    : { ...timeouts, responseMs: responseLimitMs(timeouts), isEmbedded: false }
  const connections = new Connections({ ...config, max }, limits)
  const probe = new Connections({ ...config, max: 1 }, { ...limits, connectMs: PROBE_MS, responseMs: PROBE_MS }).pool
  const { pool } = connections
  pool.on('error', onError)
  probe.on('error', () => {})
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: withPreparedStatements(pool) }) })
  const close = async (): Promise<void> => {
    await Promise.all([db.destroy(), probe.end()])
    await embedded?.stop()
  }
  try {
    await useAndClose(
      new Connections({ ...config, max: 2 }, { ...limits, ...MIGRATION_TIMEOUTS, connectMs: STARTUP_CONNECT_MS }),
      async (startupPool) => {
        if (!embedded) await requireServerVersion(startupPool)
        await migrate(startupPool, { migrations, onProgress: options.onProgress })
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

/** Runs `work` with a separate pool, which is closed afterwards. */
async function useAndClose({ pool }: Connections, work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  pool.on('error', () => {})
  try {
    await work(pool)
  } finally {
    await pool.end()
  }
}
