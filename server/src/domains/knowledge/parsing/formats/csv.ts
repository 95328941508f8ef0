import { parse } from 'csv-parse/sync'
import { DocumentError, tooMuchText } from '../document.ts'
import { cellText } from './html.ts'

const DELIMITERS = [',', ';', '\t', '|'] as const
const ROWS_PER_TABLE = 50

/** Converts rows to Markdown tables of 50 rows, each with the header and a heading with its row numbers. */
export function readCsv(text: string, limit: number): string {
  const [header, ...rows] = parseRows(text)
  if (!header) return ''
  const pieces: string[] = []
  let length = 0
  for (let first = 0; first === 0 || first < rows.length; first += ROWS_PER_TABLE) {
    const body = rows.slice(first, first + ROWS_PER_TABLE).map(row)
    const table = [row(header), `|${' --- |'.repeat(header.length)}`, ...body].join('\n')
    const heading = `## Rows ${first + 1}–${Math.min(first + ROWS_PER_TABLE, rows.length)}\n\n`
    const piece = rows.length > ROWS_PER_TABLE ? heading + table : table
    length += piece.length
    if (length > limit) throw tooMuchText(limit)
    pieces.push(piece)
  }
  return pieces.join('\n\n')
}

const row = (cells: readonly string[]): string => `| ${cells.map(cellText).join(' | ')} |`

function parseRows(text: string): string[][] {
  try {
    return parse(text, {
      delimiter: delimiterOf(text),
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    })
  } catch {
    throw new DocumentError('broken', 'The CSV file ends within a quoted cell. Close the quote and upload it again.')
  }
}

/** The delimiter that splits the first lines into equally many cells, and into the most. */
function delimiterOf(text: string): string {
  const lines = text
    .slice(0, 65_536)
    .replace(/"(?:[^"]|"")*"/g, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, 20)
  let best: { delimiter: string; score: number } = { delimiter: ',', score: 0 }
  for (const delimiter of DELIMITERS) {
    const counts = lines.map((line) => line.split(delimiter).length - 1)
    const first = counts[0] ?? 0
    const score = (first * counts.filter((count) => count === first).length) / lines.length
    if (score > best.score) best = { delimiter, score }
  }
  return best.delimiter
}
