import { calcPrice, type Provider as ListedProvider, type ModelPrice, type TieredPrices } from '@pydantic/genai-prices'
import { LRUCache } from 'lru-cache'
import type { ProviderKind } from './kinds.ts'
import { PRESETS } from './presets.ts'
import { costOf, everyPrice, type PricedTokens, type Prices, TOKENS_PER_PRICE } from './prices.ts'
import { type ProviderModel, type ProviderSettings, resolvedBaseUrl } from './provider.ts'

export type PricedProvider = Pick<ProviderSettings, 'kind' | 'preset' | 'baseUrl' | 'region'>
type PricedModel = Prices & Pick<ProviderModel, 'id' | 'upstreamName'>

export interface Price {
  /** `operator`, `stub`, or the price list with its version. Records hold it. */
  readonly version: string
  /** NaN: one of the prices that the tokens need is unknown. */
  readonly costOf: (tokens: PricedTokens) => number
  /** Whether the cost of every response is known: of one without a completion, and of one with it. */
  readonly isComplete: { readonly withoutOutput: boolean; readonly withOutput: boolean }
  /** The highest price of one token in any tier, and of one request. NaN: unknown. */
  readonly highest: { readonly input: number; readonly output: number; readonly request: number }
  /** The longest request that the model reads; undefined: not known. */
  readonly contextTokens?: number | undefined
  readonly listed: Prices
}

/** Found once for each price, because every request asks, and the library of the price list takes 7 µs to calculate a cost. */
const completenessOf = (costOf: Price['costOf']): Price['isComplete'] => ({
  withoutOutput: !Number.isNaN(costOf({ input: 1, output: undefined })),
  withOutput: !Number.isNaN(costOf({ input: 1, output: 1 })),
})

/** An operator's price replaces the whole price of the list, so that a cost never has two sources; undefined: none is known. */
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

const PRICE_NAMES = Object.keys(everyPrice(0)) as readonly (keyof Prices)[]
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

const FREE = ownPrice(everyPrice(0), 'stub')

/** The price list of this release, and its version as records hold it. package.json pins the same version. */
export const PRICE_LIST = 'genai-prices 0.1.8'

/** The list's name of a cloud, by the kind of provider. The other kinds are found by their address. */
const CLOUDS: Readonly<Partial<Record<ProviderKind, string>>> = {
  'azure-openai': 'azure',
  bedrock: 'aws',
  gemini: 'google',
  vertex: 'google',
}

const MINUTE_MS = 60_000

/** Prices by place and model for one minute, because some depend on the time of day. Names come from operators, so there are few. */
const known = new LRUCache<string, { readonly minute: number; readonly price: Price | undefined }>({ max: 2_000 })

/** The price in the list; undefined: it has no price for the model. A server at an address that the list does not know has no price. */
function listPriceOf(provider: PricedProvider, model: PricedModel, at: Date): Price | undefined {
  for (const name of namesOf(provider, model)) {
    const price = priceIn(placeOf(provider), name, at)
    if (price) return price
  }
  return undefined
}

/** A deployment of Azure has a name of the operator's choice, so the name that clients use counts there too. */
function namesOf({ kind }: PricedProvider, { id, upstreamName }: PricedModel): readonly string[] {
  const name = upstreamName ?? id
  // Vertex AI names the publisher before the model: google/gemini-2.5-pro.
  if (kind === 'vertex') return [name, name.slice(name.indexOf('/') + 1)]
  return kind === 'azure-openai' ? [name, id] : [name]
}

function priceIn(place: Place, name: string, at: Date): Price | undefined {
  const key = `${place.providerId ?? place.providerApiUrl} ${name}`
  const minute = Math.floor(at.getTime() / MINUTE_MS)
  const last = known.get(key)
  if (last?.minute === minute) return last.price
  const listed = calcPrice(NO_TOKENS, name, { ...place, timestamp: at })
  const price = listed
    ? {
        ...priceFrom({ ...listed.provider, models: [listed.model] }, name, listed.model_price, at),
        contextTokens: contextOf(listed.model.context_window, listed.model_price),
      }
    : undefined
  known.set(key, { minute, price })
  return price
}

const NO_TOKENS = { input_tokens: 0, output_tokens: 0 }

type Place = { readonly providerId?: string; readonly providerApiUrl?: string }

function placeOf(provider: PricedProvider): Place {
  const cloud = CLOUDS[provider.kind]
  if (cloud !== undefined) return { providerId: cloud }
  return { providerApiUrl: provider.preset === null ? resolvedBaseUrl(provider) : PRESETS[provider.preset].baseUrl }
}

/** `provider`: with this one model, which is then found in a third of the time. An id of the list may not match itself, so `name` is used. */
function priceFrom(provider: ListedProvider, name: string, prices: ModelPrice, at: Date): Price {
  const pricesNamed = (pattern: RegExp) =>
    Object.entries(prices).flatMap(([name, price]) => (price !== undefined && pattern.test(name) ? [price] : []))
  const highestOf = (pattern: RegExp) => Math.max(0, ...pricesNamed(pattern).map(highestTier)) / TOKENS_PER_PRICE
  const cost: Price['costOf'] = (tokens) =>
    calcPrice(usageOf(tokens), name, { provider, timestamp: at })?.total_price ?? Number.NaN
  return {
    version: PRICE_LIST,
    costOf: cost,
    isComplete: completenessOf(cost),
    highest: {
      input: highestOf(/^(?:input|cache)_.*mtok$/),
      output: highestOf(/^output_.*mtok$/),
      request: Math.max(0, ...pricesNamed(/^requests_kcount$/).map(highestTier)) / 1_000,
    },
    listed: listedPrices(prices),
  }
}

function usageOf({ input, output, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0, reasoning = 0 }: PricedTokens) {
  return {
    input_tokens: input,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    cache_write_1h_tokens: cacheWrite1h,
    output_tokens: output ?? 0,
    output_reasoning_tokens: reasoning,
  }
}

/** Undefined if the list contradicts itself: it has prices of requests that are longer than the context of their model. */
function contextOf(context: number | undefined, prices: ModelPrice): number | undefined {
  const tiers = Object.values(prices).flatMap((price) => (typeof price === 'object' ? price.tiers : []))
  return context !== undefined && tiers.every(({ start }) => start < context) ? context : undefined
}

const highestTier = (price: number | TieredPrices): number =>
  typeof price === 'number' ? price : Math.max(price.base, ...price.tiers.map((tier) => tier.price))

function listedPrices(prices: ModelPrice): Prices {
  const lowest = (name: string, per = 1): number | null => {
    const price = prices[name]
    return price === undefined ? null : (typeof price === 'number' ? price : price.base) / per
  }
  return {
    inputPrice: lowest('input_mtok'),
    outputPrice: lowest('output_mtok'),
    cacheReadPrice: lowest('cache_read_mtok'),
    cacheWritePrice: lowest('cache_write_mtok'),
    cacheWrite1hPrice: lowest('cache_write_1h_mtok'),
    reasoningPrice: lowest('output_reasoning_mtok'),
    requestPrice: lowest('requests_kcount', 1_000),
  }
}
