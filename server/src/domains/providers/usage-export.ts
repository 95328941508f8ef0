import { parse } from 'csv-parse/sync'
import { type Fields, isObject, textOf } from '../../platform/lib/untrusted-json.ts'

/** Usage of a model on a day (UTC), as a provider's export or the audit log states it. undefined: not stated. */
export interface DailyUsage {
  readonly date: string
  /** Empty: all models together. */
  readonly model: string
  /** All input tokens, with those that were read from or written to a cache. */
  readonly inputTokens?: number | undefined
  readonly outputTokens?: number | undefined
  readonly cost?: number | undefined
}

export class UsageExportError extends Error {}

/** Finite and not negative, from a number or its text; undefined for an absent or empty value. Throws a UsageExportError. */
function readAmount(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null || value === '') return undefined
  const amount = typeof value === 'number' ? value : typeof value === 'string' ? Number(value.trim()) : Number.NaN
  if (Number.isFinite(amount) && amount >= 0) return amount
  throw new UsageExportError(`${name} must be a number that is not negative`)
}

/** The day of a Unix time in seconds, or of a time or date in ISO 8601. Throws a UsageExportError. */
function readDate(value: unknown, name: string): string {
  const ms = typeof value === 'number' ? value * 1_000 : typeof value === 'string' ? Date.parse(value) : Number.NaN
  if (!Number.isFinite(ms)) throw new UsageExportError(`${name} must be a date such as 2026-03-01`)
  return new Date(ms).toISOString().slice(0, 10)
}

/** Names of columns, in lower case, with `_` for every other character. The first that is there counts. */
const COLUMNS = {
  date: ['date', 'day', 'start_time_iso', 'start_time', 'timestamp', 'time'],
  model: ['model', 'model_name', 'model_id', 'line_item'],
  input: ['input_tokens', 'prompt_tokens', 'n_context_tokens_total', 'input'],
  output: ['output_tokens', 'completion_tokens', 'n_generated_tokens_total', 'output'],
  cost: ['cost', 'cost_usd', 'amount_value', 'amount', 'cost_in_usd', 'usd'],
} as const

/** CSV with a header: a date, and any of model, input tokens, output tokens and cost in USD. Throws a UsageExportError. */
function parseCsvExport(text: string): readonly DailyUsage[] {
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
    return {
      date: readDate(secondsOf(row[date]), date),
      model: model === undefined ? '' : (row[model] ?? '').trim(),
      ...{ inputTokens: amount(input), outputTokens: amount(output), cost: amount(cost) },
    }
  })
}

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

const CENTS = 100

type Usage = Omit<DailyUsage, 'date'>

/** Anthropic's `usage_report/messages` (grouped by model) or `cost_report`, whose amounts are cents. Cached input is counted apart. */
function readAnthropicResult(result: Fields): Usage {
  const model = textOf(result.model)
  if ('amount' in result) {
    const cents = readAmount(result.amount, 'amount')
    return { model, cost: cents === undefined ? undefined : cents / CENTS }
  }
  const written = isObject(result.cache_creation) ? Object.values(result.cache_creation) : []
  const input = [result.uncached_input_tokens, result.cache_read_input_tokens, ...written].map(
    (amount) => readAmount(amount, 'input tokens') ?? 0,
  )
  const inputTokens = input.reduce((sum, amount) => sum + amount, 0)
  return { model, inputTokens, outputTokens: readAmount(result.output_tokens, 'output_tokens') }
}

/** OpenAI's `usage/completions` (grouped by model) or `costs`, whose `line_item` may name a model: `gpt-5, input`. */
function readOpenAiResult(result: Fields): Usage {
  if (isObject(result.amount)) {
    const model = textOf(result.line_item).split(',')[0]?.trim() ?? ''
    return { model, cost: readAmount(result.amount.value, 'amount.value') }
  }
  return {
    model: textOf(result.model),
    inputTokens: readAmount(result.input_tokens, 'input_tokens'),
    outputTokens: readAmount(result.output_tokens, 'output_tokens'),
  }
}

