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
  return new TableImport(target, { table, rule, columns }, types)
}

class TableImport implements RowSink {
  readonly #target: Target
  readonly #table: string
  readonly #rule: ExportedTable
  readonly #columns: readonly string[]
  readonly #types: ReadonlyMap<string, string>
  /** Ids and late values of the rows that have some. */
  readonly #late: (readonly Value[])[] = []
  #batch: (readonly Value[])[] = []
  #length = 0

  constructor(
    target: Target,
    { table, rule, columns }: { table: string; rule: ExportedTable; columns: readonly string[] },
    types: ReadonlyMap<string, string>,
  ) {
    this.#target = target
    this.#table = table
    this.#rule = rule
    this.#columns = columns
    this.#types = types
  }

  async add(row: readonly Value[]): Promise<void> {
    if (row.length !== this.#columns.length)
      throw new DamagedExportError(`a row of ${this.#table} has the wrong number of values`)
    this.#batch.push(this.#adapt(row))
    this.#length += row.reduce((sum, value) => sum + (value?.length ?? 0), 0)
    if (this.#batch.length >= BATCH_ROWS || this.#length >= BATCH_LENGTH) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.#batch.length === 0) return
    const values = this.#columns.map((name, at) => this.#valueAt(at, name))
    await sql`insert into ${sql.table(this.#table)} (${sql.join(this.#columns.map((name) => sql.ref(name)))}) overriding system value
      select ${sql.join(values)} from json_array_elements(${JSON.stringify(this.#batch)}::json) as r`.execute(this.#target.tx)
    this.#batch = []
    this.#length = 0
  }

  async finish(): Promise<void> {
    const assignments = (this.#rule.late ?? []).map((name, at) => sql`${sql.ref(name)} = ${this.#valueAt(at + 1, name)}`)
    for (let start = 0; start < this.#late.length; start += BATCH_ROWS) {
      const batch = JSON.stringify(this.#late.slice(start, start + BATCH_ROWS))
      await sql`update ${sql.table(this.#table)} set ${sql.join(assignments)} from json_array_elements(${batch}::json) as r
        where id = ${this.#valueAt(0, 'id')}`.execute(this.#target.tx)
    }
    const { sequence } = this.#rule
    if (sequence !== undefined)
      await sql`select setval(pg_get_serial_sequence(${this.#table}, ${sequence}), max(${sql.ref(sequence)}))
        from ${sql.table(this.#table)} having max(${sql.ref(sequence)}) is not null`.execute(this.#target.tx)
  }

  /** The value at this place of a JSON array `r`, with the type of the column. */
  #valueAt(at: number, column: string): RawBuilder<unknown> {
    return sql`(r ->> ${sql.lit(at)})::${sql.raw(this.#types.get(column) ?? 'text')}`
  }

  /** Removes the late values and replaces those that depend on the database. */
  #adapt(row: readonly Value[]): readonly Value[] {
    const { late = [], replaced = {} } = this.#rule
    const at = (name: string): number => this.#columns.indexOf(name)
    if (this.#table === 'message_attachment' && !PLACE.test(row[at('place')] ?? ''))
      throw new DamagedExportError('an attachment has an invalid place in the file store')
    let adapted = row
    if (late.some((name) => row[at(name)] != null)) this.#late.push(['id', ...late].map((name) => row[at(name)] ?? null))
    for (const name of late) adapted = adapted.with(at(name), null)
    for (const [name, value] of Object.entries(replaced)) adapted = adapted.with(at(name), value)
    return adapted
  }
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
