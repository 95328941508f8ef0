import type pg from 'pg'

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

interface Query {
  readonly text?: string
  readonly values?: readonly unknown[]
}

/** Calls `listener` with every statement that the pool sends from now on. */
export function onStatement(pool: pg.Pool, listener: (statement: Statement) => void): void {
  const wrapped = new WeakSet<pg.PoolClient>()
  pool.on('acquire', (client) => {
    if (wrapped.has(client)) return
    wrapped.add(client)
    const send = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((query: string | Query, values?: unknown, ...rest: unknown[]) => {
      const statement = typeof query === 'string' ? { text: query } : query
      listener({ text: statement.text ?? '', values: Array.isArray(values) ? values : (statement.values ?? []) })
      return send(query, values, ...rest)
    }) as typeof client.query
  })
}
