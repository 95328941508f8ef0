import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readings, toPlainString, withoutAccents } from './plain-text.ts'

test('plain: ASCII and letters of other scripts stay as they are', () => {
  for (const text of ['', 'Hello,\tworld!\r\n', 'Zoë, 你好, Привет, 👍', 'हिन्दी', 'שָׁלוֹם', 'ภาษาไทย', '한국어']) {
    expect(readings(text).plain.text).toBe(text)
    expect(readings(text).others).toEqual([])
  }
})

test.each([
  ['full-width forms', '４１１１ ａｂｃ＠ｄ．ｅ', '4111 abc@d.e'],
  ['mathematical letters', '𝐢𝐠𝐧𝐨𝐫𝐞 𝟜𝟚', 'ignore 42'],
  ['typographic spaces, dashes and quotes', '4111\u00a01111\u20131111 \u201ca\u201d \u2018b\u2019', '4111 1111-1111 "a" \'b\''],
  ['invisible characters', 'a\u200b\u200db\u00ad\ufeffc\u{e0041}\u{e0042}', 'abc'],
  ['soft hyphens', 'wi\u00adre', 'wire'],
  ['C0 and C1 controls, but not tabs and line ends', 'w\u0000i\u0007r\u007fe\u0085\u009f\tx\r\ny', 'wire\tx\r\ny'],
  ['bidirectional controls', 'w\u202ei\u2066r\u200ee', 'wire'],
  ['variation selectors', 'w\ufe00i\ufe0fr\u{e0100}e', 'wire'],
  ['invisible musical and shorthand controls', 'w\u{1d173}i\u{1bca0}re', 'wire'],
  ['marks over, under and through letters', 'w\u0335i\u0335r\u0335e\u0335', 'wire'],
  ['marks of other scripts on Latin letters', 'w\u05b0i\u064be', 'wie'],
  ['accents that join a letter', 'cafe\u0301, Vie\u0323\u0302t', 'café, Việt'],
  ['stress marks in Cyrillic', 'за\u0301мок и\u0306', 'замок й'],
  ['Hangul in parts', '\u1112\u1161\u11ab', '한'],
  ['half-width kana', '\uff76\uff9e', 'ガ'],
  ['Arabic and Indic digits', '٤١١١ ۴۱ ४१ ৪১ ๔๑ \u{11066}', '4111 41 41 41 41 0'],
  ['circled digits and superscripts', '①² ⒛', '12 20.'],
  ['digits in filled and double circles, and Suzhou numerals', '❹❶ ➃➀ ➍➊ ⓸⓵⓿ 〤〡〇', '41 41 41 410 410'],
  ['ligatures', 'ﬁle oﬃce', 'file office'],
  ['letters in circles', 'ⓦⓘⓡⓔ 🄰', 'wire A'],
  ['accents without a letter', '´ ¨ ¯', '´ ¨ ¯'],
  ['long compatibility forms', 'ﷺ', 'ﷺ'],
  ['emoji keep their pictures', '❤\ufe0f', '❤'],
  ['lone surrogates', '\ud835a\udb40', '\ud835a\udb40'],
])('plain: %s', (_, text, expected) => expect(readings(text).plain.text).toBe(expected))

test('plain: digits of every script become ASCII digits of the same value', () => {
  const digits = Array.from({ length: 0x20000 }, (_, code) => String.fromCodePoint(code)).filter((character) =>
    /^\p{Nd}$/u.test(character),
  )
  expect(digits.length).toBeGreaterThan(600)
  const blocks = digits.map((digit) => readings(digit).plain.text).join('')
  expect(blocks).toBe('0123456789'.repeat(digits.length / 10))
})

test('plain: does not change a plain text', () => {
  const character = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.constantFrom('e\u0301', 'ﬁ', '٤', '\u00ad', 'w\u0335', '½'),
  )
  fc.assert(
    fc.property(fc.array(character, { maxLength: 20 }), (parts) => {
      const { text } = readings(parts.join('')).plain
      expect(readings(text).plain.text).toBe(text)
      expect(toPlainString(parts.join(''))).toBe(text)
    }),
    { numRuns: 300 },
  )
})

describe('readings', () => {
  const others = (text: string) => readings(text).others.map((reading) => reading.text)

  test('only the plain text when the text is ASCII or has typographic signs', () => {
    expect(others('4111 1111')).toEqual([])
    expect(others('“4111” – 1111')).toEqual([])
  })
  test('also the original when letters or digits changed', () => {
    expect(others('4111\u200b5')).toEqual(['4111\u200b5'])
    expect(others('4111５')).toEqual(['4111５'])
  })
  test('also the text without accents when combining marks joined letters', () => {
    expect(others('sk-a\u0301b')).toEqual(['sk-a\u0301b', 'sk-ab'])
  })
})

test('withoutAccents: Latin letters without their accents, other scripts as they are', () => {
  expect(withoutAccents('Ünïcödé Việt über')).toBe('Unicode Viet uber')
  expect(withoutAccents('й 한 ガ')).toBe('й 한 ガ')
})

test('original: maps a span of the plain text to its span in the original', () => {
  const text = 'key: s\u200bk-\u200babc𝐝𝐞 end'
  const { text: plain, original } = readings(text).plain
  const start = plain.indexOf('sk-')
  const span = original(start, start + 'sk-abcde'.length)
  expect(text.slice(span.start, span.end)).toBe('s\u200bk-\u200babc𝐝𝐞')
})

test.each([
  ['oﬃce', 'off', 'oﬃ'],
  ['oﬃce', 'ice', 'ﬃce'],
  ['cafe\u0301 noir', 'café', 'cafe\u0301'],
  ['w\u0335i\u0335re\u0335 it', 'wire', 'w\u0335i\u0335re\u0335'],
  ['a\u00adb\u200b', 'ab', 'a\u00adb\u200b'],
  ['x ½ y', '1⁄2', '½'],
])('original: in %j, the span of %j maps to %j', (text, needle, expected) => {
  const view = readings(text).plain
  const at = view.text.indexOf(needle)
  const { start, end } = view.original(at, at + needle.length)
  expect(text.slice(start, end)).toBe(expected)
})

test('original: plain text of the mapped span equals the span', () => {
  const piece = fc.constantFrom(...'aB7 \u200b\u00ad𝐢４\u201c\u{e0041}👍\u00a0é٤\u0007')
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 40 }), fc.nat(), fc.nat(), (pieces, from, size) => {
      const text = pieces.join('')
      const view = readings(text).plain
      if (view.text === '') return
      const start = from % view.text.length
      const end = Math.min(view.text.length, start + 1 + (size % 5))
      const isWhole = !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(view.text.slice(start, end))
      const span = view.original(start, end)
      if (isWhole) expect(readings(text.slice(span.start, span.end)).plain.text).toBe(view.text.slice(start, end))
    }),
  )
})
