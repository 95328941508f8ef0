import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fuse, placesFor, type Ranking, WINDOW } from './fuse.ts'

const ranking = (ids: readonly string[], weight = 1): Ranking => ({
  weight,
  hits: ids.map((id, place) => ({ id, similarity: 1 / (place + 1) })),
})
const ids = (hits: readonly { id: string }[]) => hits.map(({ id }) => id)

/** Two rankings of the same entries, longer than a window; each may lack some entries. */
const rankings = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 260 }),
    fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 260 }),
    fc.double({ min: 0.01, max: 4, noNaN: true }),
  )
  .map(([a, b, weight]) => [ranking(a.map(String)), ranking(b.map(String), weight)] as const)

describe('fuse', () => {
  test('ranks an entry of both rankings above an entry of one', () => {
    expect(ids(fuse([ranking(['a', 'b', 'c']), ranking(['d', 'b', 'e'])], 10))).toEqual(['b', 'a', 'd', 'c', 'e'])
  })

  test('a light ranking changes a heavy one only where places are close', () => {
    expect(ids(fuse([ranking(['a', 'b', 'c']), ranking(['c'], 0.01)], 3))).toEqual(['a', 'b', 'c'])
    expect(ids(fuse([ranking(['a', 'b', 'c']), ranking(['c'], 0.5)], 3))).toEqual(['c', 'a', 'b'])
  })

  test('returns the greater similarity', () => {
    const fused = fuse([ranking(['a', 'b']), { weight: 1, hits: [{ id: 'b', similarity: 0.75 }] }], 2)
    expect(fused).toEqual([
      { id: 'b', similarity: 0.75 },
      { id: 'a', similarity: 1 },
    ])
  })

  test('keeps a single ranking unchanged', () => {
    fc.assert(
      fc.property(rankings, ([one]) => {
        expect(fuse([one, ranking([])], 1_000)).toEqual(one.hits)
      }),
    )
  })

  test('returns every hit once, independent of the order of rankings', () => {
    fc.assert(
      fc.property(rankings, ([one, other]) => {
        const fused = fuse([one, other], 1_000)
        expect(new Set(ids(fused))).toEqual(new Set([...ids(one.hits), ...ids(other.hits)]))
        expect(new Set(ids(fused)).size).toBe(fused.length)
        expect(ids(fuse([other, one], 1_000))).toEqual(ids(fused))
        expect(fused.every(({ similarity }) => similarity >= 0 && similarity <= 1)).toBe(true)
      }),
    )
  })

  test('only appends results when the depth grows', () => {
    fc.assert(
      fc.property(rankings, fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 300 }), (both, a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)]
        const asked = (depth: number) =>
          fuse(
            both.map(({ hits, weight }) => ({ weight, hits: hits.slice(0, placesFor(depth)) })),
            depth,
          )
        expect(ids(asked(more)).slice(0, less)).toEqual(ids(asked(less)))
      }),
    )
  })

  test('keeps the order that both rankings share within a window', () => {
    fc.assert(
      fc.property(rankings, ([one, other]) => {
        const place = new Map(ids(other.hits.slice(0, WINDOW)).map((id, at) => [id, at]))
        const shared = ids(one.hits.slice(0, WINDOW)).filter((id) => place.has(id))
        const fused = new Map(ids(fuse([one, other], 1_000)).map((id, at) => [id, at]))
        for (const [at, id] of shared.entries()) {
          for (const later of shared.slice(at + 1)) {
            if ((place.get(id) ?? 0) < (place.get(later) ?? 0)) expect(fused.get(id)).toBeLessThan(fused.get(later) ?? 0)
          }
        }
      }),
      { numRuns: 30 },
    )
  })
})
