import { NO_USAGE, type UsageCounts } from './read-usage.ts'

const NUMBERS = [
  'requests',
  'errors',
  'inputTokens',
  'cachedTokens',
  'outputTokens',
  'reasoningTokens',
  'durationMs',
  'providerMs',
] as const

export const sumOfUsage = (all: readonly UsageCounts[]): UsageCounts =>
  all.reduce((sum, counts) => combine(sum, counts, 1), NO_USAGE)

/** The usage that is in `whole` and not in `part`. */
export const subtractUsage = (whole: UsageCounts, part: UsageCounts): UsageCounts => combine(whole, part, -1)

function combine(one: UsageCounts, other: UsageCounts, sign: 1 | -1): UsageCounts {
  const numbers = Object.fromEntries(NUMBERS.map((name) => [name, one[name] + sign * other[name]]))
  const verdicts = Object.fromEntries(
    Object.entries(one.verdicts).map(([name, count]) => [
      name,
      count + sign * other.verdicts[name as keyof UsageCounts['verdicts']],
    ]),
  )
  const cost = one.cost === null && other.cost === null ? null : (one.cost ?? 0) + sign * (other.cost ?? 0)
  return { ...numbers, verdicts, cost } as UsageCounts
}
