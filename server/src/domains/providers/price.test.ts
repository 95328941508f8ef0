import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { isPriced, knownCost, PRICE_LIST, type PricedProvider, priceOf } from './price.ts'
import { isTierPriced, requestedTier } from './price-tier.ts'
import { costOf, findPriceProblem, NO_PRICES, type Prices, priceFieldsOf, pricesIn, pricesOf } from './prices.ts'

const AT = new Date('2026-11-01T12:00:00Z')
const provider = (change: Partial<PricedProvider> = {}): PricedProvider => ({
  ...{ kind: 'openai', preset: null, baseUrl: 'https://api.openai.com/v1', region: null },
  ...change,
})
const model = (id: string, change: object = {}) => ({ id, upstreamName: null, ...NO_PRICES, ...change })
const cost = (of: PricedProvider, name: string, change: object = {}, at = AT) =>
  knownCost(priceOf(of, model(name, change), at), { input: 1_000_000, output: 100_000 })

test('price list: the version in records is the one that package.json pins', () => {
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(PRICE_LIST).toBe(`genai-prices ${dependencies['@pydantic/genai-prices']}`)
})

describe('priceOf: finds the model in the list', () => {
  test.each<[string, Partial<PricedProvider>, string, object?]>([
    ['by the address of its provider', {}, 'gpt-4o'],
    ['with a date in its name', {}, 'gpt-4.1-mini-2025-04-14'],
    ['by the name that the provider uses', {}, 'large', { upstreamName: 'gpt-4o' }],
    [
      'by the preset when the address is another',
      { preset: 'groq', baseUrl: 'https://proxy.example/v1' },
      'llama-3.3-70b-versatile',
    ],
    ['for a deployment of Azure by the name that clients use', { kind: 'azure-openai' }, 'gpt-4o', { upstreamName: 'prod-eu' }],
    ['in a region of Bedrock', { kind: 'bedrock' }, 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ['at Vertex AI with its publisher', { kind: 'vertex' }, 'google/gemini-2.5-pro'],
    ['at Gemini', { kind: 'gemini' }, 'gemini-2.5-pro'],
    ['at Anthropic', { kind: 'anthropic', baseUrl: 'https://api.anthropic.com' }, 'claude-sonnet-4-5'],
  ])('%s', (_, change, name, fields) => {
    const price = priceOf(provider(change), model(name, fields), AT)
    expect(price?.version).toBe(PRICE_LIST)
    expect(isPriced(price, true)).toBe(true)
  })

  test.each<[string, Partial<PricedProvider>, string]>([
    ['a server at another address', { baseUrl: 'http://127.0.0.1:8000/v1' }, 'gpt-4o'],
    ['a model that the list does not have', {}, 'gpt-of-tomorrow'],
  ])('not for %s', (_, change, name) => expect(priceOf(provider(change), model(name), AT)).toBeUndefined())
})

test('priceOf: the price of an operator replaces the whole price of the list', () => {
  const price = priceOf(provider(), model('gpt-4o', { inputPrice: 1 }), AT)
  expect(price?.version).toBe('operator')
  expect(isPriced(price, true)).toBe(false)
  expect(isPriced(price, false)).toBe(true)
})

test('priceOf: the context of a model is unknown when the list has prices of longer requests', () => {
  const anthropic = provider({ kind: 'anthropic', baseUrl: 'https://api.anthropic.com' })
  expect(priceOf(provider(), model('gpt-4.1'), AT)?.contextTokens).toBe(1_000_000)
  expect(priceOf(anthropic, model('claude-sonnet-4-5'), AT)?.contextTokens).toBeUndefined()
})

test('priceOf: the built-in provider costs nothing unless an operator sets a price', () => {
  const stub = provider({ kind: 'stub', baseUrl: null })
  expect(cost(stub, 'any')).toBe(0)
  expect(cost(stub, 'any', { inputPrice: 1, outputPrice: 10 })).toBe(2)
})

test('cost: counts the tier of a long context, and `highest` is the price of the highest tier [GW-BUD-1]', () => {
  const gemini = priceOf(provider({ kind: 'gemini' }), model('gemini-2.5-pro'), AT)
  expect(knownCost(gemini, { input: 100_000, output: 1_000 })).toBe(0.135)
  expect(knownCost(gemini, { input: 300_000, output: 1_000 })).toBe(0.765)
  expect(gemini?.highest).toEqual({ input: 2.5e-6, output: 15e-6, request: 0 })
})

test('cost: counts cached tokens, writes for an hour and the price of a request', () => {
  const claude = priceOf(provider({ kind: 'anthropic', baseUrl: 'https://api.anthropic.com' }), model('claude-sonnet-4-5'), AT)
  const tokens = { input: 1_000, cacheRead: 600, cacheWrite: 300, cacheWrite1h: 100, output: 200, reasoning: 150 }
  // 100 × 3 + 600 × 0.3 + 200 × 3.75 + 100 × 6 + 200 × 15 = 4,830
  expect(knownCost(claude, tokens)).toBe(0.00483)
  const sonar = priceOf(provider({ baseUrl: 'https://api.perplexity.ai' }), model('sonar'), AT)
  expect(knownCost(sonar, { input: 1_000, output: 100 })).toBe(0.0131)
  expect(sonar?.highest.request).toBe(0.012)
})

test('cost: is in whole billionths of a dollar', () => {
  const price = priceOf(provider(), model('any', { inputPrice: 0.000123456, outputPrice: 0 }), AT)
  expect(knownCost(price, { input: 7, output: 0 })).toBe(1e-9)
})

test('cost: follows the time of day when the list has prices for it', () => {
  const deepseek = provider({ preset: 'deepseek' })
  const day = cost(deepseek, 'deepseek-reasoner', {}, new Date('2026-11-01T12:00:00Z'))
  const night = cost(deepseek, 'deepseek-reasoner', {}, new Date('2026-11-01T20:00:00Z'))
  expect(day).toBeGreaterThan(night ?? Number.NaN)
})

const LISTED = { version: 'genai-prices 1.0' }

test.each([
  ['scale', true],
  ['default', true],
  ['priority', false],
  ['turbo', false],
])('price: a response of the tier %s has the price of the list: %s [GW-BUD-11]', (service_tier, isKnown) => {
  expect(isTierPriced({ service_tier }, LISTED, 'standard')).toBe(isKnown)
  expect(isTierPriced({ usage: { service_tier } }, LISTED, 'standard')).toBe(isKnown)
})

test('price: a request names a pricier tier in any place that reaches the provider [GW-BUD-11]', () => {
  expect([{ service_tier: 'scale' }, {}].map(requestedTier)).toEqual(['standard', 'standard'])
  expect([{ speed: 'fast' }, { extra_body: { service_tier: 'priority' } }].map(requestedTier)).toEqual(['pricier', 'pricier'])
})

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
