import { csvCell } from '../../../platform/lib/csv.ts'
import type { sumsView } from './usage-shapes.ts'

type Sums = ReturnType<typeof sumsView>

/** A row of the file: its first cells, and its counts. */
export interface CsvRow {
  readonly cells: readonly string[]
  readonly counts: Sums
}

const COUNT_COLUMNS: Readonly<Record<string, (counts: Sums) => number | null>> = {
  requests: ({ requests }) => requests,
  allowed: ({ verdicts }) => verdicts.allow,
  escalated: ({ verdicts }) => verdicts.escalate,
  held: ({ verdicts }) => verdicts.require_approval,
  denied: ({ verdicts }) => verdicts.deny,
  errors: ({ errors }) => errors,
  input_tokens: ({ tokens }) => tokens.input,
  cached_tokens: ({ tokens }) => tokens.cached,
  output_tokens: ({ tokens }) => tokens.output,
  reasoning_tokens: ({ tokens }) => tokens.reasoning,
  cost_usd: ({ cost }) => cost,
}

/** CSV (RFC 4180) with a header. */
export function csvOf(header: readonly string[], rows: readonly CsvRow[]): string {
  const lines = [
    [...header, ...Object.keys(COUNT_COLUMNS)],
    ...rows.map(({ cells, counts }) => [
      ...cells.map(csvCell),
      ...Object.values(COUNT_COLUMNS).map((read) => String(read(counts) ?? '')),
    ]),
  ]
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('')
}
