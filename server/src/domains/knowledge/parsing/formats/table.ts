import { tooMuchText } from '../document.ts'
import { cellText } from './html.ts'

const ROWS_PER_TABLE = 50

/** A Markdown table. Shorter rows get empty cells; an empty table is an empty string. */
export function pipeTable([header, ...rows]: readonly (readonly string[])[]): string {
  if (!header) return ''
  return [row(header), `|${' --- |'.repeat(header.length)}`, ...rows.map(row)].join('\n')
}

/** Tables of 50 rows, each with the header and, if there are several, a heading: `## Rows 1–50`. */
export function splitTable(
  [header, ...rows]: readonly (readonly string[])[],
  { limit, marks = '##', firstRow = 1 }: { readonly limit: number; readonly marks?: string; readonly firstRow?: number },
): string {
  if (!header) return ''
  const pieces: string[] = []
  let length = 0
  for (let first = 0; first === 0 || first < rows.length; first += ROWS_PER_TABLE) {
    const body = rows.slice(first, first + ROWS_PER_TABLE)
    const heading = `${marks} Rows ${first + firstRow}–${first + body.length - 1 + firstRow}\n\n`
    const piece = (rows.length > ROWS_PER_TABLE ? heading : '') + pipeTable([header, ...body])
    length += piece.length
    if (length > limit) throw tooMuchText(limit)
    pieces.push(piece)
  }
  return pieces.join('\n\n')
}

const row = (cells: readonly string[]): string => `| ${cells.map(cellText).join(' | ')} |`

/** A cell that covers several columns or rows. */
export interface Cell {
  readonly text: string
  readonly columns?: number
  readonly rows?: number
}

const MAX_COLUMNS = 1_000

/** Rows with equally many cells. A value is repeated in the rows that its cell covers, and the other columns that it covers are empty. */
export function gridOf(rows: readonly (readonly Cell[])[]): string[][] {
  const open: { text: string; left: number }[] = []
  const grid = rows.map((cells) => {
    const values: string[] = []
    const next = cells.values()
    for (;;) {
      const above = open[values.length]
      if (above && above.left > 0) {
        above.left--
        values.push(above.text)
        continue
      }
      const cell = next.next().value
      if (!cell) {
        if (values.length >= open.length) break
        values.push('')
        continue
      }
      const columns = Math.min(cell.columns ?? 1, MAX_COLUMNS - values.length)
      for (let column = 0; column < columns; column++) {
        const text = column === 0 ? cell.text : ''
        open[values.length] = { text, left: (cell.rows ?? 1) - 1 }
        values.push(text)
      }
      if (columns <= 0) break
    }
    return values
  })
  const width = grid.reduce((most, values) => Math.max(most, values.length), 0)
  return grid.map((values) => [...values, ...Array<string>(width - values.length).fill('')])
}
