import { type Block, joinBlocks } from '../office/blocks.ts'
import { type Cell, gridOf, pipeTable } from '../table.ts'
import { childOf, findAll, isOn, type XmlElement } from '../xml.ts'

interface WordCell {
  readonly element: XmlElement
  readonly column: number
  readonly columns: number
  /** Whether the cell continues the one above. */
  readonly merged: boolean
}

/** A Word table as a Markdown table. One cell, or tables in its cells, are layout: their content follows as paragraphs. */
export function readTable(
  table: XmlElement,
  readCell: (cell: XmlElement, shaded: boolean) => Block[],
  countHidden: () => void,
): Block[] {
  const rows: WordCell[][] = []
  for (const row of rowsOf(table)) {
    const properties = childOf(row, 'w:trPr')
    if (childOf(properties, 'w:del') || isOn(properties, 'w:hidden')) countHidden()
    else rows.push(cellsOf(row, properties))
  }
  const isStyled = childOf(table, 'w:tblPr', 'w:tblStyle') !== undefined
  const read = (cell: WordCell) => readCell(cell.element, isStyled || childOf(cell.element, 'w:tcPr', 'w:shd') !== undefined)
  const cells = rows.flat()
  if (cells.length < 2 || cells.some((cell) => findAll(cell.element, 'w:tbl').length > 0)) {
    return cells.filter((cell) => !cell.merged).flatMap(read)
  }
  const grid = gridOf(
    rows.map((row, index) =>
      withGaps(row).flatMap((cell): Cell[] => {
        if (typeof cell === 'number') return [{ text: '', columns: cell }]
        if (cell.merged) return []
        return [{ text: joinBlocks(read(cell)), columns: cell.columns, rows: rowsBelow(rows, index, cell.column) }]
      }),
    ),
  )
  return [{ text: pipeTable(grid) }]
}

/** Rows may be in content controls and in marks of changes. */
const rowsOf = (parent: XmlElement): XmlElement[] => findAll(parent, 'w:tr')

function cellsOf(row: XmlElement, properties: XmlElement | undefined): WordCell[] {
  let column = Number(childOf(properties, 'w:gridBefore')?.attributes.val ?? 0) || 0
  return findAll(row, 'w:tc').map((element) => {
    const own = childOf(element, 'w:tcPr')
    const columns = Math.max(1, Number(childOf(own, 'w:gridSpan')?.attributes.val ?? 1) || 1)
    const merge = childOf(own, 'w:vMerge')
    const cell = { element, column, columns, merged: merge !== undefined && merge.attributes.val !== 'restart' }
    column += columns
    return cell
  })
}

/** Cells, and the numbers of columns before the first one. */
function withGaps(row: readonly WordCell[]): (WordCell | number)[] {
  const before = row[0]?.column ?? 0
  return before > 0 ? [before, ...row] : [...row]
}

/** How many rows a cell covers: those below with a merged cell at its column. */
function rowsBelow(rows: readonly (readonly WordCell[])[], index: number, column: number): number {
  let count = 1
  while (rows[index + count]?.some((cell) => cell.merged && cell.column === column)) count++
  return count
}
