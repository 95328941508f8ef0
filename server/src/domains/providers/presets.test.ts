import { afterAll, describe, expect, test } from 'vitest'
import { respond, startFaultyProvider } from '../../../test/support/faulty-provider.ts'
import { testPools, testProvider } from '../../../test/support/providers.ts'
import { readEnvironmentProviders } from '../../platform/config/environment-providers.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { findUrlProblem } from '../../platform/lib/url-guard.ts'
import { PRESET_IDS, PRESETS, type PresetId, presetOf, renameParameters } from './presets.ts'
import { findProviderProblem, providerDefaults } from './provider.ts'
import { discoverModels } from './test-connection.ts'

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

  test('preset: parameters are sent unchanged when there is none', () => {
    expect(bodyFor(null, { max_completion_tokens: 7, seed: 1 })).toMatchObject({ max_completion_tokens: 7, seed: 1 })
  })

  test('renamed: the server’s own name wins when the client uses both', () => {
    expect(renameParameters({ max_tokens: 5, max_completion_tokens: 7 }, { max_completion_tokens: 'max_tokens' })).toEqual({
      max_tokens: 5,
    })
  })

  test('preset perplexity: has no list of models', async () => {
    const provider = testProvider({ preset: 'perplexity' })
    expect(await discoverModels(provider, pools, { clock: systemClock })).toEqual({ ok: true, models: undefined })
  })

  test('discovery: reads a list without an object around it, as Together sends it', async () => {
    const upstream = await startFaultyProvider(respond([{ id: 'b' }, { id: 'a' }]))
    const provider = testProvider({ baseUrl: upstream.baseUrl, preset: 'together' })
    expect(await discoverModels(provider, pools, { clock: systemClock })).toEqual({ ok: true, models: ['a', 'b'] })
    await upstream.close()
  })

  test('discovery: names of Gemini lose their folder', async () => {
    const upstream = await startFaultyProvider(
      respond({ data: [{ id: 'models/gemini-2' }, { id: 'gemini-1' }, { id: 7 }, null] }),
    )
    const provider = testProvider({ baseUrl: upstream.baseUrl, kind: 'gemini' })
    expect(await discoverModels(provider, pools, { clock: systemClock })).toEqual({ ok: true, models: ['gemini-1', 'gemini-2'] })
    await upstream.close()
  })
})
