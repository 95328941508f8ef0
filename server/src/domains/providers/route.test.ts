import { describe, expect, test } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { testProvider } from '../../../test/support/providers.ts'
import { NO_PRICES } from './prices.ts'
import type { Provider } from './provider.ts'
import { isModelAllowed, listAllowedModels, matchesPattern, type RouteRequirements, selectCandidates } from './route.ts'

const NOW = new Date(0)
const EVERYTHING = { models: null, providers: null, ceiling: 'restricted' } as const
const requirements = (change: Partial<RouteRequirements> = {}): RouteRequirements => ({
  model: 'small',
  application: EVERYTHING,
  classification: 'internal',
  ...change,
})
const model = (id: string, change: object = {}) => ({
  ...{ id, upstreamName: null, ...NO_PRICES, createdAt: new Date(7_000) },
  ...change,
})
const PRICED = { models: [model('small', { inputPrice: 10, outputPrice: 20 })] }
const TOKENS = { input: 1_000, output: 1_000, at: NOW }
const CONFIDENTIAL = { ...EVERYTHING, ceiling: 'confidential' } as const
const ids = (providers: Provider[], change: Partial<RouteRequirements> = {}) => {
  const { candidates, excluded } = selectCandidates(providers, requirements(change), { rank: () => 0, random: Math.random })
  return { candidates: candidates.map(({ provider }) => provider.id), excluded: excluded.map(({ reason }) => reason) }
}

test('route: healthy providers come in the order of fallbacks, and a provider that is limited after them', () => {
  const at = (id: string, fallbackOrder?: number) =>
    testProvider({ id, models: [model('small', fallbackOrder === undefined ? {} : { fallbackOrder })] })
  const providers = [at('third', 2), at('second', 1), at('first')]
  expect(ids(providers).candidates).toEqual(['first', 'second', 'third'])
  const rank = ({ id }: Provider) => (id === 'first' ? 1 : 0)
  const { candidates } = selectCandidates(providers, requirements(), { rank, random: () => 0.5 })
  expect(candidates.map(({ provider }) => provider.id)).toEqual(['second', 'third', 'first'])
})

describe('eligibility', () => {
  test.each<[string, Partial<Provider>, Partial<RouteRequirements>, string]>([
    ['a disabled provider', { enabled: false }, {}, 'disabled'],
    ['a provider without its key', { problem: 'key_missing' }, {}, 'unusable'],
    ['content above the provider', { maxClassification: 'internal' }, { classification: 'confidential' }, 'classification'],
    ['content above the Application', {}, { classification: 'restricted', application: CONFIDENTIAL }, 'ceiling'],
    ['another provider than route:provider', {}, { provider: 'other' }, 'provider'],
    ['another region than route:region', { region: 'us' }, { region: 'eu' }, 'region'],
    ['no region under route:region', {}, { region: 'eu' }, 'region'],
    ['unknown prices under route:max_cost', {}, { maxCost: 1_000 }, 'cost'],
    ['an estimate above route:max_cost', PRICED, { maxCost: 0.02, tokens: TOKENS }, 'cost'],
  ])('route: excludes %s', (_, provider, change, reason) =>
    expect(ids([testProvider(provider)], change)).toEqual({ candidates: [], excluded: [reason] }),
  )

  test.each<[string, Partial<Provider>, Partial<RouteRequirements>]>([
    ['content of the maximum classification of the provider', { maxClassification: 'internal' }, { classification: 'internal' }],
    ['the provider and region of the directives', { region: 'eu' }, { provider: 'openai', region: 'eu' }],
    ['an estimate within route:max_cost', PRICED, { maxCost: 0.03, tokens: TOKENS }],
    ['a model named with its provider', {}, { model: 'openai/small' }],
  ])('route: accepts %s', (_, provider, change) =>
    expect(ids([testProvider(provider)], change)).toEqual({ candidates: ['openai'], excluded: [] }),
  )

  test('route: a model that is not allowed has the same result as a model that does not exist', () => {
    const application = { ...EVERYTHING, models: ['large'] }
    expect(ids([testProvider()], { application })).toEqual(ids([testProvider()], { model: 'no-such-model' }))
    expect(ids([testProvider()], { application: { ...EVERYTHING, providers: [] } })).toEqual({ candidates: [], excluded: [] })
  })

  test('route: finds a model whose own name contains a slash', () =>
    expect(
      ids([testProvider({ id: 'openrouter', models: [model('openai/small')] })], { model: 'openai/small' }).candidates,
    ).toEqual(['openrouter']))
})

