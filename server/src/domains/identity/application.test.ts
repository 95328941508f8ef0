import { describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS, DEFAULT_SETTINGS } from '../../shared/principal.ts'
import {
  checkApplicationCreate,
  checkApplicationPatch,
  fillApplicationLimits,
  fillApplicationSettings,
  type Overrides,
  patchOverrides,
} from './application.ts'

const EMPTY: Overrides = { settings: {}, limits: {} }

/** Checks the patches and applies one after the other. */
function applyPatches(...patches: unknown[]): Overrides {
  return patches.reduce<Overrides>((stored, patch) => {
    const checked = checkApplicationPatch(patch)
    if (!checked.ok) throw new Error(`${checked.problem.param} ${checked.problem.message}`)
    return patchOverrides(stored, checked.value)
  }, EMPTY)
}

describe('patch', () => {
  test('application patch: other fields stay when they are missing in the patch', () => {
    const stored = applyPatches({ limits: { burst: 5 }, settings: { tier: 'gold' } }, { limits: { concurrency: 7 } })
    expect(stored).toEqual({ settings: { tier: 'gold' }, limits: { burst: 5, concurrency: 7 } })
    expect(fillApplicationLimits(stored.limits)).toEqual({ ...DEFAULT_LIMITS, burst: 5, concurrency: 7 })
  })

  test('application patch: knowledge and memory are merged field by field', () => {
    const stored = applyPatches(
      { settings: { knowledge: { enabled: true, collections: ['a'] }, memory: { enabled: true, capture: 'explicit' } } },
      { settings: { knowledge: { collections: ['b'] }, memory: { capture: null } } },
    )
    expect(fillApplicationSettings(stored.settings)).toEqual({
      ...DEFAULT_SETTINGS,
      knowledge: { enabled: true, collections: ['b'], passages: 5 },
      memory: { enabled: true, capture: 'off', recall: 5, assertion_scopes: [] },
    })
  })

  test('application patch: responses are merged field by field', () => {
    const responsesAfter = (...patches: unknown[]) =>
      fillApplicationSettings(applyPatches(...patches.map((responses) => ({ settings: { responses } }))).settings).responses
    const both = { store: 'default', retention_days: 90, max_megabytes: 5 }
    expect(responsesAfter(both, { store: 'off' })).toEqual({ ...both, store: 'off' })
    expect(responsesAfter(both, { retention_days: 7 })).toEqual({ ...both, retention_days: 7 })
    expect(responsesAfter(both, { max_megabytes: null })).toEqual({ ...both, max_megabytes: 1_000 })
    expect(responsesAfter(both, { store: null })).toEqual({ ...both, store: 'requested' })
    expect(responsesAfter(both, null)).toEqual(DEFAULT_SETTINGS.responses)
  })

  test('application patch: other settings are replaced', () => {
    const stored = applyPatches(
      { settings: { extensions: ['tools'], tier: { a: 1 } } },
      { settings: { extensions: [], tier: { b: 2 } } },
    )
    expect(stored.settings).toEqual({ extensions: [], tier: { b: 2 } })
  })

  test('application patch: field is removed from the stored settings when it is null', () => {
    const set = { settings: { tier: 'gold', assertion_clearance: 'public' }, limits: { burst: 5, tokens_per_minute: 9 } }
    const unset = { settings: { tier: null, assertion_clearance: null }, limits: { burst: null, tokens_per_minute: null } }
    expect(applyPatches(set, unset)).toEqual(EMPTY)
  })

  test.each([false, null, { enabled: false }, { enabled: null }])('application patch: feature is off when it is %j', (off) => {
    const stored = applyPatches(
      { settings: { knowledge: true, memory: { enabled: true } } },
      { settings: { knowledge: off, memory: off } },
    )
    const settings = fillApplicationSettings(stored.settings)
    expect([settings.knowledge.enabled, settings.memory.enabled]).toEqual([false, false])
  })

  test('application patch: fields of a feature stay when it is turned off and on', () => {
    const stored = applyPatches(
      { settings: { knowledge: { enabled: true, collections: ['a'] } } },
      { settings: { knowledge: false } },
      { settings: { knowledge: true } },
    )
    expect(fillApplicationSettings(stored.settings).knowledge).toEqual({ enabled: true, collections: ['a'], passages: 5 })
  })

  test('application patch: prototype is unchanged when the patch names __proto__ or constructor', () => {
    const stored = applyPatches(
      JSON.parse('{"settings":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}'),
    )
    expect(Object.getPrototypeOf(stored.settings)).toBe(Object.prototype)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('application create: problem names the field when the body is', () => {
  test.each<[unknown, string]>([
    [{}, 'name'],
    [{ name: '' }, 'name'],
    [{ name: ' a' }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ name: 'a'.repeat(201) }, 'name'],
    [{ name: 'a', limits: { burst: 0 } }, 'limits.burst'],
    [{ name: 'a', limits: { burst: 1.5 } }, 'limits.burst'],
    [{ name: 'a', limits: { burst: '60' } }, 'limits.burst'],
    [{ name: 'a', limits: { requests_per_minute: 1_000_001 } }, 'limits.requests_per_minute'],
    [{ name: 'a', limits: { request_per_minute: 5 } }, 'limits.request_per_minute'],
    [{ name: 'a', limits: null }, 'limits'],
    [{ name: 'a', ceiling: 'secret' }, 'ceiling'],
    [{ name: 'a', settings: { extensions: ['unknown'] } }, 'settings.extensions[0]'],
    [{ name: 'a', settings: { knowledge: 'off' } }, 'settings.knowledge'],
    [{ name: 'a', settings: { knowledge: { enabled: 'no' } } }, 'settings.knowledge.enabled'],
    [{ name: 'a', settings: { memory: { capture: 'always' } } }, 'settings.memory.capture'],
    [{ name: 'a', settings: { memory: { captures: 'off' } } }, 'settings.memory.captures'],
    [{ name: 'a', settings: { note: 'a\u0000b' } }, 'settings'],
    [{ name: 'a', settings: { note: '\ud800' } }, 'settings'],
    [{ name: 'a', settings: { note: 'x'.repeat(16_385) } }, 'settings'],
    [{ name: 'a', models: 'gpt' }, 'models'],
    [{ name: 'a', models: [''] }, 'models[0]'],
    [[], ''],
    ['a', ''],
  ])('%j', (body, param) => {
    const checked = checkApplicationCreate(body)
    expect(checked.ok ? 'valid' : checked.problem.param).toBe(param)
  })

  test('application create: unknown fields are ignored outside limits and features', () => {
    expect(checkApplicationCreate({ name: 'a', colour: 'blue', settings: { tier: 3 } }).ok).toBe(true)
  })
})
