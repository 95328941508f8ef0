import { expect, test } from 'vitest'
import { correctedBeginnings, distanceBetween } from './fuzzy.ts'

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

test.each([
  ['ivnoice', 'invoice'],
  ['nvoice', 'invoice'],
  ['xnvoice', 'invoice'],
  ['iinvoice', 'invoice'],
  ['ёхать', 'ехать'],
])('correctedBeginnings: %s may be %s', (spelling, term) => expect(correctedBeginnings(spelling)).toContain(term))

test('correctedBeginnings: a word of letters of many scripts has few spellings', () => {
  const letters = Array.from({ length: 64 }, (_, at) => String.fromCodePoint(0x430 + 97 * at)).filter((one) => /\p{L}/u.test(one))
  expect(letters.length).toBeGreaterThan(30)
  expect(correctedBeginnings(letters.join('')).length).toBeLessThan(2_000)
})
