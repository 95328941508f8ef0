import { describe, expect, test } from 'vitest'
import { compareUsage, parseUsageExport } from './usage-export.ts'

const DAY = Date.parse('2026-03-01T00:00:00Z') / 1_000
const openAi = (...results: object[]) => ({
  object: 'page',
  data: [{ object: 'bucket', start_time: DAY, end_time: DAY + 86_400, results }],
})
const anthropic = (...results: object[]) => ({
  data: [{ starting_at: '2026-03-01T00:00:00Z', ending_at: '2026-03-02T00:00:00Z', results }],
})

describe('parseUsageExport', () => {
  test("parseUsageExport: reads OpenAI's usage, whose input contains cached tokens", () => {
    const page = openAi({
      object: 'organization.usage.completions.result',
      input_tokens: 100,
      input_cached_tokens: 40,
      output_tokens: 7,
      model: 'gpt-5',
    })
    expect(parseUsageExport(JSON.stringify(page))).toEqual([
      { date: '2026-03-01', model: 'gpt-5', inputTokens: 100, outputTokens: 7 },
    ])
  })

  test("parseUsageExport: reads OpenAI's costs, with and without a model", () => {
    const cost = (value: number, line_item: string | null) => ({
      object: 'organization.costs.result',
      amount: { value, currency: 'usd' },
      line_item,
    })
    expect(parseUsageExport(JSON.stringify([openAi(cost(0.06, 'gpt-5, input')), openAi(cost(1.5, null))]))).toEqual([
      { date: '2026-03-01', model: 'gpt-5', cost: 0.06 },
      { date: '2026-03-01', model: '', cost: 1.5 },
    ])
  })

  test("parseUsageExport: adds the cached and written input of Anthropic's report, and reads its costs as cents", () => {
    const usage = {
      ...{ uncached_input_tokens: 10, cache_read_input_tokens: 20, output_tokens: 5, model: 'claude-sonnet-4' },
      cache_creation: { ephemeral_1h_input_tokens: 3, ephemeral_5m_input_tokens: 4 },
    }
    const text = [anthropic(usage), anthropic({ currency: 'USD', amount: '123.45', model: null })]
      .map((page) => JSON.stringify(page))
      .join('\n')
    expect(parseUsageExport(text)).toEqual([
      { date: '2026-03-01', model: 'claude-sonnet-4', inputTokens: 37, outputTokens: 5 },
      { date: '2026-03-01', model: '', cost: 1.2345 },
    ])
  })

  test('parseUsageExport: reads CSV by the names of its columns', () => {
    expect(parseUsageExport('Date,Model,Input Tokens,Output Tokens,Cost (USD)\n2026-03-01,gpt-5,10,2,0.5\n')).toEqual([
      { date: '2026-03-01', model: 'gpt-5', inputTokens: 10, outputTokens: 2, cost: 0.5 },
    ])
    expect(parseUsageExport(`start_time,amount_value\n${DAY},0.25\n`)).toEqual([{ date: '2026-03-01', model: '', cost: 0.25 }])
  })

  test.each([
    ['', 'the file is empty'],
    ['{"data":[]}', 'the file has no usage'],
    ['{"usage":1}', 'expected pages with `data`'],
    ['{"data":[{"start_time":1}]}', 'a bucket has no `results`'],
    ['{"data":[1]}', 'expected pages'],
    ['{"data":[]}\n{', 'line 2 is not JSON'],
    ['name,value\na,1', 'needs a header with a date'],
    ['date,cost\nyesterday,1', 'must be a date'],
    ['date,cost\n2026-03-01,-1', 'must be a number that is not negative'],
    ['date,cost\n2026-03-01,1,2', 'neither JSON nor CSV'],
  ])('parseUsageExport: says what is wrong with %j', (text, message) => expect(() => parseUsageExport(text)).toThrow(message))
})

const date = '2026-03-01'
const differing = (...given: Parameters<typeof compareUsage>) =>
  compareUsage(...given)
    .filter(({ differs }) => differs)
    .map(({ model, field, exported, recorded }) => [model, field, exported, recorded])

test('compareUsage: compares by day and model, and only what the export states', () => {
  const exported = [{ date, model: 'gpt-5', inputTokens: 1_000 }]
  expect(compareUsage(exported, [{ date, model: 'gpt-5', inputTokens: 1_000, outputTokens: 9, cost: 1 }], 0)).toEqual([
    { date, model: 'gpt-5', field: 'inputTokens', exported: 1_000, recorded: 1_000, differs: false },
  ])
})

const costs = (byModel: Readonly<Record<string, number>>) =>
  Object.entries(byModel).map(([model, cost]) => ({ date, model, cost }))

test('compareUsage: a name with a date is the model without it', () => {
  const exported = costs({ 'gpt-5-2026-02-01': 1, 'claude-sonnet-4-20250514': 2 })
  expect(differing(exported, costs({ 'gpt-5': 1, 'claude-sonnet-4': 2 }), 0)).toEqual([])
})

test('compareUsage: names differences beyond the tolerance, in both directions and for missing models', () => {
  const recorded = [...costs({ a: 99.5, b: 103, unknown: 4 }), { date: '2026-03-02', model: 'a', cost: 7 }]
  expect(differing(costs({ a: 100, b: 100, lost: 1 }), recorded, 0.01)).toEqual([
    ['b', 'cost', 100, 103],
    ['lost', 'cost', 1, 0],
    ['unknown', 'cost', 0, 4],
  ])
})

test('compareUsage: an export without models is compared with all records of the day', () => {
  const recorded = costs({ a: 1, b: 2 })
  expect(differing(costs({ '': 3 }), recorded, 0)).toEqual([])
  expect(differing(costs({ '': 3.5 }), recorded, 0)).toEqual([['', 'cost', 3.5, 3]])
})
