import pg from 'pg'
import { elapsed } from '../lib/clock.ts'
import { DeadlineError } from '../lib/deadline.ts'

/** Time limits of database operations, in milliseconds. */
export interface DatabaseTimeouts {
  /** For getting a connection, from the pool or a new one. */
  readonly connectMs: number
  /** For one statement, enforced by PostgreSQL. 0: no limit. */
  readonly statementMs: number
  /** For waiting for a lock. 0: no limit. */
  readonly lockMs: number
  /** For a transaction without a statement, which may hold locks of a node that has stopped. 0: no limit. */
  readonly idleTransactionMs: number
}

/** Added to the time limit of a statement for the network; afterwards the connection is closed. */
const GRACE_MS = 1_000
/** The longest time of a timer: 24 days. */
const NO_LIMIT_MS = 2 ** 31 - 1
/** PostgreSQL error code: the server became read-only after a failover, so the connection leads to the wrong server. */
const READ_ONLY = '25006'
/** Statements that change the time limit of later statements, and that restore it (long-statements.ts). */
const CHANGES_LIMIT = /^set (local )?statement_timeout = (\d+)/
const ENDS_TRANSACTION = /^(commit|rollback)$/
const RESTORES_LIMIT = /^reset statement_timeout$/

export interface ConnectionLimits extends DatabaseTimeouts {
  readonly responseMs: number
  readonly isEmbedded: boolean
  /** Whether a pooler in transaction mode is between, so that nothing can be set for a session. */
  readonly isPooled?: boolean | undefined
}

/** Time limit for a response: longer than for the statement, which PostgreSQL ends first if the network works. */
export const responseLimitMs = ({ statementMs }: DatabaseTimeouts): number => (statementMs === 0 ? 0 : statementMs + GRACE_MS)

type Callback = (error: unknown, result?: unknown) => void
type Config = string | (Readonly<Record<string, unknown>> & { readonly text?: unknown })
type Query = (config: Config, values?: unknown, callback?: unknown) => unknown

/**
 * A pool of connections with time limits: PostgreSQL ends statements, waits for locks and transactions that take too long, and a
 * connection without a response is closed. Statements set the limits after connecting, because poolers such as PgBouncer refuse startup
 * parameters. In transaction mode such a pooler gives each transaction any connection, so the limits come from the role (server-checks.ts).
 */
export class Connections {
  readonly pool: pg.Pool
  readonly #clients = new Map<pg.PoolClient, { respondedAt: number; running: number }>()

  constructor(config: pg.PoolConfig, timeouts: ConnectionLimits) {
    this.pool = new pg.Pool({
      keepAlive: true,
      keepAliveInitialDelayMillis: 5_000,
      ...config,
      connectionTimeoutMillis: timeouts.connectMs,
      query_timeout: timeouts.responseMs,
      ...(!timeouts.isPooled && {
        onConnect: async (client) =>
          void (await client.query({ text: setStatements(timeouts), query_timeout: 3_000 } as pg.QueryConfig)),
      }),
    })
    this.pool.on('connect', (client) => {
      // The query of a broken connection fails as well. Without a listener, this second error would end the process.
      client.on('error', () => {})
      this.#watch(client)
    })
    this.pool.on('remove', (client) => this.#clients.delete(client))
  }

  /** Closes connections without a response since `silentSince`, dead after a failover. `includeBusy`: also those that run a statement. */
  evict(silentSince: number, includeBusy = false): void {
    for (const [client, { respondedAt, running }] of this.#clients)
      if (respondedAt < silentSince && (includeBusy || running === 0)) destroySocket(client)
  }

  #watch(client: pg.PoolClient): void {
    const state = { respondedAt: elapsed(), running: 0 }
    this.#clients.set(client, state)
    /** Time limits that statements have set, with time for the network; undefined: the default. */
    let transactionMs: number | undefined
    let sessionMs: number | undefined
    const send = client.query.bind(client) as unknown as Query
    const finish = (sentAt: number, error: unknown, result: unknown): unknown => {
      state.running -= 1
      const failure = error ?? findMissingResponse(result)
      if (!failure || failure instanceof pg.DatabaseError) state.respondedAt = elapsed()
      if (isLost(failure)) destroySocket(client)
      if (failure instanceof Error && /query read timeout/i.test(failure.message)) this.evict(sentAt)
      return failure
    }
    const query: Query = (config, values, callback) => {
      const text = textOf(config)
      const [changed, isLocal, ms] = CHANGES_LIMIT.exec(text) ?? []
      const changedMs = Number(ms) === 0 ? NO_LIMIT_MS : Number(ms) + GRACE_MS
      if (changed && isLocal) transactionMs = changedMs
      else if (changed) sessionMs = changedMs
      const limitMs = transactionMs ?? sessionMs
      const limited = limitMs === undefined ? config : withTimeout(config, values, limitMs)
      if (ENDS_TRANSACTION.test(text)) transactionMs = undefined
      if (RESTORES_LIMIT.test(text)) sessionMs = undefined
      const sentAt = elapsed()
      state.running += 1
      const listener = [values, callback].find((argument) => typeof argument === 'function') as Callback | undefined
      const parameters = typeof values === 'function' ? undefined : values
      if (listener) {
        return send(limited, parameters, (error: unknown, result: unknown) => {
          const failure = finish(sentAt, error, result)
          listener(failure, failure ? undefined : result)
        })
      }
      return (send(limited, parameters) as Promise<unknown>).then(
        (result) => {
          const failure = finish(sentAt, undefined, result)
          if (failure) throw failure
          return result
        },
        (error) => {
          throw finish(sentAt, error, undefined)
        },
      )
    }
    client.query = query as unknown as typeof client.query
  }
}

/** PostgreSQL settings of a session, by name. */
export const sessionSettings = ({
  statementMs,
  lockMs,
  idleTransactionMs,
}: DatabaseTimeouts): Readonly<Record<string, string>> => ({
  // Compiling a statement that takes milliseconds costs more than it saves.
  jit: 'off',
  statement_timeout: String(statementMs),
  lock_timeout: String(lockMs),
  idle_in_transaction_session_timeout: String(idleTransactionMs),
})

/** The embedded database has no timers, and one process that runs statements one after the other without waiting for locks. */
const setStatements = (limits: ConnectionLimits): string =>
  Object.entries(limits.isEmbedded ? { jit: 'off' } : sessionSettings(limits))
    .map(([name, value]) => `set ${name} = ${value}`)
    .join('; ')

const textOf = (config: Config): string => (typeof config === 'string' ? config : String(config.text ?? ''))

const withTimeout = (config: Config, values: unknown, ms: number): Config => ({
  ...(typeof config === 'string' ? { text: config } : config),
  ...(Array.isArray(values) && { values }),
  query_timeout: ms,
})

/** A result without a command tag comes from a database that died during the statement: its rows may be incomplete. */
function findMissingResponse(result: unknown): DeadlineError | undefined {
  const { command, rows } = (result ?? {}) as { command?: unknown; rows?: unknown }
  return Array.isArray(rows) && command === null ? new DeadlineError('the database did not complete the statement') : undefined
}

/** The connection cannot be used any more, even if its socket is open. */
const isLost = (failure: unknown): boolean =>
  Boolean(failure) && (!(failure instanceof pg.DatabaseError) || failure.code === READ_ONLY)

/** Closes the connection without a message to the server, which may not be reachable. */
export const destroySocket = (client: pg.ClientBase): void =>
  void (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
