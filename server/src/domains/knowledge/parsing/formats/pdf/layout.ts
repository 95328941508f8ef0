import { textOfSegment } from './line-text.ts'
import { type Line, paragraphsOf } from './paragraphs.ts'
import { type Letter, type Row, rowsOf, type Segment } from './segments.ts'
import { tableOf } from './table.ts'

/** The narrowest gap between columns, in heights of the letters. */
const GUTTER = 1
/** Rows further apart, in heights of the letters, do not belong to the same columns. */
const REGION_GAP = 4
/** Lines further apart, in heights of the letters, do not go on in a paragraph. */
const LINE_GAP = 1.7
/** Lines nearer than this, in heights of the letters, stand beside each other. */
const OVERLAP = 0.9

/** Paragraphs and tables of the letters of one direction, separated by blank lines. */
export function textOfFrame(letters: readonly Letter[]): string {
  return blocksOf(rowsOf(letters)).join('\n\n')
}

/** Rows that share gaps between their columns. */
interface Region {
  readonly rows: readonly Row[]
  /** Where one column ends and the next begins. */
  readonly gutters: readonly Interval[]
}

type Interval = readonly [from: number, to: number]

function blocksOf(rows: readonly Row[]): string[] {
  const blocks: string[] = []
  let lines: Line[] = []
  const flush = () => {
    blocks.push(...paragraphsOf(lines))
    lines = []
  }
  for (let index = 0; index < rows.length; ) {
    const region = regionAt(rows, index)
    const read = region && readRegion(region)
    if (region && read) {
      flush()
      blocks.push(...read)
      index += region.rows.length
      continue
    }
    // A region that is neither columns nor a table is read line by line.
    for (const row of region?.rows ?? rows.slice(index, index + 1)) lines.push(lineOf(row))
    index += region?.rows.length ?? 1
  }
  flush()
  return blocks
}

const lineOf = ({ segments, v, size }: Row): Line => ({
  text: segments.map(textOfSegment).join(' '),
  top: v,
  height: size,
  left: segments[0]?.u ?? 0,
})

/** The longest region that starts at this row; undefined if the row and the next ones share no gap. */
function regionAt(rows: readonly Row[], start: number): Region | undefined {
  const first = rows[start]
  if (!first) return undefined
  const leading = gapsOf(rows, start).length === 0 ? leadingRows(rows, start) : 0
  let gutters = gapsOf(rows, start + leading)
  let shared = gutters
  let end = start + leading + 1
  let split = 1
  let last = end
  for (; end < rows.length && gutters.length > 0; end += 1) {
    const row = rows[end]
    const before = rows[end - 1]
    if (!row || !before || before.v - row.v > REGION_GAP * Math.max(before.size, row.size)) break
    gutters = gutters.flatMap((gutter) => freeOf(gutter, row))
    if (gutters.length === 0) break
    shared = gutters
    const isSplit = row.segments.length > 1 || before.v - row.v < OVERLAP * row.size
    if (isSplit) split += 1
    if (isSplit || isPartOfColumn(row, before, gutters)) last = end + 1
  }
  const within = rows.slice(start, last)
  const all = shared.filter((gutter) => within.every((row) => freeOf(gutter, row).length > 0))
  return split > 1 && all.length > 0 ? { rows: within, gutters: all } : undefined
}

/** Rows above the first one with a gap, which belong to its columns: the higher lines of one of two columns. */
function leadingRows(rows: readonly Row[], start: number): number {
  for (let index = start; index < Math.min(start + 4, rows.length - 1); index += 1) {
    const [row, next] = [rows[index], rows[index + 1]]
    if (!row || !next || row.v - next.v > LINE_GAP * Math.max(row.size, next.size)) return 0
    const gaps = gapsOf(rows, index + 1)
    if (gaps.length === 0) continue
    const isWithin = rows.slice(start, index + 1).every((line) => gaps.some((gap) => freeOf(gap, line).length > 0))
    return isWithin ? index + 1 - start : 0
  }
  return 0
}

