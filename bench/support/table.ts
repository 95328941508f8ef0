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
  if (!passes(row)) return '**missed**'
  if (row.aim !== undefined && figureOf(row) <= row.aim) return 'aim reached'
  return row.bar === undefined ? '' : 'bar reached'
}

/** Formats a Markdown table with median, minimum and maximum of the rounds. */
export function toMarkdown(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const show = (value: number) => `${value.toFixed(row.digits)}${row.unit}`
    const limit = (value: number | undefined) => (value === undefined ? '' : `≤ ${value}${row.unit}`)
    const { measured } = row
    const range = typeof measured === 'number' ? '' : ` (${measured.min.toFixed(row.digits)} – ${show(measured.max)})`
    return `| ${row.what} | ${limit(row.bar)} | ${limit(row.aim)} | ${show(figureOf(row))}${range} | ${verdict(row)} |`
  })
  return ['| what | bar | aim | measured | |', '|---|---|---|---|---|', ...lines].join('\n')
}

/** Replaces the text between `<!-- name -->` and `<!-- /name -->` in a document. @throws if the marks are missing. */
export function writeBetweenMarks(file: URL, name: string, text: string): void {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const document = readFileSync(file, 'utf8')
  const [from, to] = [document.indexOf(start), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file.pathname} has no marks ${start} … ${end}`)
  writeFileSync(file, `${document.slice(0, from + start.length)}\n${text}\n${document.slice(to)}`)
}
