import { readFileSync, writeFileSync } from 'node:fs'
import type { Spread } from './statistics.ts'

/** One line of a benchmark's table. */
export interface Row {
  readonly what: string
  readonly unit: string
  readonly bar?: number
  readonly aim?: number
  /** The spread of several rounds, or one figure. */
  readonly measured: Spread | number
  /** Places after the decimal point. */
  readonly digits: number
}

const figureOf = ({ measured }: Row): number => (typeof measured === 'number' ? measured : measured.median)

/** Returns false if the bar is missed. A line without a bar always passes. */
export const passes = (row: Row): boolean => row.bar === undefined || figureOf(row) <= row.bar

function verdict(row: Row): string {
  const { bar, aim, unit } = row
  if (!passes(row)) return `, **bar ≤ ${bar}${unit} missed**`
  if (aim !== undefined && figureOf(row) <= aim) return `, aim ≤ ${aim}${unit} reached`
  return bar === undefined ? '' : `, bar ≤ ${bar}${unit} reached`
}

/** Median of the rounds, minimum and maximum, and whether the bar is reached. */
function cell(row: Row): string {
  const show = (value: number) => `${value.toFixed(row.digits)}${row.unit}`
  const { measured } = row
  const range = typeof measured === 'number' ? '' : ` (${measured.min.toFixed(row.digits)} – ${show(measured.max)})`
  return `${show(figureOf(row))}${range}${verdict(row)}`
}

/** Formats a Markdown table with a column for each of `columns`, for example a database. */
export function toMarkdown(columns: Readonly<Record<string, readonly Row[]>>): string {
  const lines = [...new Set(Object.values(columns).flatMap((rows) => rows.map(({ what }) => what)))].map((what) => {
    const found = Object.values(columns).map((rows) => rows.find((row) => row.what === what))
    return `| ${[what, ...found.map((row) => (row ? cell(row) : ''))].join(' | ')} |`
  })
  const titles = Object.keys(columns)
  return [`| | ${titles.join(' | ')} |`, `|---|${titles.map(() => '---|').join('')}`, ...lines].join('\n')
}

/** Replaces the text between `<!-- name -->` and `<!-- /name -->` in a document. @throws if the marks are missing. */
export function writeBetweenMarks(file: URL, name: string, text: string): void {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const document = readFileSync(file, 'utf8')
  const [from, to] = [document.indexOf(start), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file.pathname} has no marks ${start} … ${end}`)
  writeFileSync(file, `${document.slice(0, from + start.length)}\n${text}\n${document.slice(to)}`)
}
