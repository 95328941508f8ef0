import { type Fields, isObject, textOf } from '../../../platform/lib/untrusted-json.ts'
import { type DailyUsage, readAmount, readDate, UsageExportError } from './usage.ts'

const CENTS = 100

/**
 * A bucket of Anthropic's `GET /v1/organizations/usage_report/messages` (grouped by model) or `GET /v1/organizations/cost_report`. Throws a
 * UsageExportError.
 *
 * The report counts uncached, cached and written input tokens apart. Amounts of the cost report are cents.
 */
export function parseAnthropicPage({ starting_at, results }: Fields): readonly DailyUsage[] {
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
