import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { KEY_ID_BYTES, SEALED_VERSION } from '../../platform/lib/secret-box.ts'
import type { SealedColumn } from './sealed-columns.ts'

/** A row of a sealed column. */
export interface SealedRow {
  readonly sealed: Buffer
  /** The primary key. */
  readonly key: readonly string[]
  readonly context: string
}

export interface SealedPage {
  /** Key of the last row of the previous page. Absent: the first page. */
  readonly after?: readonly string[] | undefined
  readonly limit: number
  /** Locks the rows, and leaves out those that another transaction has locked. */
  readonly lock?: boolean
  /** Leaves out the values that carry this id. */
  readonly except?: string | undefined
}

/** Reads a page of sealed values in the order of the primary key. */
export async function readSealed(db: Db, column: SealedColumn, page: SealedPage): Promise<SealedRow[]> {
  const { after, limit, lock = false, except } = page
  const names = [...column.key, ...(column.more ?? [])]
  const value = sql.ref(column.column)
  const conditions = [
    sql`${value} is not null`,
    ...(after ? [sql`(${references(column.key)}) > (${sql.join(after)})`] : []),
    ...(except === undefined ? [] : [sql`substring(${value} for ${sql.lit(1 + KEY_ID_BYTES)}) <> ${headerOf(except)}`]),
  ]
  const { rows } = await sql<{ sealed: Buffer; fields: (string | null)[] }>`
    select ${value} as sealed, array[${sql.join(names.map((name) => sql`${sql.ref(name)}::text`))}] as fields
    from ${sql.table(column.table)} where ${sql.join(conditions, sql` and `)}
    order by ${references(column.key)} limit ${limit} ${lock ? sql`for no key update skip locked` : sql``}`.execute(db)
  return rows.map(({ sealed, fields }) => ({
    sealed,
    key: fields.slice(0, column.key.length).map(String),
    context: column.context(Object.fromEntries(names.flatMap((name, at) => (fields[at] == null ? [] : [[name, fields[at]]])))),
  }))
}

/** Number of values by the id that they carry. */
export async function countById(db: Db, { table, column }: SealedColumn): Promise<Map<string, number>> {
  const value = sql.ref(column)
  const { rows } = await sql<{ id: string; count: number }>`
    select encode(substring(${value} from 2 for ${sql.lit(KEY_ID_BYTES)}), 'hex') as id, count(*) as count
    from ${sql.table(table)} where substring(${value} for 1) = ${Buffer.of(SEALED_VERSION)} group by 1`.execute(db)
  return new Map(rows.map(({ id, count }) => [id, Number(count)]))
}

/** Replaces the value of a row. */
export async function writeSealed(db: Db, column: SealedColumn, key: readonly string[], sealed: Buffer): Promise<void> {
  await sql`update ${sql.table(column.table)} set ${sql.ref(column.column)} = ${sealed}
    where (${references(column.key)}) = (${sql.join(key)})`.execute(db)
}

const references = (names: readonly string[]): RawBuilder<unknown> => sql.join(names.map((name) => sql.ref(name)))

const headerOf = (keyId: string): Buffer => Buffer.concat([Buffer.of(SEALED_VERSION), Buffer.from(keyId, 'hex')])
