import type pg from 'pg'

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

interface Query {
  readonly text?: string
  readonly values?: readonly unknown[]
}

/** Tells `hear` of every statement that the pool sends from now on, on whichever connection. */
export function onStatement(pool: pg.Pool, hear: (statement: Statement) => void): void {
  const heard = new WeakSet<pg.PoolClient>()
  pool.on('acquire', (client) => {
    if (heard.has(client)) return
    heard.add(client)
    const send = client.query.bind(client) as (...args: unknown[]) => unknown
    client.query = ((query: string | Query, values?: unknown, ...rest: unknown[]) => {
      const given = typeof query === 'string' ? { text: query } : query
      hear({ text: given.text ?? '', values: Array.isArray(values) ? values : (given.values ?? []) })
      return send(query, values, ...rest)
    }) as typeof client.query
  })
}
