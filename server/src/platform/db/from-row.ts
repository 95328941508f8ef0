import type { Selectable } from 'kysely'
import { type CamelCase, camelCase } from '../lib/camel-case.ts'
import { toId } from '../lib/id.ts'

type CamelRow<Row> = { readonly [Name in keyof Row & string as CamelCase<Name>]: Row[Name] }

/** Columns of a table as the code reads them, with names in camel case: `Entity<ApiKeyTable, 'id' | 'created_at'>` has `id` and `createdAt`. */
export type Entity<Table, Column extends keyof Selectable<Table> = keyof Selectable<Table>> = CamelRow<
  Pick<Selectable<Table>, Column>
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
