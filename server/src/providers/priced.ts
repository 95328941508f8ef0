import type { PricedTokens, Prices } from './prices.ts'
import type { ProviderModel, ProviderSettings } from './provider.ts'

/** The part of a provider that tells whose prices its models have. */
export type PricedProvider = Pick<ProviderSettings, 'kind' | 'preset' | 'baseUrl' | 'region'>
export type PricedModel = Prices & Pick<ProviderModel, 'id' | 'upstreamName'>

/** The price of a model at one time. All amounts are in USD. */
export interface Price {
  /** `operator`, `stub`, or the price list with its version (price-list.ts). Records hold it. */
  readonly version: string
  /** NaN: one of the prices that the tokens need is unknown. */
  readonly costOf: (tokens: PricedTokens) => number
  /** The highest price of one token in any tier, and of one request. NaN: unknown. */
  readonly highest: { readonly input: number; readonly output: number; readonly request: number }
  /** The longest request that the model reads; undefined: not known. */
  readonly contextTokens?: number | undefined
  /** Per million tokens, in the lowest tier. */
  readonly listed: Prices
}
