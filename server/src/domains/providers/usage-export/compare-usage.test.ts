import { expect, test } from 'vitest'
import { compareUsage } from './compare-usage.ts'

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

test('compareUsage: a name with a date is the model without it', () => {
  const exported = [
    { date, model: 'gpt-5-2026-02-01', cost: 1 },
    { date, model: 'claude-sonnet-4-20250514', cost: 2 },
  ]
  const recorded = [
    { date, model: 'gpt-5', cost: 1 },
    { date, model: 'claude-sonnet-4', cost: 2 },
  ]
  expect(differing(exported, recorded, 0)).toEqual([])
})

test('compareUsage: names differences beyond the tolerance, in both directions and for missing models', () => {
  const exported = [
    { date, model: 'a', cost: 100 },
    { date, model: 'b', cost: 100 },
    { date, model: 'lost', cost: 1 },
  ]
  const recorded = [
    { date, model: 'a', cost: 99.5 },
    { date, model: 'b', cost: 103 },
    { date, model: 'unknown', cost: 4 },
    { date: '2026-03-02', model: 'a', cost: 7 },
  ]
  expect(differing(exported, recorded, 0.01)).toEqual([
    ['b', 'cost', 100, 103],
    ['lost', 'cost', 1, 0],
    ['unknown', 'cost', 0, 4],
  ])
})

test('compareUsage: an export without models is compared with all records of the day', () => {
  const recorded = [
    { date, model: 'a', cost: 1 },
    { date, model: 'b', cost: 2 },
  ]
  expect(differing([{ date, model: '', cost: 3 }], recorded, 0)).toEqual([])
  expect(differing([{ date, model: '', cost: 3.5 }], recorded, 0)).toEqual([['', 'cost', 3.5, 3]])
})
