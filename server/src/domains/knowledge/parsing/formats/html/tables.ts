import { childElements, type DomElement, type DomNode, elementsOf, lineOf, nameOf } from './dom.ts'

/** Bounds the cells that hostile spans can add. */
const MAX_ADDED = 20_000
const MAX_SPAN = 50
/** A longer text is not repeated in the rows that its cell spans. */
const MAX_REPEATED = 200

const SECTIONS = new Set(['THEAD', 'TBODY', 'TFOOT'])
const isCell = (element: DomElement): boolean => /^T[DH]$/.test(nameOf(element))

/** Nested tables and tables of one cell are layout. */
export function isLayout(table: DomElement): boolean {
  return table.getElementsByTagName('table').length > 0 || table.querySelectorAll('td, th').length < 2
}

/** Puts each cell of data tables under its column: cells over several rows are repeated, those over several columns get empty ones. */
export function alignTables(root: DomElement): void {
  const budget = { cells: MAX_ADDED }
  for (const table of elementsOf(root, new Set(['TABLE']))) {
    if (isLayout(table)) continue
    const groups: DomElement[][] = [[]]
    for (const child of childElements(table)) {
      if (nameOf(child) === 'TR') groups.at(-1)?.push(child)
      else if (SECTIONS.has(nameOf(child)))
        groups.push(
          childElements(child).filter((row) => nameOf(row) === 'TR'),
          [],
        )
    }
    for (const rows of groups) alignRows(rows, budget)
    widenHeader(groups.flat(), budget)
    // Browsers show it at the end, wherever it is.
    for (const foot of childElements(table)) if (nameOf(foot) === 'TFOOT') table.appendChild(foot)
  }
}

interface Span {
  /** Undefined: nothing is repeated. */
  readonly cell?: DomElement | undefined
  rows: number
}

function alignRows(rows: readonly DomElement[], budget: { cells: number }): void {
  const spans: (Span | undefined)[] = []
  for (const row of rows) {
    let column = 0
    /** Adds the cells that rows above span into this one, up to the column `end` or a free column. */
    const fill = (before: DomElement | null, end?: number) => {
      while (end === undefined ? (spans[column]?.rows ?? 0) > 0 : column < end) {
        const span = spans[column]
        const isSpanned = span !== undefined && span.rows > 0
        if (isSpanned) span.rows -= 1
        addCell(row, before, budget, isSpanned ? span.cell : undefined)
        column += 1
      }
    }
    for (const cell of childElements(row).filter(isCell)) {
      fill(cell)
      const [columns, height] = [spanOf(cell, 'colspan'), spanOf(cell, 'rowspan')]
      const repeated = lineOf(cell).length <= MAX_REPEATED ? cell : undefined
      for (let index = 0; index < columns; index += 1) {
        if (height > 1) spans[column] = { cell: index === 0 ? repeated : undefined, rows: height - 1 }
        if (index > 0) addCell(row, cell.nextSibling, budget)
        column += 1
      }
    }
    fill(null, 1 + spans.findLastIndex((span) => (span?.rows ?? 0) > 0))
  }
}

/** `rowspan="0"`: down to the end. */
function spanOf(cell: DomElement, name: 'colspan' | 'rowspan'): number {
  const value = Number.parseInt(cell.getAttribute(name) ?? '1', 10)
  if (name === 'rowspan') return value === 0 ? 65_534 : Math.min(Math.max(value || 1, 1), 65_534)
  return Math.min(Math.max(value || 1, 1), MAX_SPAN)
}

function addCell(row: DomElement, before: DomNode | null, budget: { cells: number }, repeated?: DomElement): void {
  if (budget.cells <= 0) return
  budget.cells -= 1
  row.insertBefore(repeated?.cloneNode(true) ?? row.ownerDocument.createElement('td'), before)
}

/** The first row names every column, even if it has fewer cells than the others. */
function widenHeader(rows: readonly DomElement[], budget: { cells: number }): void {
  const widths = rows.map((row) => childElements(row).filter(isCell).length)
  const most = widths.reduce((width, each) => Math.max(width, each), 0)
  const [header] = rows
  for (let width = widths[0] ?? 0; header && width < most; width += 1) addCell(header, null, budget)
}
