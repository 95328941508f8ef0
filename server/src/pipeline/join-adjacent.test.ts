import { expect, test } from 'vitest'
import type { Passage } from '../domains/knowledge/search.ts'
import { joinAdjacent } from './join-adjacent.ts'

const passage = (documentId: string, position: number, content: string, headings: readonly string[] = []): Passage => ({
  id: `chk_${documentId}${position}`,
  documentId,
  position,
  content,
  headings,
  flagged: false,
  title: documentId,
  source: documentId,
  updatedAt: new Date(0),
  collection: 'c',
  collectionId: 'col_1',
  classification: 'internal',
  regulations: [],
  similarity: 1,
})
const shown = (passages: readonly Passage[]) => joinAdjacent(passages).map(({ ids, content }) => [ids.join(' '), content])

test('joinAdjacent: passages that follow each other are one text in reading order, at the place of the best', () => {
  const passages = [
    passage('x', 4, 'Alone.'),
    passage('a', 2, 'Third.'),
    passage('b', 7, 'Other.'),
    passage('a', 0, 'First.'),
    passage('a', 1, 'Second.'),
  ]
  expect(shown(passages)).toEqual([
    ['chk_x4', 'Alone.'],
    ['chk_a0 chk_a1 chk_a2', 'First.\nSecond.\nThird.'],
    ['chk_b7', 'Other.'],
  ])
})

test('joinAdjacent: the sentences that a passage repeats are shown once', () => {
  const passages = [
    passage('a', 0, 'One. The overlap is here.'),
    passage('a', 1, 'The overlap is here. Two.'),
    passage('a', 2, 'o. No overlap.'),
  ]
  expect(shown(passages)).toEqual([['chk_a0 chk_a1 chk_a2', 'One. The overlap is here.\n Two.\no. No overlap.']])
})

test('joinAdjacent: a passage of another section starts with its headings', () => {
  const passages = [
    passage('a', 0, 'One.', ['Leave']),
    passage('a', 1, 'Two.', ['Pay', 'Bonus']),
    passage('a', 2, 'Three.', ['Pay', 'Bonus']),
  ]
  expect(shown(passages)).toEqual([['chk_a0 chk_a1 chk_a2', 'One.\n\nPay › Bonus\nTwo.\nThree.']])
  expect(joinAdjacent(passages)[0]?.headings).toEqual(['Leave'])
})

test('joinAdjacent: passages with a gap between them stay apart', () => {
  expect(shown([passage('a', 2, 'Two.'), passage('a', 0, 'Zero.'), passage('b', 1, 'One.')])).toHaveLength(3)
})
