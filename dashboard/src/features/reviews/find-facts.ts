export interface Fact {
  readonly type: 'amount' | 'recipient'
  readonly start: number
  readonly end: number
}

const CURRENCY = '(?:(?<![\\p{L}])(?:EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|SEK|NOK|DKK|PLN|CZK)(?![\\p{L}])|[€$£¥])'
const NUMBER = "\\d(?:[\\d.,’'\\u00a0\\u202f ]*\\d)?(?:\\s?(?:k|m|bn|million|billion)(?![\\p{L}]))?"
const AMOUNT = new RegExp(`${CURRENCY}\\s?${NUMBER}|${NUMBER}\\s?${CURRENCY}`, 'gu')

const NAME = "\\p{Lu}[\\p{L}\\p{N}&'’-]*"
const RECIPIENTS = [
  // Names after "to" and "for": they may go on with small words, as in "Bank of Ireland".
  new RegExp(`(?<=(?<![\\p{L}])(?:to|for)\\s)${NAME}(?:\\s(?:(?:of|and|de|van|von|&)\\s)?${NAME})*`, 'gu'),
  /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu,
  /(?<![A-Z\d])[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?(?![A-Z\d])/gu,
]

/** Amounts and recipients in the first line of a text. They help to scan a queue; no decision depends on them. */
export function findFacts(text: string): readonly Fact[] {
  const find = (type: Fact['type'], pattern: RegExp): Fact[] =>
    [...text.matchAll(pattern)].map(({ 0: match, index }) => ({ type, start: index, end: index + match.length }))
  const facts = [...find('amount', AMOUNT), ...RECIPIENTS.flatMap((pattern) => find('recipient', pattern))]
  return facts
    .toSorted((one, other) => one.start - other.start)
    .filter(({ start }, index, sorted) => sorted.slice(0, index).every((earlier) => earlier.end <= start))
}
