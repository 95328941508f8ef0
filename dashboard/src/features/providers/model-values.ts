import type { Model } from './provider.ts'

export const PRICES = [
  'input_price',
  'output_price',
  'cache_read_price',
  'cache_write_price',
  'cache_write_1h_price',
  'reasoning_price',
  'request_price',
] as const
type PriceName = (typeof PRICES)[number]

/** Headers that prevent replacing a model that another operator has just added. */
export const ONLY_NEW = { 'if-none-match': '*' }

/** Mantine's NumberInput has an empty string as its empty value. */
type PriceValues = Record<PriceName, number | ''>

export const pricesOf = (prices: Readonly<Record<PriceName, number | null>> | null | undefined): PriceValues =>
  Object.fromEntries(PRICES.map((name) => [name, prices?.[name] ?? ''])) as PriceValues

export interface ModelValues extends PriceValues {
  model: string
  upstream_name: string
  api: Model['api']
}

export const valuesOf = (model: Model | undefined): ModelValues => ({
  model: model?.id ?? '',
  upstream_name: model?.upstream_name ?? '',
  api: model?.api ?? 'chat',
  ...pricesOf(model),
})

/** Request body. Empty prices are those of the price list. */
export const bodyOf = ({ upstream_name, api, ...values }: ModelValues) => ({
  upstream_name: upstream_name.trim() || null,
  api,
  ...(Object.fromEntries(PRICES.map((name) => [name, values[name] === '' ? null : values[name]])) as Record<
    PriceName,
    number | null
  >),
})
