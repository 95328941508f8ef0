import { listPriceOf } from './price-list.ts'
import { completenessOf, type Price, type PricedModel, type PricedProvider } from './priced.ts'
import { costOf, PRICE_NAMES, type PricedTokens, type Prices, TOKENS_PER_PRICE } from './prices.ts'

/**
 * The price that an operator has set, otherwise that of the price list; undefined: none is known. One price of an operator replaces the
 * whole price of the list, so that a cost never has two sources.
 */
export function priceOf(provider: PricedProvider, model: PricedModel, at: Date): Price | undefined {
  if (hasOwnPrice(model)) return ownPrice(model, 'operator')
  return provider.kind === 'stub' ? FREE : listPriceOf(provider, model, at)
}

/** The cost in USD, in whole billionths of a dollar, so that sums of costs are exact; undefined: unknown. */
export function knownCost(price: Price | undefined, tokens: PricedTokens): number | undefined {
  const cost = price?.costOf(tokens)
  return cost === undefined || Number.isNaN(cost) ? undefined : Math.round(cost * 1e9) / 1e9
}

/** Whether the cost of every response of the model is known. `hasOutput`: it has a completion. */
export const isPriced = (price: Price | undefined, hasOutput: boolean): boolean =>
  price?.isComplete[hasOutput ? 'withOutput' : 'withoutOutput'] === true

const hasOwnPrice = (model: Prices): boolean => PRICE_NAMES.some((name) => model[name] !== null)

function ownPrice(prices: Prices, version: string): Price {
  const { inputPrice, cacheReadPrice, cacheWritePrice, cacheWrite1hPrice, outputPrice, reasoningPrice, requestPrice } = prices
  const highestOf = (first: number | null, ...others: (number | null)[]) =>
    first === null ? Number.NaN : Math.max(first, ...others.map((price) => price ?? 0)) / TOKENS_PER_PRICE
  const cost: Price['costOf'] = (tokens) => costOf(prices, tokens)
  return {
    version,
    costOf: cost,
    isComplete: completenessOf(cost),
    highest: {
      input: highestOf(inputPrice, cacheReadPrice, cacheWritePrice, cacheWrite1hPrice),
      output: highestOf(outputPrice, reasoningPrice),
      request: requestPrice ?? 0,
    },
    listed: prices,
  }
}

/** The built-in provider costs nothing. */
const FREE: Price = ownPrice(
  {
    inputPrice: 0,
    outputPrice: 0,
    cacheReadPrice: 0,
    cacheWritePrice: 0,
    cacheWrite1hPrice: 0,
    reasoningPrice: 0,
    requestPrice: 0,
  },
  'stub',
)
