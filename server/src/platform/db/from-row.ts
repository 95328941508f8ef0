import type { Selectable } from 'kysely'
import { type CamelCase, camelCase } from '../lib/camel-case.ts'
import { toId } from '../lib/id.ts'
import type { Schema } from './schema.ts'

export type CamelRow<Row> = { readonly [Name in keyof Row & string as CamelCase<Name>]: Row[Name] }

/** A row of a table as the database gives it. */
export type RowOf<Table extends keyof Schema> = Selectable<Schema[Table]>

/** Columns of a table as the code reads them, with names in camel case: `Entity<'api_key', 'id' | 'created_at'>` has `id` and `createdAt`. */
export type Entity<Table extends keyof Schema, Column extends keyof RowOf<Table> = keyof RowOf<Table>> = CamelRow<
  Pick<RowOf<Table>, Column>
>

/** The row with names in camel case, and with ids of these prefixes instead of UUIDs: `fromRow(row, { id: 'key' })`. */
export function fromRow<Row extends object>(row: Row, prefixes: { readonly [Name in keyof Row]?: string } = {}): CamelRow<Row> {
  const entity: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(row)) {
    const prefix = prefixes[name as keyof Row]
    entity[camelCase(name)] = prefix !== undefined && value !== null ? toId(prefix, value) : value
  }
  return entity as CamelRow<Row>
}

/** The first row of a query as `read` gives it; undefined: there is none. For `$call` of the query. */
export const takeFirst =
  <Row, T>(read: (row: Row) => T) =>
  async (query: { executeTakeFirst(): Promise<Row | undefined> }): Promise<T | undefined> => {
    const row = await query.executeTakeFirst()
    return row && read(row)
  }

/** Whether a query finds a row. For `$call` of the query. */
export const hasRow = async (query: { executeTakeFirst(): Promise<object | undefined> }): Promise<boolean> =>
  (await query.executeTakeFirst()) !== undefined
