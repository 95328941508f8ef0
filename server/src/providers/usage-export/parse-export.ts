import { isObject } from '../../lib/untrusted-json.ts'
import { parseAnthropicPage } from './anthropic-page.ts'
import { parseCsvExport } from './csv-export.ts'
import { parseOpenAiPage } from './openai-page.ts'
import { type DailyUsage, UsageExportError } from './usage.ts'

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
