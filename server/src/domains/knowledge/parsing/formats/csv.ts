import { tooMuchText } from '../document.ts'
import { splitCsv } from './csv-dialect.ts'
import { cellText } from './html.ts'

const ROWS_PER_TABLE = 50
/** A title has at most this many lines. */
const MAX_TITLE_ROWS = 30

/**
 * Converts rows to Markdown tables of 50 rows, each with the header and a heading with its row numbers. Rows of one cell above the
 * header are text above the table. `delimiter`: the one that the file's type suggests.
 */
export function readCsv(text: string, limit: number, delimiter?: string): string {
  const all = splitCsv(text, delimiter)
  const headerAt = headerOf(all)
  const header = all[headerAt]
  if (!header) return ''
  const rows = all.slice(headerAt + 1)
  const pieces = all.slice(0, headerAt).map((cells) => cells.filter((cell) => cell !== '').join(' '))
  let length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  for (let first = 0; first === 0 || first < rows.length; first += ROWS_PER_TABLE) {
    const body = rows.slice(first, first + ROWS_PER_TABLE)
    const columns = body.reduce((most, { length: cells }) => Math.max(most, cells), header.length)
    // The body may have more cells than the header has names.
    const names = [...header, ...Array<string>(columns - header.length).fill('')]
    const table = [row(names), `|${' --- |'.repeat(columns)}`, ...body.map((cells) => row(padded(cells, header.length)))].join(
      '\n',
    )
    const heading = `## Rows ${first + 1}–${Math.min(first + ROWS_PER_TABLE, rows.length)}\n\n`
    const piece = rows.length > ROWS_PER_TABLE ? heading + table : table
    length += piece.length
    if (length > limit) throw tooMuchText(limit)
    pieces.push(piece)
  }
  return pieces.join('\n\n')
}

const row = (cells: readonly string[]): string => `| ${cells.map(cellText).join(' | ')} |`

/** Ragged rows get the cells that they lack, up to a width that hostile files cannot use to grow. */
const padded = (cells: readonly string[], columns: number): readonly string[] =>
  cells.length < Math.min(columns, 100) ? [...cells, ...Array<string>(Math.min(columns, 100) - cells.length).fill('')] : cells

/** The position of the header: the first row that has more than a title has, if a wider row follows. */
function headerOf(rows: readonly string[][]): number {
  const sample = rows.slice(0, 2 * MAX_TITLE_ROWS)
  const columns = commonWidth(sample)
  if (columns < 2) return 0
  const at = sample.slice(0, MAX_TITLE_ROWS).findIndex((cells) => !isTitle(cells, columns))
  return Math.max(at, 0)
}

/** The width of most rows, if at least two have it; wide rows count more, because titles are narrow. */
function commonWidth(rows: readonly string[][]): number {
  const counts = new Map<number, number>()
  for (const cells of rows) counts.set(cells.length, (counts.get(cells.length) ?? 0) + 1)
  const shared = [...counts].filter(([, count]) => count > 1)
  return shared.reduce((best, each) => (each[0] * each[1] > best[0] * best[1] ? each : best), [0, 0] as const)[0]
}

/** A row that has a text in its first cell, and in at most half of the columns in total. */
function isTitle(cells: readonly string[], columns: number): boolean {
  const filled = cells.filter((cell) => cell !== '').length
  return cells[0] !== '' && 2 * filled <= columns && filled <= 2
}