export function parseUsageExport(text: string): readonly DailyUsage[] {
  const trimmed = text.trim()
  if (trimmed === '') throw new UsageExportError('the file is empty')
  const usages = /^[[{]/.test(trimmed) ? readPages(trimmed).flatMap(parsePage) : parseCsvExport(trimmed)
  if (usages.length === 0) throw new UsageExportError('the file has no usage')
  return usages
}

function readPages(text: string): readonly unknown[] {
  const whole = tryParse(text)
  if (whole !== undefined) return Array.isArray(whole) ? whole : [whole]
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const page = tryParse(line)
    if (page === undefined) throw new UsageExportError(`line ${index + 1} is not JSON`)
    return [page]
  })
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parsePage(page: unknown): readonly DailyUsage[] {
  const buckets = isObject(page) ? page.data : undefined
  if (!Array.isArray(buckets) || !buckets.every(isObject)) {
    throw new UsageExportError('expected pages with `data`, as the usage APIs of OpenAI and Anthropic return them, or CSV')
  }
  return buckets.flatMap((bucket) => {
    const isAnthropic = 'starting_at' in bucket
    const date = isAnthropic ? readDate(bucket.starting_at, 'starting_at') : readDate(bucket.start_time, 'start_time')
    if (!Array.isArray(bucket.results)) throw new UsageExportError('a bucket has no `results`')
    return bucket.results.filter(isObject).map((result) => {
      return { date, ...(isAnthropic ? readAnthropicResult(result) : readOpenAiResult(result)) }
    })
  })
}

const FIELDS = ['inputTokens', 'outputTokens', 'cost'] as const
export type UsageField = (typeof FIELDS)[number]

export interface ComparedUsage {
  readonly date: string
  readonly model: string
  readonly field: UsageField
  readonly exported: number
  readonly recorded: number
  readonly differs: boolean
}

/** Differences below this are rounding: a token, a hundredth of a cent. */
const NEGLIGIBLE: Readonly<Record<UsageField, number>> = { inputTokens: 1, outputTokens: 1, cost: 0.0001 }

/** `gpt-5-2026-02-01` counts as `gpt-5`. A day whose export names no model is compared with all its records. `tolerance`: a share. */
export function compareUsage(
  exported: readonly DailyUsage[],
  recorded: readonly DailyUsage[],
  tolerance: number,
): readonly ComparedUsage[] {
  const days = new Set(exported.map(({ date }) => date))
  return [...days].toSorted().flatMap((date) => {
    const ofDay = exported.filter((usage) => usage.date === date)
    const records = recorded.filter((usage) => usage.date === date)
    const namesModels = ofDay.every(({ model }) => model !== '')
    const models = namesModels ? [...new Set([...ofDay, ...records].map(({ model }) => undated(model)))].toSorted() : ['']
    const stated = FIELDS.filter((field) => ofDay.some((usage) => usage[field] !== undefined))
    return models.flatMap((model) => {
      const isOf = (usage: DailyUsage) => !namesModels || undated(usage.model) === model
      return stated.map((field) => {
        const [exported, recorded] = [sum(ofDay.filter(isOf), field), sum(records.filter(isOf), field)]
        const differs = Math.abs(exported - recorded) > Math.max(exported * tolerance, NEGLIGIBLE[field])
        return { date, model, field, exported, recorded, differs }
      })
    })
  })
}

const sum = (usages: readonly DailyUsage[], field: UsageField): number =>
  usages.reduce((total, usage) => total + (usage[field] ?? 0), 0)

/** Providers report the dated name of a model that clients call by its short one. */
const undated = (model: string): string => model.replace(/[-@](?:\d{4}-\d{2}-\d{2}|\d{8})$/, '')
