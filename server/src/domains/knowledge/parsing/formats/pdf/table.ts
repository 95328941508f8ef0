import { writeLinks } from './links.ts'

interface TableRow {
  readonly top: number
  readonly height: number
  readonly cells: readonly string[]
}

/** Marks of lists, and labels of forms: the text beside them belongs to their line. */
const MARK = /^(?:[•●▪■◦○–—*·o☐☑☒✓✗→-]|\(?(?:\d+|\p{L}|[ivxlc]+)[.):]|(?:\d+\.)+\d*|§\s?\d+\w?)$|:$/u

/** A Markdown table; undefined if the rows are lines with a gap. */
export function tableOf(rows: readonly TableRow[]): string | undefined {
  const columns = rows[0]?.cells.length ?? 0
  if (
    columns === 2 &&
    (rows.length < 3 || rows.filter(({ cells: [first = ''] }) => MARK.test(first.trim())).length * 2 >= rows.length)
  ) {
    return undefined
  }
  const [head, ...body] = mergeContinued(rows).map((cells) => `| ${cells.map(asCell).join(' | ')} |`)
  return [head, `|${' --- |'.repeat(columns)}`, ...body].join('\n')
}

const asCell = (text: string): string => writeLinks(text).replace(/\s+/g, ' ').trim().replaceAll('|', '\\|')

/** Joins the lines of a cell: a line without a first cell that follows closer than the rows do. */
function mergeContinued(rows: readonly TableRow[]): readonly (readonly string[])[] {
  const result: string[][] = []
  const distances = rows.slice(1).flatMap((row, index) => (row.cells[0] ? [(rows[index]?.top ?? row.top) - row.top] : []))
  const usual = distances.length > 0 ? Math.min(...distances.slice(0, 1_000)) : 0
  rows.forEach(({ top, height, cells }, index) => {
    const last = result.at(-1)
    const distance = (rows[index - 1]?.top ?? top) - top
    const isContinued =
      !cells[0] && distance <= Math.max(usual, 1.5 * height) && cells.every((cell, column) => !cell || last?.[column])
    if (last && isContinued) {
      cells.forEach((cell, column) => {
        if (cell) last[column] = `${last[column]} ${cell}`
      })
    } else result.push([...cells])
  })
  return result
}
