import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plain } from './plain.ts'

test('ASCII is plain, and so are letters of other scripts', () => {
  for (const text of ['', 'Hello, world!', 'Zoë, 你好, Привет, 👍']) expect(plain(text).text).toBe(text)
})

test.each([
  ['full-width forms', '４１１１ ａｂｃ＠ｄ．ｅ', '4111 abc@d.e'],
  ['mathematical letters', '𝐢𝐠𝐧𝐨𝐫𝐞 𝟜𝟚', 'ignore 42'],
  ['typographic spaces, dashes and quotes', '4111\u00a01111\u20131111 \u201ca\u201d \u2018b\u2019', '4111 1111-1111 "a" \'b\''],
  ['invisible characters', 'a\u200b\u200db\u00ad\ufeffc\u{e0041}\u{e0042}', 'abc'],
  ['emoji keep their pictures', '❤\ufe0f', '❤'],
  ['lone surrogates', '\ud835a\udb40', '\ud835a\udb40'],
])('%s', (_, text, expected) => expect(plain(text).text).toBe(expected))

test('a span of the plain text leads back to what it stands for', () => {
  const text = 'key: s\u200bk-\u200babc𝐝𝐞 end'
  const { text: seen, original } = plain(text)
  const start = seen.indexOf('sk-')
  const span = original(start, start + 'sk-abcde'.length)
  expect(text.slice(span.start, span.end)).toBe('s\u200bk-\u200babc𝐝𝐞')
})

test('every span, mapped back, reads the same when made plain', () => {
  const piece = fc.constantFrom('a', 'B', '7', ' ', '\u200b', '\u00ad', '𝐢', '４', '\u201c', '\u{e0041}', '👍', '\u00a0', 'é')
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 40 }), fc.nat(), fc.nat(), (pieces, from, size) => {
      const text = pieces.join('')
      const view = plain(text)
      if (view.text === '') return
      const start = from % view.text.length
      const end = Math.min(view.text.length, start + 1 + (size % 5))
      const isWhole = !/^[\udc00-\udfff]|[\ud800-\udbff]$/.test(view.text.slice(start, end))
      const span = view.original(start, end)
      if (isWhole) expect(plain(text.slice(span.start, span.end)).text).toBe(view.text.slice(start, end))
    }),
  )
})
