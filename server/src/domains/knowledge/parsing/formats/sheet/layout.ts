import { type Block, escapeLines } from '../office/blocks.ts'
import { splitTable } from '../table.ts'

export interface SheetCell {
  readonly text: string
  /** A number, date or truth value: its row is not a header. */
  readonly isValue: boolean
}

/** A row of a sheet by its number from 1. Cells are by column from 0; missing ones are empty. */
export interface SheetRow {
  readonly number: number
  readonly cells: readonly (SheetCell | undefined)[]
}

/**
 * The rows of a sheet as tables and lines of text. Empty rows part the tables; rows of one cell before a table are its title. Rows
 * after an empty one continue the table before if their first row has values, because it is not a header then.
 */
export function layoutSheet(rows: readonly SheetRow[], limit: number): Block[] {
  const blocks: Block[] = []
  let table: SheetRow[] = []
  const finish = () => {
    if (table.length > 0) blocks.push({ text: tableOf(table, limit) })
    table = []
  }
  let last = 0
  let gap: boolean
  for (const row of rows) {
    const filled = row.cells.filter((cell) => cell && cell.text !== '')
    if (filled.length === 0) continue
    gap = row.number > last + 1
    last = row.number
    const isLine = filled.length === 1 && (table.length === 0 || (gap && !filled[0]?.isValue))
    if (isLine) {
      finish()
      blocks.push({ text: escapeLines(filled[0]?.text ?? '') })
      continue
    }
    if (gap && !filled.some((cell) => cell?.isValue)) finish()
    table.push(row)
  }
  finish()
  return blocks
}

/** Without columns that are empty in all rows. */
function tableOf(rows: readonly SheetRow[], limit: number): string {
  const used = new Set<number>()
  for (const row of rows) for (const [column, cell] of row.cells.entries()) if (cell && cell.text !== '') used.add(column)
  const columns = [...used].sort((a, b) => a - b)
  const values = rows.map((row) => columns.map((column) => row.cells[column]?.text ?? ''))
  return splitTable(values, { limit, marks: '###' })
}
