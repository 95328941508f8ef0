const WHOLE = new Intl.NumberFormat()
const SHORT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const EXACT_BELOW = 10_000

/** Formats a count: exact below 10,000, otherwise compact. */
export const formatCount = (count: number): string => (count < EXACT_BELOW ? WHOLE : SHORT).format(count)

/** Formats an amount in USD with four significant digits. */
export const formatCost = (cost: number | null): string =>
  cost === null ? '–' : new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 }).format(cost)

/** Formats milliseconds, from one second on as seconds. */
export function formatMs(ms: number | null): string {
  if (ms === null) return '–'
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}

/** Formats a share as percentage. */
export const formatPercent = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`
