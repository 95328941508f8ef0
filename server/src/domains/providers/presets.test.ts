import { afterAll, describe, expect, test } from 'vitest'
import { faultyProvider, respond } from '../../../test/support/faulty-provider.ts'
import { testPools, testProvider } from '../../../test/support/providers.ts'
import { readEnvironmentProviders } from '../../platform/config/environment-providers.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { findUrlProblem } from '../../platform/lib/url-guard.ts'
import { discoverModels } from './discover-models.ts'
import { PRESET_IDS, PRESETS, type PresetId, presetOf, renameParameters } from './presets.ts'
import { findProviderProblem, type Provider, providerDefaults } from './provider.ts'

const pools = testPools()
afterAll(() => pools.close())

/** The body that a provider with the preset gets. */
function bodyFor(preset: PresetId | null, parameters: Readonly<Record<string, unknown>>) {
  const { dialect } = pools.endpoint(testProvider({ preset })).chat({ name: 'm', api: 'chat' })
  const encoded = dialect.encode({ model: 'm', messages: [], parameters, stream: false })
  return encoded.ok && JSON.parse(encoded.body)
}

describe('table', () => {
  test.each(PRESET_IDS)('preset %s: a provider needs only an id and, if it has one, its key', (id) => {
    expect(findUrlProblem(presetOf(id).baseUrl, true)).toBeUndefined()
    const provider = { ...providerDefaults('openai', id), id, apiKey: 'k', source: 'config' as const }
    expect(provider).toMatchObject({ baseUrl: PRESETS[id].baseUrl, path: '/chat/completions', preset: id })
    expect(findProviderProblem(provider, false)).toBeUndefined()
  })

  test('presets: providers of the environment have the same addresses', () => {
    const env = Object.fromEntries(PRESET_IDS.map((id) => [`${id.toUpperCase()}_API_KEY`, 'k']))
    const known = readEnvironmentProviders({ ...env, OLLAMA_HOST: 'localhost' }).filter(({ kind }) => kind === 'openai')
    expect(known.length).toBeGreaterThan(5)
    for (const { id, baseUrl } of known) expect([id, baseUrl]).toEqual([id, presetOf(id as PresetId).baseUrl])
  })
})

describe('differences', () => {
  const LIMITED = ['deepseek', 'mistral', 'moonshot', 'ollama', 'perplexity', 'together'] as const

  test.each(PRESET_IDS)('preset %s: the limit of tokens has the name that the server knows', (id) => {
    const name = (LIMITED as readonly string[]).includes(id) ? 'max_tokens' : 'max_completion_tokens'
    expect(bodyFor(id, { max_completion_tokens: 7 })).toEqual({ model: 'm', messages: [], [name]: 7, stream: false })
  })

  test('preset mistral: seed is random_seed', () => {
    expect(bodyFor('mistral', { seed: 7 })).toMatchObject({ random_seed: 7 })
    expect(bodyFor('mistral', { seed: 7 })).not.toHaveProperty('seed')
  })

  test('preset: parameters are sent unchanged when there is none', () =>
    expect(bodyFor(null, { max_completion_tokens: 7, seed: 1 })).toMatchObject({ max_completion_tokens: 7, seed: 1 }))

  test('renamed: the server’s own name wins when the client uses both', () => {
    const both = { max_tokens: 5, max_completion_tokens: 7 }
    expect(renameParameters(both, { max_completion_tokens: 'max_tokens' })).toEqual({ max_tokens: 5 })
  })

  test('preset perplexity: has no list of models', async () => {
    const provider = testProvider({ preset: 'perplexity' })
    expect(await discoverModels(provider, pools, { clock: systemClock })).toEqual({ ok: true, list: undefined })
  })

  test.each<[string, Partial<Provider>, object]>([
    ['without an object around it, as Together sends it', { preset: 'together' }, [{ id: 'b' }, { id: 'a' }]],
    ['of Gemini, whose names have a folder', { kind: 'gemini' }, { data: [{ id: 'models/b' }, { id: 'a' }, { id: 7 }, null] }],
  ])('discovery: reads a list %s', async (_, change, list) => {
    const { baseUrl } = await faultyProvider(respond(list))
    const discovery = await discoverModels(testProvider({ baseUrl, ...change }), pools, { clock: systemClock })
    expect(discovery).toEqual({ ok: true, list: { models: ['a', 'b'], leftOut: { embedding: 0, other: 0 } } })
  })
})
