import { type Fields, isObject, textOf } from '../../lib/untrusted-json.ts'
import { type DailyUsage, readAmount, readDate, UsageExportError } from './usage.ts'

/**
 * A bucket of OpenAI's `GET /v1/organization/usage/completions` (grouped by model) or `GET /v1/organization/costs`. Throws a UsageExportError.
 *
 * `input_tokens` contains the cached ones. Costs have no model; `line_item` names one (`gpt-5, input`) if the costs are grouped by it.
 */
export function parseOpenAiPage({ start_time, results }: Fields): readonly DailyUsage[] {
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
