import { expect, test } from 'vitest'
import { pieces } from './pieces.ts'

test.each([10, 16_384, 16_385, 100_000])('pieces: are the text when they are joined, for %i characters', (length) => {
  const text = 'Grüße 😀 an alle. '.repeat(length / 10).slice(0, length)
  const parts = [...pieces(text)]
  expect(parts.join('')).toBe(text)
  expect(parts.length).toBeGreaterThan(length / 50)
})

test('pieces: a long text is not split before its first part is read', () =>
  expect(Array.isArray(pieces('word '.repeat(10_000)))).toBe(false))