/** A line that goes on in one column, and does not begin a text below the columns. */
function isPartOfColumn({ segments: [segment], v, size }: Row, before: Row, gutters: readonly Interval[]): boolean {
  if (segment === undefined) return false
  return gutters.some(([from]) => segment.u >= from) || before.v - v <= LINE_GAP * Math.max(before.size, size)
}

/** The gaps between the segments of a row and of the rows that reach into its height: columns may have different lines. */
function gapsOf(rows: readonly Row[], index: number): readonly Interval[] {
  const row = rows[index]
  if (!row) return []
  const beside = rows.slice(index + 1, index + 4).filter(({ v }) => row.v - v < OVERLAP * row.size)
  const segments = [row, ...beside].flatMap((near) => near.segments).sort((one, other) => one.u - other.u)
  let end = Number.POSITIVE_INFINITY
  return segments.flatMap((segment): readonly Interval[] => {
    const gap = segment.u - end >= GUTTER * row.size ? [[end, segment.u] as const] : []
    end = end === Number.POSITIVE_INFINITY ? segment.end : Math.max(end, segment.end)
    return gap
  })
}

/** The parts of a gutter that a row leaves free. */
function freeOf([from, to]: Interval, { segments, size }: Row): readonly Interval[] {
  let free: Interval[] = [[from, to]]
  for (const { u, end } of segments)
    free = free.flatMap(([left, right]): Interval[] =>
      end <= left || u >= right
        ? [[left, right]]
        : [
            [left, Math.min(right, u)],
            [Math.max(left, end), right],
          ],
    )
  return free.filter(([left, right]) => right - left >= GUTTER * size)
}

/** Blocks of a region; undefined if it is read line by line. */
function readRegion({ rows, gutters }: Region): readonly string[] | undefined {
  const columns = gutters.length + 1
  const columnOf = ({ u }: Segment) => gutters.filter(([, to]) => u >= to - 0.01).length
  const cells = rows.map((row) =>
    Array.from({ length: columns }, (_, column) => row.segments.filter((part) => columnOf(part) === column)),
  )
  const both = cells.filter((row) => row.filter((cell) => cell.length > 0).length > 1).length
  if (isReadByColumn(rows, cells, columnOf)) {
    return Array.from({ length: columns }, (_, column) => column).flatMap((column) =>
      blocksOf(
        rows.flatMap((row, index) => {
          const segments = cells[index]?.[column] ?? []
          return segments.length > 0 ? [{ ...row, v: segments[0]?.v ?? row.v, segments }] : []
        }),
      ),
    )
  }
  if (both < 2) return undefined
  const table = tableOf(
    rows.map(({ v, size }, index) => ({
      top: v,
      height: size,
      cells: (cells[index] ?? []).map((cell) => cell.map(textOfSegment).join(' ')),
    })),
  )
  return table === undefined ? undefined : [table]
}

/** A column of fewer words a line is a column of a table. */
const PROSE_WORDS = 3.5
const SHORT_CELL = 16

/** Whether the columns are texts beside each other. The order in which the file paints them decides, unless it is a table's. */
function isReadByColumn(rows: readonly Row[], cells: readonly Segment[][][], columnOf: (segment: Segment) => number): boolean {
  const painted = rows.flatMap(({ segments }) => segments).sort((one, other) => one.at - other.at)
  const changes = painted.slice(1).filter((segment, index) => columnOf(segment) !== columnOf(painted[index] ?? segment)).length
  const columns = cells[0]?.length ?? 0
  const texts = Array.from({ length: columns }, (_, column) =>
    cells.flatMap((row) => (row[column]?.length ? [(row[column] ?? []).map(textOfSegment).join(' ')] : [])),
  )
  const isProse = texts.every(
    (column) => column.length > 1 && average(column.map((text) => text.split(' ').length)) >= PROSE_WORDS,
  )
  if (changes > columns - 1) return isProse && rows.length > 2
  const isFull = cells.every((row) => row.every((cell) => cell.length > 0))
  const isShort = texts.every((column) => average(column.map((text) => text.length)) < SHORT_CELL)
  return isProse || !(isFull && isShort && columns > 2)
}

const average = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / Math.max(values.length, 1)
