import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addDocumentScores } from './document-score.ts'
import { type Ranked, WINDOW } from './fuse.ts'

const hit = (id: string, similarity: number): Ranked => ({ id, similarity })
const ids = (ranked: readonly Ranked[]): string[] => ranked.map(({ id }) => id)

test('addDocumentScores: an entry of a document with a better entry comes before an equal entry of another document', () => {
  const ranked = [hit('a1', 0.9), hit('b1', 0.5), hit('a2', 0.48), hit('c1', 0.4)]
  const documents = new Map([
    ['a1', 'a'],
    ['a2', 'a'],
    ['b1', 'b'],
  ])
  expect(ids(addDocumentScores(ranked, documents))).toEqual(['a1', 'a2', 'b1', 'c1'])
})

test('addDocumentScores: order and scores stay when each entry has a document of its own', () => {
  const ranked = [hit('a', 0.9), hit('b', 0.5), hit('c', 0.5)]
  const scored = addDocumentScores(ranked, new Map())
  expect(ids(scored)).toEqual(['a', 'b', 'c'])
  for (const [at, { similarity }] of scored.entries()) expect(similarity).toBeCloseTo(ranked[at]?.similarity ?? 0, 10)
})

test('addDocumentScores: a greater depth only appends results', () => {
  const lists = fc.array(fc.record({ score: fc.integer({ min: 0, max: 50 }), document: fc.integer({ min: 0, max: 30 }) }), {
    minLength: 1,
    maxLength: 3 * WINDOW,
  })
  fc.assert(
    fc.property(lists, (list) => {
      const sorted = list.toSorted((a, b) => b.score - a.score)
      const ranked = sorted.map(({ score }, at) => hit(`entry ${String(at).padStart(4, '0')}`, score / 50))
      const documents = new Map(
        sorted.map(({ document }, at) => [`entry ${String(at).padStart(4, '0')}`, `document ${document}`]),
      )
      const all = ids(addDocumentScores(ranked, documents))
      for (const depth of [WINDOW, 2 * WINDOW]) {
        expect(ids(addDocumentScores(ranked.slice(0, depth), documents))).toEqual(all.slice(0, depth))
      }
    }),
  )
})
