/** Prices are shown exactly: some have four digits after the point. */
const USD = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'narrowSymbol',
  maximumFractionDigits: 6,
})

/** Formats a price in USD: `$0.60`, `$0.0125`. */
export const formatPrice = (price: number | null): string => (price === null ? '–' : USD.format(price))
