import type { DailyUsage } from './usage.ts'

const FIELDS = ['inputTokens', 'outputTokens', 'cost'] as const
export type UsageField = (typeof FIELDS)[number]

/** One figure of a day and a model, from both sides. */
export interface ComparedUsage {
  readonly date: string
  /** Empty: all models together. */
  readonly model: string
  readonly field: UsageField
  readonly exported: number
  readonly recorded: number
  /** Whether the two differ by more than the tolerance. */
  readonly differs: boolean
}

/** Differences below this are rounding: a token, a hundredth of a cent. */
const NEGLIGIBLE: Readonly<Record<UsageField, number>> = { inputTokens: 1, outputTokens: 1, cost: 0.0001 }

/**
 * Compares what an export states with what the records count, by day and model. A name with a date (`gpt-5-2026-02-01`) counts as the name without it. A
 * day whose export names no model is compared with all records of that day. `tolerance`: share of the exported figure. Records of days and models
 * that the export does not have are compared with 0, if the export names models.
 */
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
      return stated.map((field) => compareField(date, model, field, ofDay.filter(isOf), records.filter(isOf), tolerance))
    })
  })
}

function compareField(
  date: string,
  model: string,
  field: UsageField,
  ofDay: readonly DailyUsage[],
  records: readonly DailyUsage[],
  tolerance: number,
): ComparedUsage {
  const sum = (usages: readonly DailyUsage[]) => usages.reduce((total, usage) => total + (usage[field] ?? 0), 0)
  const [exported, recorded] = [sum(ofDay), sum(records)]
  const differs = Math.abs(exported - recorded) > Math.max(exported * tolerance, NEGLIGIBLE[field])
  return { date, model, field, exported, recorded, differs }
}

/** Providers report the dated name of a model that clients call by its short one. */
const undated = (model: string): string => model.replace(/[-@](?:\d{4}-\d{2}-\d{2}|\d{8})$/, '')
