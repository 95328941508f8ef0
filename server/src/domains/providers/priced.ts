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
  /** Whether the cost of every response is known: of one without a completion, and of one with it. */
  readonly isComplete: { readonly withoutOutput: boolean; readonly withOutput: boolean }
  /** The highest price of one token in any tier, and of one request. NaN: unknown. */
  readonly highest: { readonly input: number; readonly output: number; readonly request: number }
  /** The longest request that the model reads; undefined: not known. */
  readonly contextTokens?: number | undefined
  /** Per million tokens, in the lowest tier. */
  readonly listed: Prices
}

/** Found once for each price, because every request asks, and the library of the price list takes 7 µs to calculate a cost. */
export const completenessOf = (costOf: Price['costOf']): Price['isComplete'] => ({
  withoutOutput: !Number.isNaN(costOf({ input: 1, output: undefined })),
  withOutput: !Number.isNaN(costOf({ input: 1, output: 1 })),
})
