import type { Block } from '../office/blocks.ts'
import { type Cell, gridOf, pipeTable } from '../table.ts'
import { childrenOf, findAll, textIn, type XmlElement } from '../xml.ts'

/** Repeated empty rows and columns fill a sheet to its end; repeated values are bounded. */
const MAX_REPEATED = 1_000
const COLUMNS = /^table:(?:table-column|table-columns|table-header-columns|table-column-group)$/

/** A table as Markdown. A cell alone is layout: its text is a paragraph. */
export function odfTable(table: XmlElement, read: (cell: XmlElement) => string, countHidden: () => void): Block[] {
  const rows = odfRows(table, read, countHidden)
  const filled = rows.filter((row) => row.some(({ text }) => text !== ''))
  if (rows.flat().length < 2) return filled.flat().map(({ text }) => ({ text }))
  return filled.length === 0 ? [] : [{ text: pipeTable(withoutEmptyEnd(gridOf(filled))) }]
}

/** The visible rows of a table. */
export function odfRows(table: XmlElement, read: (cell: XmlElement) => string, countHidden: () => void): Cell[][] {
  const hiddenColumns = hiddenColumnsOf(table)
  return findAll(table, 'table:table-row').flatMap((row) => {
    if (isHidden(row)) {
      if (textIn(row).trim() !== '') countHidden()
      return []
    }
    const cells = cellsOf(row, read, hiddenColumns, countHidden)
    const repeated = cells.some(({ text }) => text !== '')
      ? Math.min(Number(row.attributes['number-rows-repeated'] ?? 1), MAX_REPEATED)
      : 1
    return Array.from({ length: repeated }, () => cells)
  })
}

const isHidden = ({ attributes }: XmlElement): boolean => /^(?:collapse|filter)$/.test(attributes.visibility ?? '')

function hiddenColumnsOf(table: XmlElement): ReadonlySet<number> {
  const hidden = new Set<number>()
  let column = 0
  const visit = (parent: XmlElement): void => {
    for (const child of childrenOf(parent)) {
      if (!COLUMNS.test(child.name)) continue
      if (child.name !== 'table:table-column') {
        visit(child)
        continue
      }
      const count = Math.min(Number(child.attributes['number-columns-repeated'] ?? 1), MAX_REPEATED)
      if (isHidden(child)) for (let index = 0; index < count; index++) hidden.add(column + index)
      column += count
    }
  }
  visit(table)
  return hidden
}

function cellsOf(
  row: XmlElement,
  read: (cell: XmlElement) => string,
  hidden: ReadonlySet<number>,
  countHidden: () => void,
): Cell[] {
  const cells: Cell[] = []
  let column = 0
  for (const cell of childrenOf(row)) {
    if (!/^table:(?:table-cell|covered-table-cell)$/.test(cell.name)) continue
    const { attributes } = cell
    const repeated = Math.min(Number(attributes['number-columns-repeated'] ?? 1), MAX_REPEATED)
    const text = cell.name === 'table:table-cell' ? read(cell) : ''
    for (let index = 0; index < repeated; index++) {
      const isCovered = cell.name === 'table:covered-table-cell'
      if (hidden.has(column)) {
        if (text !== '') countHidden()
      } else if (!isCovered) {
        cells.push({
          text,
          columns: Number(attributes['number-columns-spanned'] ?? 1) || 1,
          rows: Number(attributes['number-rows-spanned'] ?? 1) || 1,
        })
      }
      column++
    }
  }
  while (cells.length > 0 && cells.at(-1)?.text === '' && cells.at(-1)?.rows === 1) cells.pop()
  return cells
}

/** Without the columns at the end that are empty in all rows. */
function withoutEmptyEnd(grid: readonly (readonly string[])[]): string[][] {
  const width = grid.reduce((most, row) => Math.max(most, row.findLastIndex((text) => text !== '') + 1), 0)
  return grid.map((row) => row.slice(0, width))
}