describe('order', () => {
  const providers = [
    testProvider({ id: 'a', weight: 1 }),
    testProvider({ id: 'b', weight: 3 }),
    testProvider({ id: 'spare', weight: 0 }),
  ]
  const order = (rank: (provider: Provider) => number) =>
    selectCandidates(providers, requirements(), { rank, random: Math.random }).candidates.map(({ provider }) => provider.id)

  test('route: requests are shared by weight, and weight 0 comes last', () => {
    const orders = Array.from({ length: 4_000 }, () => order(() => 0))
    const first = orders.filter(([id]) => id === 'b').length / orders.length
    expect(first).toBeGreaterThan(0.7)
    expect(first).toBeLessThan(0.8)
    expect(orders.every((ids) => ids.length === 3 && ids[2] === 'spare')).toBe(true)
  })

  test('route: a better rank comes before a higher weight', () => {
    for (let i = 0; i < 50; i++) expect(order(({ id }) => (id === 'spare' ? 0 : id === 'a' ? 1 : 2))).toEqual(['spare', 'a', 'b'])
  })
})

describe('patterns', () => {
  test.each([
    ['gpt-4o', 'gpt-4o', true],
    ['gpt-4o', 'gpt-4o-mini', false],
    ['gpt-*', 'gpt-4o', true],
    ['gpt-*', 'gpt-', true],
    ['*', '', true],
    ['*mini', 'gpt-4o-mini', true],
    ['*mini', 'mini-gpt', false],
    ['g*4*i', 'gpt-4o-mini', true],
    ['g**i', 'gi', true],
    ['*ab*ab', 'aabab', true],
    ['a.c', 'abc', false],
    ['(a+)+$', 'aaaa', false],
    ['', 'a', false],
  ])('pattern: %s on %s is %s', (pattern, text, expected) => expect(matchesPattern(pattern, text)).toBe(expected))

  test('pattern: a hostile pattern takes at most pattern × text steps', () => {
    const hostile = `${'*a'.repeat(50)}b`
    expect(cpuMs(() => expect(matchesPattern(hostile, 'a'.repeat(200))).toBe(false))).toBeLessThan(1_000)
  })

  test.each([
    [{ models: null, providers: null }, true],
    [{ models: ['small'], providers: null }, true],
    [{ models: ['openai/*'], providers: null }, true],
    [{ models: ['azure/*'], providers: null }, false],
    [{ models: [], providers: null }, false],
    [{ models: null, providers: ['openai'] }, true],
    [{ models: ['*'], providers: ['azure'] }, false],
  ])('pattern: %j allows openai/small: %s', (application, expected) =>
    expect(isModelAllowed(application, 'openai', 'small')).toBe(expected),
  )
})

test('models: each allowed model is listed once, by id, with the first provider that offers it', () => {
  const providers = [
    testProvider({ id: 'b', models: [model('m'), model('z')] }),
    testProvider({ id: 'a', models: [model('m'), model('secret')] }),
    testProvider({ id: 'off', enabled: false, models: [model('off')] }),
    testProvider({ id: 'broken', problem: 'key_missing', models: [model('broken')] }),
  ]
  expect(listAllowedModels(providers, { models: ['m', 'z'], providers: null })).toEqual([
    { id: 'm', owned_by: 'a', created: 7 },
    { id: 'z', owned_by: 'b', created: 7 },
  ])
})
