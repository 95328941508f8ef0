import pg from 'pg'
import { elapsed } from '../lib/clock.ts'
import { DeadlineError } from '../lib/deadline.ts'

/** How long things at the database may take, milliseconds. */
export interface DatabaseTimeouts {
  /** To get a connection, new or out of the pool. */
  readonly connectMs: number
  /** Of one statement, enforced by PostgreSQL. 0: no limit. */
  readonly statementMs: number
  /** To wait for a lock. 0: no limit. */
  readonly lockMs: number
  /** A transaction in which nothing happens for so long is ended: its node is frozen or gone, and holds locks. 0: no limit. */
  readonly idleTransactionMs: number
}

/** The network gets this beyond a statement's own time before the connection is given up. */
const GRACE_MS = 1_000
/** The longest that a timer takes: 24 days. */
const NO_LIMIT_MS = 2 ** 31 - 1
/** How long a statement may take that prepares a connection or asks whether the database is there. */
const QUICK_MS = 3_000
const KEEP_ALIVE_AFTER_MS = 5_000
/** PostgreSQL's error codes after which a connection leads to the wrong place: read-only since a failover. */
const READ_ONLY = '25006'
/** How it is said that statements take longer than usual, and that they no longer do (long-statements.ts). */
const LONGER = /^set (?:local )?statement_timeout = (\d+)/
const AS_USUAL = /^(commit|rollback|reset statement_timeout)$/

/** How long an answer is waited for: PostgreSQL ends the statement first, where it still hears us. */
export const answerLimit = ({ statementMs }: DatabaseTimeouts): number => (statementMs === 0 ? 0 : statementMs + GRACE_MS)

type Callback = (error: unknown, result?: unknown) => void
type Config = string | (Readonly<Record<string, unknown>> & { readonly text?: unknown })
type Query = (config: Config, values?: unknown, callback?: unknown) => unknown

/**
 * A pool of connections on which nothing waits without a limit: PostgreSQL ends statements, waits for locks and transactions that take
 * too long, and a connection on which no answer comes is closed. The limits are set by statements after connecting, not as startup
 * parameters, which poolers such as PgBouncer refuse.
 */
export class Connections {
  readonly pool: pg.Pool
  readonly #clients = new Map<pg.PoolClient, { answeredAt: number; running: number; longMs: number | undefined }>()

  constructor(where: pg.PoolConfig, timeouts: DatabaseTimeouts & { readonly answerMs: number; readonly isEmbedded: boolean }) {
    this.pool = new pg.Pool({
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
      ...where,
      connectionTimeoutMillis: timeouts.connectMs,
      query_timeout: timeouts.answerMs,
      onConnect: async (client) => void (await client.query(quick(settings(timeouts)))),
    })
    this.pool.on('connect', (client) => {
      // A connection in use that breaks fails its query, and says so once more; unheard, that would end the process.
      client.on('error', () => {})
      this.#watch(client)
    })
    this.pool.on('remove', (client) => this.#clients.delete(client))
  }

  /**
   * Closes the connections on which no answer came since then: after a silent failover they lead nowhere. One on which a statement
   * runs is closed only where it is known that the network is silent.
   */
  evict(silentSince: number, busyToo = false): void {
    for (const [client, { answeredAt, running }] of this.#clients)
      if (answeredAt < silentSince && (busyToo || running === 0)) cut(client)
  }

  #watch(client: pg.PoolClient): void {
    const state = { answeredAt: elapsed(), running: 0, longMs: undefined as number | undefined }
    this.#clients.set(client, state)
    const send = client.query.bind(client) as unknown as Query
    const ended = (sentAt: number, error: unknown, result: unknown): unknown => {
      state.running -= 1
      const failure = error ?? unanswered(result)
      if (!failure || failure instanceof pg.DatabaseError) state.answeredAt = elapsed()
      if (isLost(failure)) cut(client)
      if (failure instanceof Error && /query read timeout/i.test(failure.message)) this.evict(sentAt)
      return failure
    }
    const query: Query = (config, values, callback) => {
      const text = textOf(config)
      const long = LONGER.exec(text)
      if (long) state.longMs = Number(long[1]) === 0 ? NO_LIMIT_MS : Number(long[1]) + GRACE_MS
      const bounded = state.longMs === undefined ? config : withTimeout(config, values, state.longMs)
      if (AS_USUAL.test(text)) state.longMs = undefined
      const sentAt = elapsed()
      state.running += 1
      const given = [values, callback].find((one) => typeof one === 'function') as Callback | undefined
      const parameters = typeof values === 'function' ? undefined : values
      if (given) {
        return send(bounded, parameters, (error: unknown, result: unknown) => {
          const failure = ended(sentAt, error, result)
          given(failure, failure ? undefined : result)
        })
      }
      return (send(bounded, parameters) as Promise<unknown>).then(
        (result) => {
          const failure = ended(sentAt, undefined, result)
          if (failure) throw failure
          return result
        },
        (error) => {
          throw ended(sentAt, error, undefined)
        },
      )
    }
    client.query = query as unknown as typeof client.query
  }
}

const settings = ({ statementMs, lockMs, idleTransactionMs, isEmbedded }: DatabaseTimeouts & { isEmbedded: boolean }): string =>
  [
    // For statements that take milliseconds, compiling them costs more than it saves.
    'set jit = off',
    // The embedded database has one process without timers; it does one thing after the other and holds no locks.
    ...(isEmbedded
      ? []
      : [
          `set statement_timeout = ${statementMs}`,
          `set lock_timeout = ${lockMs}`,
          `set idle_in_transaction_session_timeout = ${idleTransactionMs}`,
        ]),
  ].join('; ')

/** A statement that is not sent through a pool with such limits, or must be quicker than they are. */
const quick = (text: string): pg.QueryConfig & { query_timeout: number } => ({ text, query_timeout: QUICK_MS })

const textOf = (config: Config): string => (typeof config === 'string' ? config : String(config.text ?? ''))

const withTimeout = (config: Config, values: unknown, ms: number): Config => ({
  ...(typeof config === 'string' ? { text: config } : config),
  ...(Array.isArray(values) && { values }),
  query_timeout: ms,
})

/** An answer without a word of what was done comes from a database that has died under the statement: rows may be missing from it. */
function unanswered(result: unknown): DeadlineError | undefined {
  const { command, rows } = (result ?? {}) as { command?: unknown; rows?: unknown }
  return Array.isArray(rows) && command === null ? new DeadlineError('the database has not answered the statement') : undefined
}

/** Whether the connection is of no use any more, though its socket may be open. */
function isLost(failure: unknown): boolean {
  if (!failure) return false
  return !(failure instanceof pg.DatabaseError) || failure.code === READ_ONLY
}

const cut = (client: pg.PoolClient): void =>
  void (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()
