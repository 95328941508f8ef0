import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalize } from './normalize.ts'

test('normalize: equals String.normalize for texts with at most 30 marks in a row', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.constantFrom('NFC' as const, 'NFKC' as const), (text, form) => {
      expect(normalize(text, form)).toBe(text.normalize(form))
    }),
  )
  const accents = `e\u0301\u0316${'\u0316\u0301'.repeat(14)} ﬁ ｶﾞ 각`
  expect(normalize(accents, 'NFKC')).toBe(accents.normalize('NFKC'))
})

test('normalize: composes letters and keeps every mark when a run has more than 30 marks', () => {
  const text = `e\u0301${'\u0316\u0301'.repeat(100)}ﬁn`
  const normalized = normalize(text, 'NFKC')
  expect(normalized.startsWith('\u00e9')).toBe(true)
  expect(normalized.endsWith('fin')).toBe(true)
  expect(normalized.match(/\u0316/g)).toHaveLength(100)
  expect(normalized.match(/\u0301/g)).toHaveLength(100)
})
