import { expect, test } from 'vitest'
import { isTierPriced, requestedTier } from './price-tier.ts'

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
