import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'

/** A statement is prepared when it is sent for this time. */
const PREPARED_AFTER = 5
/** Most prepared statements. Each connection stores its plans in the memory of the database. */
const MAX_PREPARED = 250
/** Text of the PostgreSQL error after a migration has changed the columns that a statement returns. */
const OUTDATED = /cached plan must not change result type/
/** Statements that return other columns after a newer version has added one. In a transaction they could not be repeated. */
const ALL_COLUMNS = /(?:select|returning|,|\.)\s*\*/
const BEGINS = /^(?:begin|start transaction)/
const ENDS = /^(?:commit|rollback)$/

/**
 * A pool for Kysely that prepares repeated statements: each connection parses and plans them once, which halves the work of the database
 * for small statements. Statements without parameters are not prepared.
 *
 * `isPooled`: a pooler in transaction mode keeps statements on connections that this process cannot close, so a plan that a migration
 * outdates could not be dropped.
 */
export function withPreparedStatements(pool: pg.Pool, { isPooled = false } = {}): PostgresPool {
  const names = new PreparedNames(isPooled)
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      const known = clients.get(client)
      if (known) return known
      const created = createPreparingClient(client, names)
      clients.set(client, created)
      return created
    },
    end: () => pool.end(),
  }
}

function createPreparingClient(client: pg.PoolClient, names: PreparedNames): PostgresPoolClient {
  let isOutdated = false
  let inTransaction = false
  const query = async (text: string, parameters: readonly unknown[]) => {
    if (BEGINS.test(text)) inTransaction = true
    if (ENDS.test(text)) inTransaction = false
    const name = parameters.length > 0 ? names.nameOf(text) : undefined
    if (name === undefined || (inTransaction && ALL_COLUMNS.test(text))) return client.query(text, [...parameters])
    try {
      return await client.query({ name, text, values: [...parameters] })
    } catch (error) {
      if (!(error instanceof Error && OUTDATED.test(error.message))) throw error
      isOutdated = true
      if (inTransaction) throw error
      // The statement was refused before it ran, so it can be repeated: a newer version has added a column.
      return client.query(text, [...parameters])
    }
  }
  return {
    // The overload for cursors is not needed, because none are configured.
    query: query as unknown as PostgresPoolClient['query'],
    // A connection with outdated plans is closed.
    release: () => client.release(isOutdated),
  }
}

class PreparedNames {
  /** How often each statement was sent. The oldest are dropped, because there are many statements that are sent once. */
  readonly #times = new LRUCache<string, number>({ max: 4 * MAX_PREPARED })
  readonly #names = new Map<string, string>()
  readonly #isPooled: boolean

  constructor(isPooled: boolean) {
    this.#isPooled = isPooled
  }

  nameOf(text: string): string | undefined {
    const name = this.#names.get(text)
    if (name !== undefined || this.#names.size === MAX_PREPARED) return name
    if (this.#isPooled && ALL_COLUMNS.test(text)) return undefined
    const times = (this.#times.get(text) ?? 0) + 1
    if (times < PREPARED_AFTER) {
      this.#times.set(text, times)
      return undefined
    }
    this.#times.delete(text)
    const created = `s${this.#names.size + 1}`
    this.#names.set(text, created)
    return created
  }
}
