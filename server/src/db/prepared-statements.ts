import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'

/** So often a statement is asked before it counts as one that comes again. */
const REPEATED = 5
/** Plans are kept by every connection: more would fill the database's memory. */
const MOST = 250
/** PostgreSQL's words for: a migration has changed the columns that this statement answers. */
const OUTDATED = /cached plan must not change result type/
/**
 * Answers other columns once a newer version has added one. In a transaction that could not be repeated, so there such a statement
 * gets no name.
 */
const ALL_COLUMNS = /(?:select|returning|,|\.)\s*\*/
const BEGINS = /^(?:begin|start transaction)/
const ENDS = /^(?:commit|rollback)$/

/**
 * The pool as Kysely is to see it: what is asked again and again is parsed and planned once for each connection, which is half of the
 * database's work on small statements. What has a name of its own, or is sent without parameters, goes through as it is.
 */
export function preparing(pool: pg.Pool): PostgresPool {
  const names = new StatementTexts()
  const known = new WeakMap<pg.PoolClient, PostgresPoolClient>()
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect()
      const before = known.get(client)
      if (before) return before
      const made = preparingClient(client, names)
      known.set(client, made)
      return made
    },
    end: () => pool.end(),
  }
}

function preparingClient(client: pg.PoolClient, names: StatementTexts): PostgresPoolClient {
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
      // Refused before anything was done: a newer version has added a column while this one runs.
      return client.query(text, [...parameters])
    }
  }
  return {
    // Cursors, which Kysely may ask for as well, are not configured.
    query: query as unknown as PostgresPoolClient['query'],
    // A connection whose plans a migration has overtaken makes room for a new one.
    release: () => client.release(isOutdated),
  }
}

/** Names for statements that have come before; the same for all connections. */
class StatementTexts {
  /** Of statements that are one of a kind (lists of many lengths) there is no end: the oldest are forgotten. */
  readonly #times = new LRUCache<string, number>({ max: 4 * MOST })
  readonly #names = new Map<string, string>()

  nameOf(text: string): string | undefined {
    const name = this.#names.get(text)
    if (name !== undefined || this.#names.size === MOST) return name
    const times = (this.#times.get(text) ?? 0) + 1
    if (times < REPEATED) {
      this.#times.set(text, times)
      return undefined
    }
    this.#times.delete(text)
    const made = `s${this.#names.size + 1}`
    this.#names.set(text, made)
    return made
  }
}
