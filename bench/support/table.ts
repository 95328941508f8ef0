import { readFileSync, writeFileSync } from 'node:fs'
import type { Spread } from './statistics.ts'

/** One line of a benchmark's table. */
export interface Row {
  readonly what: string
  readonly unit: string
  readonly bar?: number
  readonly aim?: number
  /** Several rounds, or one figure. */
  readonly measured: Spread | number
  /** Places after the decimal point. */
  readonly digits: number
}

const figureOf = ({ measured }: Row): number => (typeof measured === 'number' ? measured : measured.median)

/** False when a bar is missed; a line without a bar is for information. */
export const passes = (row: Row): boolean => row.bar === undefined || figureOf(row) <= row.bar

function verdict(row: Row): string {
  if (!passes(row)) return '**missed**'
  if (row.aim !== undefined && figureOf(row) <= row.aim) return 'aim reached'
  return row.bar === undefined ? '' : 'bar reached'
}

/** A Markdown table: the median of the rounds, with the least and the greatest behind it. */
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

/** Replaces what stands between `<!-- name -->` and `<!-- /name -->` in a document. @throws when the marks are missing. */
export function writeBetweenMarks(file: URL, name: string, text: string): void {
  const [start, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`]
  const document = readFileSync(file, 'utf8')
  const [from, to] = [document.indexOf(start), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file.pathname} has no marks ${start} … ${end}`)
  writeFileSync(file, `${document.slice(0, from + start.length)}\n${text}\n${document.slice(to)}`)
}
