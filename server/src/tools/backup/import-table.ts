import { type RawBuilder, sql } from 'kysely'
import { createVectorTable, isPrivilegeMissing } from '../../domains/retrieval/semantic/prepare-vectors.ts'
import type { Tx } from '../../platform/db/database.ts'
import { counted } from '../../platform/lib/counted.ts'
import { PLACE, type Value } from './export-format.ts'
import { DamagedExportError } from './export-reader.ts'
import { EXPORTED_TABLES, type ExportedTable, listColumns } from './exported-tables.ts'

/** A batch ends at this number of rows or characters. */
const BATCH_ROWS = 500
const BATCH_LENGTH = 4_194_304

export interface RowSink {
  add(row: readonly Value[]): Promise<void>
  flush(): Promise<void>
  /** Call it when all tables are filled: sets the late columns, and moves the sequence behind its numbers. */
  finish(): Promise<void>
}

interface Target {
  readonly tx: Tx
  readonly onSkipped: (text: string) => void
}

/** Prepares a table for its rows. Throws a DamagedExportError if this version has no such table or column. */
export async function openTable(target: Target, table: string, columns: readonly string[]): Promise<RowSink> {
  const rule = Object.hasOwn(EXPORTED_TABLES, table) ? EXPORTED_TABLES[table as keyof typeof EXPORTED_TABLES] : undefined
  if (!rule || 'leftOut' in rule) throw new DamagedExportError(`the export has a table ${table}, which cannot be imported`)
  if (rule.isOptional && !(await canHaveVectors(target.tx))) return skippedTable(table, target.onSkipped)
  const types = new Map((await listColumns(target.tx, table)).map(({ name, type }) => [name, type]))
  const unknown = columns.find((name) => !types.has(name))
  if (unknown !== undefined)
    throw new DamagedExportError(`the export has a column ${table}.${unknown}, which this version does not know`)
  return filledTable(target.tx, { table, rule, columns, types })
}

interface Filled {
  readonly table: string
  readonly rule: ExportedTable
  readonly columns: readonly string[]
  readonly types: ReadonlyMap<string, string>
}

function filledTable(tx: Tx, { table, rule, columns, types }: Filled): RowSink {
  const { late: lateColumns = [], replaced = {}, sequence } = rule
  /** Ids and late values of the rows that have some. */
  const late: (readonly Value[])[] = []
  let batch: (readonly Value[])[] = []
  let length = 0
  /** The value at this place of a JSON array `r`, with the type of the column. */
  const valueAt = (at: number, column: string): RawBuilder<unknown> =>
    sql`(r ->> ${sql.lit(at)})::${sql.raw(types.get(column) ?? 'text')}`
  const adapt = (row: readonly Value[]): readonly Value[] => {
    const at = (name: string): number => columns.indexOf(name)
    if (table === 'message_attachment' && !PLACE.test(row[at('place')] ?? ''))
      throw new DamagedExportError('an attachment has an invalid place in the file store')
    if (lateColumns.some((name) => row[at(name)] != null)) late.push(['id', ...lateColumns].map((name) => row[at(name)] ?? null))
    let adapted = row
    for (const name of lateColumns) adapted = adapted.with(at(name), null)
    for (const [name, value] of Object.entries(replaced)) adapted = adapted.with(at(name), value)
    return adapted
  }
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return
    await sql`insert into ${sql.table(table)} (${sql.join(columns.map((name) => sql.ref(name)))}) overriding system value
      select ${sql.join(columns.map((name, at) => valueAt(at, name)))}
      from json_array_elements(${JSON.stringify(batch)}::json) as r`.execute(tx)
    batch = []
    length = 0
  }
  const add = async (row: readonly Value[]): Promise<void> => {
    if (row.length !== columns.length) throw new DamagedExportError(`a row of ${table} has the wrong number of values`)
    batch.push(adapt(row))
    length += row.reduce((sum, value) => sum + (value?.length ?? 0), 0)
    if (batch.length >= BATCH_ROWS || length >= BATCH_LENGTH) await flush()
  }
  const finish = async (): Promise<void> => {
    const assignments = lateColumns.map((name, at) => sql`${sql.ref(name)} = ${valueAt(at + 1, name)}`)
    for (let start = 0; start < late.length; start += BATCH_ROWS)
      await sql`update ${sql.table(table)} set ${sql.join(assignments)}
        from json_array_elements(${JSON.stringify(late.slice(start, start + BATCH_ROWS))}::json) as r
        where id = ${valueAt(0, 'id')}`.execute(tx)
    if (sequence !== undefined)
      await sql`select setval(pg_get_serial_sequence(${table}, ${sequence}), max(${sql.ref(sequence)}))
        from ${sql.table(table)} having max(${sql.ref(sequence)}) is not null`.execute(tx)
  }
  return { add, flush, finish }
}

function skippedTable(table: string, onSkipped: (text: string) => void): RowSink {
  let rows = 0
  return {
    add: async () => void rows++,
    flush: async () => {},
    finish: async () => {
      if (rows > 0)
        onSkipped(`${table}: ${counted(rows, 'row is', 'rows are')} left out, because this database has no extension vector`)
    },
  }
}

async function canHaveVectors(tx: Tx): Promise<boolean> {
  await sql`savepoint vectors`.execute(tx)
  try {
    return (await createVectorTable(tx)) !== undefined
  } catch (error) {
    if (!isPrivilegeMissing(error)) throw error
    await sql`rollback to savepoint vectors`.execute(tx)
    return false
  }
}
