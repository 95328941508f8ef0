import type { Problem } from '../../platform/lib/schema.ts'
import type { TokenUnits } from '../../shared/usage.ts'

/** The prices of a model in USD, by their names in the APIs, the file and the table: per million tokens, and per request. */
const FIELDS = {
  inputPrice: 'input_price',
  outputPrice: 'output_price',
  cacheReadPrice: 'cache_read_price',
  cacheWritePrice: 'cache_write_price',
  cacheWrite1hPrice: 'cache_write_1h_price',
  reasoningPrice: 'reasoning_price',
  requestPrice: 'request_price',
} as const
type PriceName = keyof typeof FIELDS
type PriceField = (typeof FIELDS)[PriceName]

/**
 * null: unknown. Prices of cached tokens: null is the input price, and for writes kept for an hour the price of other writes. Reasoning:
 * null is the output price. Request: null is 0.
 */
export type Prices = { readonly [Name in PriceName]: number | null }
export type PriceFields = { readonly [Field in PriceField]: number | null }

export const PRICE_NAMES = Object.keys(FIELDS) as readonly PriceName[]
export const PRICE_FIELDS: readonly PriceField[] = Object.values(FIELDS)

/** The prices among the fields. Those that `fields` leaves out are absent. */
export const pricesIn = (fields: Partial<PriceFields>): Partial<Prices> =>
  Object.fromEntries(PRICE_NAMES.map((name) => [name, fields[FIELDS[name]]]).filter(([, price]) => price !== undefined))

export const pricesOf = (fields: Partial<PriceFields>): Prices => ({ ...NO_PRICES, ...pricesIn(fields) })

export const priceFieldsOf = (prices: Prices): PriceFields =>
  Object.fromEntries(PRICE_NAMES.map((name) => [FIELDS[name], prices[name]])) as PriceFields

export const NO_PRICES: Prices = {
  inputPrice: null,
  outputPrice: null,
  cacheReadPrice: null,
  cacheWritePrice: null,
  cacheWrite1hPrice: null,
  reasoningPrice: null,
  requestPrice: null,
}

/** A dollar for each token. A larger price is a mistake of units, and its sums would lose digits. */
const MAX_PRICE = 1_000_000

export function findPriceProblem(prices: Prices): Problem | undefined {
  const invalid = PRICE_NAMES.find((name) => prices[name] !== null && !(prices[name] >= 0 && prices[name] <= MAX_PRICE))
  return invalid && { param: FIELDS[invalid], message: `must be from 0 to ${MAX_PRICE}` }
}

/** Prices are per this number of tokens. */
export const TOKENS_PER_PRICE = 1_000_000

/** Tokens of which the cost is computed. `output`: undefined if the request has no completion. */
export type PricedTokens = Pick<TokenUnits, 'input' | 'output'> & Partial<TokenUnits>

/** The cost in USD. Returns NaN if the input or output price is unknown: every comparison with it is false. */
export function costOf(prices: Prices, tokens: PricedTokens): number {
  const { input, output, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0, reasoning = 0 } = tokens
  const inputPrice = prices.inputPrice ?? Number.NaN
  const writePrice = prices.cacheWritePrice ?? inputPrice
  const outputPrice = prices.outputPrice ?? Number.NaN
  const cost =
    (input - cacheRead - cacheWrite) * inputPrice +
    cacheRead * (prices.cacheReadPrice ?? inputPrice) +
    (cacheWrite - cacheWrite1h) * writePrice +
    cacheWrite1h * (prices.cacheWrite1hPrice ?? writePrice) +
    (output === undefined ? 0 : (output - reasoning) * outputPrice + reasoning * (prices.reasoningPrice ?? outputPrice))
  return cost / TOKENS_PER_PRICE + (prices.requestPrice ?? 0)
}
