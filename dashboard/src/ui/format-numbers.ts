const WHOLE = new Intl.NumberFormat()
const SHORT = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 })
const EXACT_BELOW = 10_000

/** Formats a count: exact below 10,000, otherwise compact. */
export const formatCount = (count: number): string => (count < EXACT_BELOW ? WHOLE : SHORT).format(count)

const PARTS = new Intl.NumberFormat().formatToParts(1_000_000.5)
const partOf = (type: 'group' | 'decimal') => PARTS.find((part) => part.type === type)?.value

/** Of number fields, so that they show numbers as texts do. */
export const SEPARATORS = { thousandSeparator: partOf('group') ?? ' ', decimalSeparator: partOf('decimal') ?? '.' }

const USD = { style: 'currency', currency: 'USD', currencyDisplay: 'narrowSymbol' } as const
const CENTS = new Intl.NumberFormat(undefined, USD)
const FRACTIONS = new Intl.NumberFormat(undefined, { ...USD, minimumFractionDigits: 2, maximumSignificantDigits: 2 })
const LARGE = new Intl.NumberFormat(undefined, { ...USD, notation: 'compact', maximumFractionDigits: 1 })

/** Formats an amount in USD: `$0.00042`, `$12.50`, `$12.5K`. */
export function formatDollars(amount: number | null): string {
  if (amount === null) return '–'
  if (amount >= EXACT_BELOW) return LARGE.format(amount)
  return amount === 0 || amount >= 1 ? CENTS.format(amount) : FRACTIONS.format(amount)
}

/** Formats milliseconds, from one second on as seconds. */
export function formatMs(ms: number | null): string {
  if (ms === null) return '–'
  if (ms > 0 && ms < 0.1) return '< 0.1 ms'
  if (ms >= 1_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`
  return `${ms > 0 && ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
}

/** Formats a share as percentage. A small share is not shown as none. */
export function formatPercent(part: number, whole: number): string {
  if (whole === 0) return '–'
  const percent = (100 * part) / whole
  return percent > 0 && percent < 0.5 ? '< 1 %' : `${Math.round(percent)} %`
}

/** Change against an earlier value: `+12 %`, `−5 %`. undefined: there was none. */
export function formatChange(now: number | null, before: number | null): string | undefined {
  if (now === null || before === null || before === 0) return undefined
  const percent = Math.round((100 * (now - before)) / before)
  return `${percent > 0 ? '+' : percent < 0 ? '−' : ''}${formatCount(Math.abs(percent))} %`
}
