import { parse } from 'csv-parse/sync'
import { type DailyUsage, readAmount, readDate, UsageExportError } from './usage.ts'

/** Names of columns, in lower case, with `_` for every other character. The first that is there counts. */
const COLUMNS = {
  date: ['date', 'day', 'start_time_iso', 'start_time', 'timestamp', 'time'],
  model: ['model', 'model_name', 'model_id', 'line_item'],
  input: ['input_tokens', 'prompt_tokens', 'n_context_tokens_total', 'input'],
  output: ['output_tokens', 'completion_tokens', 'n_generated_tokens_total', 'output'],
  cost: ['cost', 'cost_usd', 'amount_value', 'amount', 'cost_in_usd', 'usd'],
} as const

/** CSV with a header: a date, and any of model, input tokens, output tokens and cost in USD. Throws a UsageExportError. */
export function parseCsvExport(text: string): readonly DailyUsage[] {
  const rows = readRows(text)
  const found = Object.keys(rows[0] ?? {})
  const pick = (names: readonly string[]): string | undefined => names.find((name) => found.includes(name))
  const [date, model, input, output, cost] = Object.values(COLUMNS).map(pick)
  if (date === undefined || (input ?? output ?? cost) === undefined) {
    throw new UsageExportError(
      `the CSV needs a header with a date (${COLUMNS.date.join(', ')}) and tokens or cost (${COLUMNS.input[0]}, ${COLUMNS.output[0]}, ${COLUMNS.cost[0]})`,
    )
  }
  return rows.map((row) => {
    const amount = (column: string | undefined) => (column === undefined ? undefined : readAmount(row[column], column))
    const [inputTokens, outputTokens, usd] = [amount(input), amount(output), amount(cost)]
    return {
      ...{ date: readDate(secondsOf(row[date]), date), model: model === undefined ? '' : (row[model] ?? '').trim() },
      ...(inputTokens !== undefined && { inputTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
      ...(usd !== undefined && { cost: usd }),
    }
  })
}

/** Unix seconds are digits only. */
const secondsOf = (text: string | undefined): string | number | undefined =>
  text !== undefined && /^\d{9,11}$/.test(text.trim()) ? Number(text) : text

function readRows(text: string): readonly Readonly<Record<string, string>>[] {
  const columns = (header: readonly string[]) =>
    header.map((name) =>
      name
        .trim()
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '_')
        .replace(/_$/, ''),
    )
  try {
    return parse(text, { columns, bom: true, skip_empty_lines: true, trim: true })
  } catch (cause) {
    throw new UsageExportError(`the file is neither JSON nor CSV: ${(cause as Error).message}`)
  }
}
