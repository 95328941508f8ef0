import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countsOf, sumOf, tokenUnitsOf } from './usage.ts'

const NONE = { cacheRead: 0, cacheWrite: 0, cacheWrite1h: undefined, reasoning: 0 }

test.each([
  ['no details', { prompt_tokens: 100, completion_tokens: 50 }, {}],
  ['no completion', { prompt_tokens: 100 }, { output: undefined }],
  [
    'OpenAI',
    { prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 }, completion_tokens_details: { reasoning_tokens: 20 } },
    { cacheRead: 60, cacheWrite: 30, reasoning: 20 },
  ],
  ['Moonshot and Together', { cached_tokens: 80 }, { cacheRead: 80 }],
  ['Moonshot with both names', { cached_tokens: 80, prompt_tokens_details: { cached_tokens: 0 } }, { cacheRead: 80 }],
  ['Qwen', { prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 90 } }, { cacheWrite: 90 }],
  ['a proxy of Anthropic', { cache_read_input_tokens: 60, cache_creation_input_tokens: 30 }, { cacheRead: 60, cacheWrite: 30 }],
  ['reasoning beside the counts', { reasoning_tokens: 20 }, { reasoning: 20 }],
  ['DeepSeek', { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 }, { cacheRead: 64 }],
  [
    'Anthropic',
    {
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 90 },
      cache_creation: { ephemeral_5m_input_tokens: 50, ephemeral_1h_input_tokens: 40 },
    },
    { cacheWrite: 90, cacheWrite1h: 40 },
  ],
  ['details that are null', { prompt_tokens_details: null, completion_tokens_details: null, cache_creation: null }, {}],
])('tokenUnitsOf: reads the units of %s', (_, reported, units) => {
  const usage = { prompt_tokens: 100, ...('output' in units ? {} : { completion_tokens: 50 }), ...reported }
  expect(tokenUnitsOf(usage)).toEqual({ input: 100, output: 50, ...NONE, ...units })
})

test.each([-1, 1.5, 101, 1e12, Number.NaN, '60', null, true, {}, [60]])(
  'tokenUnitsOf: counts a part as 0 when the provider reports %j of 100 tokens',
  (count) => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 100,
      prompt_tokens_details: { cached_tokens: count, cache_write_tokens: count },
      completion_tokens_details: { reasoning_tokens: count },
      cache_creation: { ephemeral_1h_input_tokens: count },
    }
    expect(tokenUnitsOf(usage)).toEqual({ input: 100, output: 100, ...NONE, cacheWrite1h: 0 })
  },
)

test('tokenUnitsOf: counts no writes when reads and writes together exceed the input', () => {
  const usage = { prompt_tokens: 100, prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 60 } }
  expect(tokenUnitsOf(usage)).toMatchObject({ cacheRead: 60, cacheWrite: 0 })
})

test('tokenUnitsOf: parts are never negative and never exceed their whole, whatever the provider reports', () => {
  const count = fc.oneof(fc.integer({ min: -5, max: 300 }), fc.anything())
  const details = {
    prompt_tokens_details: fc.oneof(fc.record({ cached_tokens: count, cache_write_tokens: count }), fc.anything()),
    completion_tokens_details: fc.oneof(fc.record({ reasoning_tokens: count }), fc.anything()),
    cache_creation: fc.oneof(fc.record({ ephemeral_1h_input_tokens: count }), fc.anything()),
    prompt_cache_hit_tokens: count,
  }
  const usages = fc.record({ prompt_tokens: fc.nat(200), completion_tokens: fc.nat(200), ...details })
  const check = (usage: { readonly prompt_tokens: number; readonly completion_tokens: number }) => {
    const { input, cacheRead, cacheWrite, cacheWrite1h = 0, output = 0, reasoning } = tokenUnitsOf(usage)
    for (const part of [cacheRead, cacheWrite, cacheWrite1h, reasoning]) expect(part).toBeGreaterThanOrEqual(0)
    expect(cacheRead + cacheWrite).toBeLessThanOrEqual(input)
    expect(cacheWrite1h).toBeLessThanOrEqual(cacheWrite)
    expect(reasoning).toBeLessThanOrEqual(output)
  }
  fc.assert(fc.property(usages, check))
})

test('sumOf: adds a field of all attempts, and a missing one as 0', () => {
  const attempt = { provider: 'openai', model: 'small', status: 200, outcome: 'ok', ms: 1 }
  expect(sumOf([{ ...attempt, cache_read_tokens: 3 }, attempt, { ...attempt, cache_read_tokens: 4 }], 'cache_read_tokens')).toBe(
    7,
  )
})

const reasoning = (reasoning_tokens: number) => ({ completion_tokens_details: { reasoning_tokens } })
test.each([
  ['OpenAI: reasoning is part of the output', [100, 30], { total_tokens: 130, ...reasoning(20) }, [100, 30, 130]],
  ['xAI: reasoning stands beside the output', [100, 10], { total_tokens: 20_110, ...reasoning(20_000) }, [100, 20_010, 20_110]],
  ['Gemini: thoughts are in the total only', [8, 5], { total_tokens: 120 }, [8, 112, 120]],
  ['Gemini: all output is thoughts', [8, undefined], { total_tokens: 100 }, [8, 92, 100]],
  ['no total, and more reasoning than output', [100, 10], reasoning(20), [100, 30, 130]],
  ['no total', [100, 30], reasoning(20), [100, 30, 130]],
  ['a total that is too small', [100, 30], { total_tokens: 30, ...reasoning(20) }, [100, 30, 30]],
  [
    'a proxy of Anthropic: the cache stands beside the prompt',
    [10, 5],
    { total_tokens: 125, cache_read_input_tokens: 90, cache_creation_input_tokens: 20 },
    [120, 5, 125],
  ],
  ['a cache that is part of the prompt', [100, 5], { total_tokens: 105, cache_read_input_tokens: 90 }, [100, 5, 105]],
  ['a total alone', [undefined, undefined], { total_tokens: 18 }, [0, 0, 18]],
  ['too many tokens', [100, 5], { total_tokens: 1e10 }, undefined],
  ['a fraction', [1.5, 5], {}, undefined],
])('countsOf: every token counts: %s', (_, [input, output], usage, expected) => {
  const [prompt_tokens, completion_tokens, total_tokens] = expected ?? []
  expect(countsOf(usage, input, output)).toEqual(expected && { prompt_tokens, completion_tokens, total_tokens })
})
