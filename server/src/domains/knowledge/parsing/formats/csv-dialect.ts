const DELIMITERS = [',', ';', '\t', '|'] as const
/** Lines of a cell, or of the start that decides the dialect. */
const MAX_CELL_LINES = 100
const SAMPLE_LINES = 60

/**
 * Splits a file into rows of trimmed cells without empty rows. A quote that no quote before a delimiter closes is a character of its
 * cell. `given`: the delimiter that the file's type suggests.
 */
export function splitCsv(text: string, given?: string): string[][] {
  const lines = text.split(/\r\n|\r|\n/)
  const first = lines.findIndex((line) => line.trim() !== '')
  const stated = /^"?sep=(.)"?\s*$/i.exec(lines[first] ?? '')?.[1]
  if (stated !== undefined) lines.splice(first, 1)
  const delimiter = stated ?? delimiterOf(lines, given)
  return splitLines(lines, delimiter)
}

function splitLines(lines: readonly string[], delimiter: string): string[][] {
  const rows: string[][] = []
  // Bounds the work for files with many quotes that are never closed.
  const budget = { characters: 4 * lines.reduce((sum, line) => sum + line.length + 1, 0) }
  let columns = 0
  for (let at = 0; at < lines.length; ) {
    const { cells, used } = quotedRow(lines, at, { delimiter, columns, budget }) ?? {
      cells: (lines[at] ?? '').split(delimiter).map((cell) => cell.trim()),
      used: 1,
    }
    at += used
    if (cells.every((cell) => cell === '')) continue
    columns = Math.max(columns, cells.length)
    rows.push(cells)
  }
  return rows
}

interface Dialect {
  readonly delimiter: string
  /** Cells of the widest row before. */
  readonly columns: number
  readonly budget: { characters: number }
}

/** `used`: number of lines. Undefined: a cell that starts with a quote has no end, or only one in another row. */
function quotedRow(
  lines: readonly string[],
  at: number,
  { delimiter, columns, budget }: Dialect,
): { readonly cells: string[]; readonly used: number } | undefined {
  const cells: string[] = []
  let line = lines[at] ?? ''
  let used = 1
  let isClean = true
  let crossesRow = false
  for (let position = 0; ; position += 1) {
    const start = afterSpaces(line, position)
    if (line.charAt(start) === '"') {
      let from = start + 1
      let cell = ''
      let end = closingQuote(line, from, delimiter)
      while (end === undefined) {
        cell += `${line.slice(from)}\n`
        if (used >= MAX_CELL_LINES || at + used >= lines.length || budget.characters < 0) return undefined
        line = lines[at + used] ?? ''
        used += 1
        budget.characters -= line.length + 1
        crossesRow ||= columns > 1 && line.split(delimiter, columns).length >= columns
        from = 0
        end = closingQuote(line, from, delimiter)
      }
      cell += line.slice(from, end)
      isClean &&= !cell.replaceAll('""', '').includes('"')
      cells.push(cell.replaceAll('""', '"').trim())
      position = afterSpaces(line, end + 1)
    } else {
      const end = line.indexOf(delimiter, position)
      const cell = line.slice(position, end < 0 ? undefined : end)
      cells.push(cell.trim())
      position += cell.length
    }
    if (position >= line.length) break
  }
  return crossesRow && !(isClean && cells.length === columns) ? undefined : { cells, used }
}

function afterSpaces(text: string, at: number): number {
  let end = at
  while (text.charAt(end) === ' ') end += 1
  return end
}

/** The first quote that is not doubled and has a delimiter or the end of the line behind it. */
function closingQuote(text: string, at: number, delimiter: string): number | undefined {
  for (let quote = text.indexOf('"', at); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    const end = afterSpaces(text, quote + 1)
    if (text.charAt(quote + 1) === '"') quote += 1
    else if (end >= text.length || text.charAt(end) === delimiter) return quote
  }
  return undefined
}

/** The delimiter that splits most of the first lines into equally many cells, and into the most. */
function delimiterOf(lines: readonly string[], given: string | undefined): string {
  const sample = lines.slice(0, SAMPLE_LINES).map((line) => line.slice(0, 10_000))
  const filled = sample.filter((line) => line.trim() !== '')
  if (given !== undefined && filled.some((line) => line.includes(given))) return given
  // A comma between digits is a decimal comma, if another delimiter can split the lines.
  const best = bestOf(filled.map((line) => line.replace(/(?<=\d),(?=\d)/g, '.')))
  return best ?? bestOf(filled) ?? ','
}

function bestOf(lines: readonly string[]): string | undefined {
  let best: { readonly delimiter: string; readonly score: number } | undefined
  for (const delimiter of DELIMITERS) {
    const counts = new Map<number, number>()
    for (const { length } of splitLines(lines, delimiter)) counts.set(length, (counts.get(length) ?? 0) + 1)
    for (const [cells, rows] of counts) {
      const score = cells < 2 ? 0 : rows * (1 + Math.log2(cells))
      if (score > (best?.score ?? 0)) best = { delimiter, score }
    }
  }
  return best?.delimiter
}
