import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MEMORY_KINDS } from '../../shared/memory-words.ts'
import { scoreOf } from './recall.ts'

const NOW = new Date('2026-03-02T09:00:00Z')
const ago = (days: number) => new Date(NOW.getTime() - days * 86_400_000)

test('scoreOf: never exceeds the relevance, falls with age and rises with relevance', () => {
  const some = [fc.constantFrom(...MEMORY_KINDS), fc.double({ min: 0.01, max: 1, noNaN: true }), fc.nat(4_000)] as const
  fc.assert(
    fc.property(...some, (kind, relevance, days) => {
      const score = scoreOf(relevance, { kind, createdAt: ago(days) }, NOW)
      expect(score).toBeGreaterThan(relevance / 2)
      expect(score).toBeLessThanOrEqual(relevance)
      expect(scoreOf(relevance, { kind, createdAt: ago(days + 1) }, NOW)).toBeLessThanOrEqual(score)
      expect(scoreOf(relevance / 2, { kind, createdAt: ago(days) }, NOW)).toBeLessThan(score)
    }),
  )
})

test('scoreOf: an old workflow state scores less than a preference of the same age', () => {
  const score = (kind: 'workflow_state' | 'preference') => scoreOf(1, { kind, createdAt: ago(30) }, NOW)
  expect(score('workflow_state')).toBeLessThan(score('preference') * 0.8)
})

test('scoreOf: treats a memory from the future as new when node clocks differ', () => {
  expect(scoreOf(1, { kind: 'fact', createdAt: ago(-1) }, NOW)).toBe(scoreOf(1, { kind: 'fact', createdAt: NOW }, NOW))
})
