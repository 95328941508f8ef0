import { type CamelCase, camelCase } from '../../platform/lib/camel-case.ts'
import type { Problem } from '../../platform/lib/schema.ts'
import type { TokenUnits } from '../../shared/usage.ts'

/** In USD, by their names in the APIs, the file and the table: per million tokens, and per request. */
export const PRICE_FIELDS = [
  'input_price',
  'output_price',
  'cache_read_price',
  'cache_write_price',
  'cache_write_1h_price',
  'reasoning_price',
  'request_price',
] as const
type PriceField = (typeof PRICE_FIELDS)[number]

/** null: unknown. Cached tokens: null is the input price (long writes: that of writes). Reasoning: the output price. Request: 0. */
export type PriceFields = { readonly [Field in PriceField]: number | null }
export type Prices = { readonly [Field in PriceField as CamelCase<Field>]: number | null }

export const pricesIn = (fields: Partial<PriceFields>): Partial<Prices> =>
  Object.fromEntries(PRICE_FIELDS.map((field) => [camelCase(field), fields[field]]).filter(([, price]) => price !== undefined))

export const pricesOf = (fields: Partial<PriceFields>): Prices => ({ ...NO_PRICES, ...pricesIn(fields) })

export const priceFieldsOf = (prices: Prices): PriceFields =>
  Object.fromEntries(PRICE_FIELDS.map((field) => [field, prices[camelCase(field)]])) as PriceFields

export const everyPrice = (price: number | null): Prices =>
  Object.fromEntries(PRICE_FIELDS.map((field) => [camelCase(field), price])) as Prices

export const NO_PRICES = everyPrice(null)

/** A dollar for each token. A larger price is a mistake of units, and its sums would lose digits. */
const MAX_PRICE = 1_000_000

export function findPriceProblem(prices: Prices): Problem | undefined {
  const invalid = Object.entries(priceFieldsOf(prices)).find(([, price]) => price !== null && !(price >= 0 && price <= MAX_PRICE))
  return invalid && { param: invalid[0], message: `must be from 0 to ${MAX_PRICE}` }
}

export const TOKENS_PER_PRICE = 1_000_000

/** `output`: undefined if the request has no completion. */
export type PricedTokens = Pick<TokenUnits, 'input' | 'output'> & Partial<TokenUnits>

/** NaN if the input or output price is unknown: every comparison with it is false. */
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
