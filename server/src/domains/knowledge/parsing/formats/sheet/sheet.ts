import type { Warnings } from '../../warning.ts'
import type { Block } from '../office/blocks.ts'
import { escapeLines } from '../office/blocks.ts'
import { shownText, shownValue } from '../office/number-format.ts'
import { childOf, childrenOf, parseXml, textIn, type XmlElement } from '../xml.ts'
import { layoutSheet, type SheetCell, type SheetRow } from './layout.ts'

/** Values that the sheets of a workbook share. */
export interface Workbook {
  readonly strings: readonly string[]
  /** The number format of each style. */
  readonly formats: readonly string[]
  readonly from1904: boolean
  readonly limit: number
  readonly warnings: Warnings
}

const MAX_COLUMN = 16_384

/** The visible cells of a sheet, with its printed header and footer. */
export function readSheet(xml: string, { limit, warnings, ...workbook }: Workbook, place: string): Block[] {
  const hiddenColumns: { from: number; to: number }[] = []
  const rows: SheetRow[] = []
  let next = 1
  let hidden = 0
  const takeRow = (element: XmlElement) => {
    const number = Number(element.attributes.r ?? next) || next
    next = number + 1
    const cells = cellsOf(element)
    if (isTrue(element.attributes.hidden)) {
      hidden += cells.some((cell) => cell !== undefined) ? 1 : 0
      return
    }
    rows.push({ number, cells })
  }
  const cellsOf = (row: XmlElement): (SheetCell | undefined)[] => {
    const cells: (SheetCell | undefined)[] = []
    for (const cell of childrenOf(row, 'x:c')) {
      const column = columnOf(cell.attributes.r) ?? cells.length
      if (column >= MAX_COLUMN) continue
      while (cells.length < column) cells.push(undefined)
      cells[column] = cellOf(cell)
    }
    return cells
  }
  const cellOf = (cell: XmlElement): SheetCell | undefined => {
    const written = writtenValue(cell, workbook.strings)
    if (written === '') {
      if (childOf(cell, 'x:f')) warnings.add('ignored_part', { place, detail: 'formula without a value' })
      return undefined
    }
    const shown = shownCell(cell, written, workbook)
    if (shown === '') warnings.add('hidden_text', { place })
    return { text: shown, isValue: /^(?:n|b|d|e)$/.test(cell.attributes.t ?? 'n') }
  }
  const sheet = parseXml(
    xml,
    new Map([
      ['x:row', takeRow],
      [
        'x:col',
        ({ attributes: { min, max, hidden: isHidden } }: XmlElement) => {
          if (isTrue(isHidden)) hiddenColumns.push({ from: Number(min) - 1, to: Number(max) - 1 })
        },
      ],
    ]),
  )
  const isHidden = (column: number) => hiddenColumns.some(({ from, to }) => column >= from && column <= to)
  repeatMerged(rows, sheet)
  const visible = rows.map((row) => ({ ...row, cells: row.cells.map((cell, column) => (isHidden(column) ? undefined : cell)) }))
  const used = new Set(
    rows.flatMap(({ cells }) => [...cells.keys()].filter((column) => cells[column] !== undefined && isHidden(column))),
  )
  warnings.add('hidden_text', { place, count: hidden + used.size })
  const printed = (kind: string) => ['odd', 'even', 'first'].map((page) => printedText(sheet, `x:${page}${kind}`))
  const lines = [...new Set([...printed('Header'), ...printed('Footer')])].map((text) => ({ text: escapeLines(text) }))
  return [...layoutSheet(visible, limit), ...lines]
}

function shownCell(cell: XmlElement, written: string, { formats, from1904 }: Pick<Workbook, 'formats' | 'from1904'>): string {
  const code = formats[Number(cell.attributes.s ?? 0)] ?? 'General'
  switch (cell.attributes.t ?? 'n') {
    case 'b':
      return written === '1' ? 'TRUE' : 'FALSE'
    case 'n':
      return shownValue(written, code, from1904)
    case 'd':
    case 'e':
      return written
    default:
      return shownText(written, code)
  }
}

function writtenValue(cell: XmlElement, strings: readonly string[]): string {
  if (cell.attributes.t === 'inlineStr') return richText(childOf(cell, 'x:is'))
  const value = textIn(childOf(cell, 'x:v'))
  if (cell.attributes.t === 's') return strings[Number(value)] ?? ''
  return cell.attributes.t === 'str' ? unescaped(value) : value
}

/** The text of a string with formats, without the guides to its pronunciation. */
export function richText(element: XmlElement | undefined): string {
  const pieces = childrenOf(element).filter(({ name }) => name === 'x:t' || name === 'x:r')
  return unescaped(pieces.map((piece) => textIn(piece.name === 'x:t' ? piece : childOf(piece, 'x:t'))).join(''))
}

/** `_x000D_` stands for a character that XML does not allow. */
const unescaped = (text: string): string =>
  text.includes('_x')
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : text

/** Gives all rows of a merged cell its value, if the cell is filled. */
function repeatMerged(rows: SheetRow[], sheet: XmlElement): void {
  const byNumber = new Map(rows.map((row, index) => [row.number, index]))
  for (const { attributes } of childrenOf(childOf(sheet, 'x:mergeCells'), 'x:mergeCell').slice(0, MAX_MERGED)) {
    const [, column, from, to] = /^([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})$/.exec(attributes.ref ?? '') ?? []
    const at = columnOf(column)
    const first = byNumber.get(Number(from))
    if (at === undefined || first === undefined) continue
    const value = rows[first]?.cells[at]
    for (let index = first + 1; value && index < rows.length && (rows[index]?.number ?? 0) <= Number(to); index++) {
      const row = rows[index]
      if (!row?.cells.some((cell) => cell !== undefined)) continue
      const cells = [...row.cells]
      while (cells.length < at) cells.push(undefined)
      cells[at] = value
      rows[index] = { ...row, cells }
    }
  }
}

const MAX_MERGED = 20_000

/** The column from 0 of a reference such as `AB12`. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  return letters === undefined
    ? undefined
    : [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

/** The printed text without codes for fonts, page numbers and dates. */
function printedText(sheet: XmlElement, name: string): string {
  const text = textIn(childOf(sheet, 'x:headerFooter', name))
  return text
    .replace(/&(?:"[^"]*"|K[0-9A-F]{6}|\d{1,3}|[PNDTFAZGBIUESXYOH])/g, ' ')
    .replace(/&[LCR]/g, '\n')
    .replaceAll('&&', '&')
    .replace(/[ \t]+/g, ' ')
    .trim()
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true'
