import { expect, test } from 'vitest'
import { representativeOf, representedBy } from './absence-store.ts'

const delegates = new Map([
  ['ann', 'bob'],
  ['bob', 'cem'],
  ['dan', 'eva'],
  ['eva', 'dan'],
  ['fay', 'eva'],
])

test('representative: the delegate, or the delegate of an absent delegate', () => {
  expect(representativeOf('cem', delegates)).toBe('cem')
  expect(representativeOf('bob', delegates)).toBe('cem')
  expect(representativeOf('ann', delegates)).toBe('cem')
})

test('representative: operators who represent each other keep their own work, and so does an operator who names them', () => {
  for (const id of ['dan', 'eva', 'fay']) expect(representativeOf(id, delegates)).toBe(id)
})

test('representative: is found from the other side', () => {
  expect(representedBy('cem', delegates)).toEqual(['ann', 'bob'])
  expect(representedBy('bob', delegates)).toEqual([])
  expect(representedBy('eva', delegates)).toEqual([])
})
