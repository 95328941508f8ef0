const WHOLE = new Intl.NumberFormat()
const SHORT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const EXACT_BELOW = 10_000

/** A count as people read it: exact while it is small. */
export const countOf = (count: number): string => (count < EXACT_BELOW ? WHOLE : SHORT).format(count)

/** A price or a sum, in the currency of the models' prices; small ones keep their digits. */
export const costOf = (cost: number | null): string =>
  cost === null ? '–' : new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 }).format(cost)

/** Milliseconds, in seconds where they are many. */
export function msOf(ms: number | null): string {
  if (ms === null) return '–'
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}

/** A share of a whole, in per cent. */
export const shareOf = (part: number, whole: number): string => (whole === 0 ? '–' : `${Math.round((100 * part) / whole)} %`)
