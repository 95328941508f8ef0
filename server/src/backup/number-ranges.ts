import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import type { Value } from './export-format.ts'
import { DamagedExportError } from './export-reader.ts'
import { EXPORTED_TABLES } from './exported-tables.ts'

/** Distance to the numbers in use: other transactions may take numbers while a range is reserved. */
const GAP = 1_000

/** The numbers in an export that sequences of the source have given (`ExportedTable.numbers`). */
export class NumberRanges {
  /** The highest number by table. */
  readonly #highest = new Map<string, number>()

  add(table: string, columns: readonly string[], row: readonly Value[]): void {
    const column = OWN_NUMBERS.get(table)
    if (column === undefined) return
    const number = Number(row[columns.indexOf(column)])
    if (!Number.isSafeInteger(number) || number < 1)
      throw new DamagedExportError(`the export has a row of the table ${table} whose ${column} is not a number of a sequence`)
    this.#highest.set(table, Math.max(this.#highest.get(table) ?? 0, number))
  }

  /** Moves the sequences on, and returns what is added to the numbers of each table. In an empty database the numbers stay. */
  async reserve(tx: Tx, isEmpty: boolean): Promise<ReadonlyMap<string, number>> {
    const offsets = new Map<string, number>()
    for (const [table, highest] of this.#highest) {
      const name = sql`pg_get_serial_sequence(${table}, ${OWN_NUMBERS.get(table)})`
      const next = isEmpty ? sql`${highest}::bigint` : sql`nextval(${name}) + ${GAP}::bigint + ${highest}::bigint`
      const { rows } = await sql<{ last: number }>`select setval(${name}, ${next}) as last`.execute(tx)
      offsets.set(table, Number(rows[0]?.last ?? 0) - highest)
    }
    return offsets
  }
}

/** Tables with a sequence, and its column. */
const OWN_NUMBERS: ReadonlyMap<string, string> = new Map(
  Object.entries(EXPORTED_TABLES).flatMap(([table, rule]) =>
    'leftOut' in rule
      ? []
      : Object.entries(rule.numbers ?? {}).flatMap(([column, of]): [string, string][] => (of === table ? [[table, column]] : [])),
  ),
)
