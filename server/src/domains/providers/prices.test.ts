import { expect, test } from 'vitest'
import { costOf, findPriceProblem, NO_PRICES, type Prices, priceFieldsOf, pricesIn, pricesOf } from './prices.ts'

const PRICES: Prices = {
  ...{ inputPrice: 3, outputPrice: 15, cacheReadPrice: 0.3, cacheWritePrice: 3.75, cacheWrite1hPrice: 6 },
  ...{ reasoningPrice: null, requestPrice: null },
}
const TOKENS = { input: 1_000, cacheRead: 600, cacheWrite: 300, cacheWrite1h: 100, output: 200, reasoning: 150 }

test.each<[string, Partial<Prices>, number]>([
  ['of all units', {}, (100 * 3 + 600 * 0.3 + 200 * 3.75 + 100 * 6 + 200 * 15) / 1_000_000],
  ['of writes when those for an hour have none', { cacheWrite1hPrice: null }, (480 + 300 * 3.75 + 3_000) / 1_000_000],
  ['of the input when cached tokens have none', { ...NO_PRICES, inputPrice: 3, outputPrice: 15 }, 6_000 / 1_000_000],
  ['of reasoning beside other output', { reasoningPrice: 20 }, (1_830 + 50 * 15 + 150 * 20) / 1_000_000],
  ['of the request', { requestPrice: 0.01 }, 0.01 + 4_830 / 1_000_000],
  ['0', { cacheReadPrice: 0 }, (300 + 750 + 600 + 3_000) / 1_000_000],
])('costOf: uses the price %s', (_, change, cost) => expect(costOf({ ...PRICES, ...change }, TOKENS)).toBeCloseTo(cost, 12))

test.each<[string, Partial<Prices>]>([
  ['input', { inputPrice: null }],
  ['output', { outputPrice: null }],
])('costOf: is NaN when the %s price is unknown', (_, change) => expect(costOf({ ...PRICES, ...change }, TOKENS)).toBeNaN())

test('costOf: is exactly input and output times their prices when nothing was cached', () => {
  for (const input of [1, 11, 12_345_679]) {
    expect(costOf({ ...PRICES, inputPrice: 0.15 }, { input, output: 7 })).toBe((input * 0.15 + 7 * 15) / 1_000_000)
  }
})

test('prices: fields have the names of the API, and an absent field is absent or null', () => {
  const fields = { input_price: 3, output_price: 15, cache_read_price: 0.3, cache_write_price: 3.75, cache_write_1h_price: 6 }
  expect(priceFieldsOf(PRICES)).toEqual({ ...fields, reasoning_price: null, request_price: null })
  expect(pricesOf(fields)).toEqual(PRICES)
  expect(pricesIn({ cache_write_1h_price: null })).toEqual({ cacheWrite1hPrice: null })
  expect(pricesOf({ input_price: 3 })).toEqual({ ...NO_PRICES, inputPrice: 3 })
})

test.each(Object.keys(priceFieldsOf(PRICES)))('findPriceProblem: names %s when it is out of range', (field) => {
  const problemOf = (price: number) => findPriceProblem({ ...PRICES, ...pricesIn({ [field]: price }) })
  for (const price of [-1, -1e-300, 1_000_000.5, 1e308, Number.POSITIVE_INFINITY, Number.NaN])
    expect(problemOf(price)).toEqual({ param: field, message: 'must be from 0 to 1000000' })
  for (const price of [0, 1e-9, 1_000_000]) expect(problemOf(price)).toBeUndefined()
})
