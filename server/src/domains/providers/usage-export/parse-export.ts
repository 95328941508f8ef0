import { type Fields, isObject, textOf } from '../../../platform/lib/untrusted-json.ts'
import { parseCsvExport } from './csv-export.ts'
import { type DailyUsage, readAmount, readDate, UsageExportError } from './usage.ts'

const CENTS = 100

/**
 * A bucket of Anthropic's `GET /v1/organizations/usage_report/messages` (grouped by model) or `GET /v1/organizations/cost_report`. Throws a
 * UsageExportError.
 *
 * The report counts uncached, cached and written input tokens apart. Amounts of the cost report are cents.
 */
function parseAnthropicPage({ starting_at, results }: Fields): readonly DailyUsage[] {
  const date = readDate(starting_at, 'starting_at')
  if (!Array.isArray(results)) throw new UsageExportError('a bucket has no `results`')
  return results.filter(isObject).map((result) => {
    const model = textOf(result.model)
    if ('amount' in result) {
      const cents = readAmount(result.amount, 'amount')
      return { date, model, ...(cents !== undefined && { cost: cents / CENTS }) }
    }
    const written = isObject(result.cache_creation) ? Object.values(result.cache_creation) : []
    const input = [result.uncached_input_tokens, result.cache_read_input_tokens, ...written].map(
      (amount) => readAmount(amount, 'input tokens') ?? 0,
    )
    const outputTokens = readAmount(result.output_tokens, 'output_tokens')
    return {
      ...{ date, model, inputTokens: input.reduce((sum, amount) => sum + amount, 0) },
      ...(outputTokens !== undefined && { outputTokens }),
    }
  })
}

/**
 * A bucket of OpenAI's `GET /v1/organization/usage/completions` (grouped by model) or `GET /v1/organization/costs`. Throws a UsageExportError.
 *
 * `input_tokens` contains the cached ones. Costs have no model; `line_item` names one (`gpt-5, input`) if the costs are grouped by it.
 */
function parseOpenAiPage({ start_time, results }: Fields): readonly DailyUsage[] {
  const date = readDate(start_time, 'start_time')
  if (!Array.isArray(results)) throw new UsageExportError('a bucket has no `results`')
  return results.filter(isObject).map((result) => {
    if (isObject(result.amount)) {
      const cost = readAmount(result.amount.value, 'amount.value')
      return { date, model: textOf(result.line_item).split(',')[0]?.trim() ?? '', ...(cost !== undefined && { cost }) }
    }
    const inputTokens = readAmount(result.input_tokens, 'input_tokens')
    const outputTokens = readAmount(result.output_tokens, 'output_tokens')
    return {
      ...{ date, model: textOf(result.model) },
      ...(inputTokens !== undefined && { inputTokens }),
      ...(outputTokens !== undefined && { outputTokens }),
    }
  })
}

/**
 * Reads a provider's usage export: one or several pages of JSON of OpenAI's usage or costs API or of Anthropic's usage or cost report (one after the
 * other, or in a list), or CSV. Throws a UsageExportError that says what is missing.
 */
export function parseUsageExport(text: string): readonly DailyUsage[] {
  const trimmed = text.trim()
  if (trimmed === '') throw new UsageExportError('the file is empty')
  const usages = /^[[{]/.test(trimmed) ? readPages(trimmed).flatMap(parsePage) : parseCsvExport(trimmed)
  if (usages.length === 0) throw new UsageExportError('the file has no usage')
  return usages
}

/** A JSON text is one page, a list of pages, or a page on each line. */
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
  return buckets.flatMap((bucket) => ('starting_at' in bucket ? parseAnthropicPage(bucket) : parseOpenAiPage(bucket)))
}
