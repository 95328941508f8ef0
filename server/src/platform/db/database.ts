import { Kysely, PostgresDialect, type Transaction } from 'kysely'
import pg from 'pg'
import { type ConnectionLimits, Connections, type DatabaseTimeouts, responseLimitMs, sessionSettings } from './connections.ts'
import { startEmbedded } from './embedded.ts'
import { type Migrations, migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { withPreparedStatements } from './prepared-statements.ts'
import { ReadReplica } from './read-replica.ts'
import { primaryReads, type Reads } from './reads.ts'
import type { Schema } from './schema.ts'
import { refuseTransactionPooler, requireServerVersion, useRoleSettings } from './server-checks.ts'
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
  /** For locks and settings of a session: `db` and `pool` may lead through a pooler that gives each transaction another one. */
  readonly sessionDb: Db
  readonly sessionPool: pg.Pool
  /** For lists, statistics and exports that may be seconds old. */
  readonly reads: Reads
  /** A separate connection for readiness checks: it works also when all connections of the pool are in use. */
  readonly probe: Pick<pg.Pool, 'query'>
  readonly signal: Signal
  /** Aborted with the reason when the embedded database has died. Only a new process can open it again. */
  readonly broken: AbortSignal
  close(): Promise<void>
}

interface ReplicaOptions {
  readonly url: string
  /** Oldest data that reads may return. */
  readonly maxLagMs: number
}

interface DatabaseOptions {
  /** URL of a PostgreSQL; absent: the embedded database in `dataDir`. */
  readonly url?: string | undefined
  /** URL of the same PostgreSQL without a pooler in transaction mode; absent: `url` is that. */
  readonly sessionUrl?: string | undefined
  readonly replica?: ReplicaOptions | undefined
  readonly dataDir: string
  /** For the embedded database: see embedded.ts. */
  readonly newDatabase?: string
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
/** Connections without the pooler: few statements need them. */
const SESSIONS = 3
/** A migration may build an index for minutes. migrate.ts limits how long it waits for a table. */
const MIGRATION_TIMEOUTS = { statementMs: 0, lockMs: 0, idleTransactionMs: 60_000, responseMs: 0 }
/** At startup, a busy machine may take seconds to notice that a connection is established. */
const STARTUP_CONNECT_MS = 30_000

const DEFAULT_TIMEOUTS: DatabaseTimeouts = { connectMs: 5_000, statementMs: 10_000, lockMs: 5_000, idleTransactionMs: 2_000 }

/** Opens the database and runs missing migrations. Throws if it cannot be reached or another server uses it. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, poolSize: max, onError, timeouts = DEFAULT_TIMEOUTS } = options
  const embedded = url === undefined ? await startEmbedded(options) : undefined
  const config = { ...(embedded ? embedded.connection : { connectionString: url }), types: pgTypes }
  const isPooled = options.sessionUrl !== undefined
  const limits = embedded
    ? { ...timeouts, connectMs: EMBEDDED_RESPONSE_MS, responseMs: EMBEDDED_RESPONSE_MS, isEmbedded: true }
    : { ...timeouts, responseMs: responseLimitMs(timeouts), isEmbedded: false, isPooled }
  const { connections, pool, probe, db, end } = openPools(config, { max, limits, onError })
  const sessionConfig = isPooled ? { ...config, connectionString: options.sessionUrl } : config
  const sessionLimits = { ...limits, isPooled: false }
  const session = isPooled ? openPools(sessionConfig, { max: SESSIONS, limits: sessionLimits, onError }) : undefined
  const replica = options.replica && openReplica(options.replica, { primary: { db, probe }, limits, max, onError })
  const close = async (): Promise<void> => {
    await Promise.all([end(), session?.end(), replica?.end()])
    await embedded?.stop()
  }
  try {
    await prepare(options, { pool, config: sessionConfig, limits })
    const onSilence = (since: number): void => connections.evict(since, true)
    const signal =
      url === undefined ? localSignal() : await postgresSignal(pool, options.sessionUrl ?? url, { onError, onSilence })
    await replica?.reads.open()
    return {
      kind: embedded ? 'embedded' : 'postgresql',
      db,
      pool,
      sessionDb: session?.db ?? db,
      sessionPool: session?.pool ?? pool,
      reads: replica?.reads ?? primaryReads(db),
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

interface PoolOptions {
  readonly max: number
  readonly limits: ConnectionLimits
  readonly onError: (error: Error) => void
}

function openPools(config: pg.PoolConfig, { max, limits, onError }: PoolOptions) {
  const connections = new Connections({ ...config, max }, limits)
  const probe = new Connections({ ...config, max: 1 }, { ...limits, connectMs: PROBE_MS, responseMs: PROBE_MS }).pool
  const { pool } = connections
  pool.on('error', onError)
  probe.on('error', () => {})
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: withPreparedStatements(pool, limits) }) })
  return { connections, pool, probe, db, end: async () => void (await Promise.all([db.destroy(), probe.end()])) }
}

function openReplica({ url, maxLagMs }: ReplicaOptions, options: PoolOptions & { primary: { db: Db; probe: pg.Pool } }) {
  const { primary, onError, limits } = options
  // Connections are not waited for longer than a check takes, because the primary can be read instead.
  const replica = openPools(
    { connectionString: url, types: pgTypes },
    { ...options, limits: { ...limits, connectMs: Math.min(limits.connectMs, PROBE_MS) } },
  )
  const reads = new ReadReplica({ primary, replica, maxLagMs, onError })
  return {
    reads,
    async end(): Promise<void> {
      await reads.close()
      await replica.end()
    },
  }
}

/** Checks the server, stores settings for a pooler, and runs missing migrations, all without the pooler. */
async function prepare(
  { url, sessionUrl, timeouts = DEFAULT_TIMEOUTS, migrations = MIGRATIONS, onProgress }: DatabaseOptions,
  { pool, config, limits }: { pool: pg.Pool; config: pg.PoolConfig; limits: ConnectionLimits },
): Promise<void> {
  const connections = (startupLimits: ConnectionLimits) =>
    new Connections({ ...config, max: 2 }, { ...startupLimits, ...MIGRATION_TIMEOUTS, connectMs: STARTUP_CONNECT_MS })
  // Connects without settings, which would stay on a pooler's connections and reach its other clients.
  const variable = sessionUrl ? 'GATEHOUSE_DATABASE_SESSION_URL' : 'DATABASE_URL'
  if (url) await useAndClose(connections({ ...limits, isPooled: true }), (session) => refuseTransactionPooler(session, variable))
  await useAndClose(connections({ ...limits, isPooled: false }), async (session) => {
    if (url) await requireServerVersion(session)
    if (url && sessionUrl) await useRoleSettings(url, { pool, session }, { settings: sessionSettings(timeouts), onProgress })
    await migrate(session, migrations, onProgress)
  })
}

async function useAndClose({ pool }: Connections, work: (pool: pg.Pool) => Promise<void>): Promise<void> {
  pool.on('error', () => {})
  try {
    await work(pool)
  } finally {
    await pool.end()
  }
}
