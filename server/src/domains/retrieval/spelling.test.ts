import { expect, test } from 'vitest'
import { distanceBetween } from './fuzzy.ts'

test.each([
  ['invoice', 'invoice', 0],
  ['inovice', 'invoice', 1],
  ['invice', 'invoice', 1],
  ['invvoice', 'invoice', 1],
  ['imvoise', 'invoice', 2],
  ['encrytpion', 'encrypt', 1.5],
  ['kitten', 'sitting', 3],
])('distanceBetween: %s and %s have distance %d', (word, term, slips) => expect(distanceBetween(word, term, 3)).toBe(slips))

test('distanceBetween: skips terms that are much longer or shorter', () => {
  expect(distanceBetween('cat', 'catalogue', 2)).toBeGreaterThan(2)
  expect(distanceBetween('catalogues', 'cat', 2)).toBeGreaterThan(2)
})
