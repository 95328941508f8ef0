import type { Selectable } from 'kysely'
import { type CamelCase, camelCase } from '../lib/camel-case.ts'

type CamelRow<Row> = { readonly [Name in keyof Row & string as CamelCase<Name>]: Row[Name] }

/** Columns of a table as the code reads them, with names in camel case: `Entity<ApiKeyTable, 'id' | 'created_at'>` has `id` and `createdAt`. */
export type Entity<Table, Column extends keyof Selectable<Table> = keyof Selectable<Table>> = CamelRow<
  Pick<Selectable<Table>, Column>
>

/** The row with names in camel case. Values stay as they are, so the caller converts ids: `{ ...fromRow(row), id: toId('key', row.id) }`. */
export const fromRow = <Row extends object>(row: Row): CamelRow<Row> =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [camelCase(name), value])) as CamelRow<Row>
