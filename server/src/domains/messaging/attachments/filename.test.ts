import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanFilename, contentDisposition } from './filename.ts'

test.each([
  ['report.pdf', 'report.pdf'],
  ['  Größe ✓.txt ', 'Größe ✓.txt'],
  ['../../etc/passwd', '_.._etc_passwd'],
  ['C:\\x"y".txt', 'C__x_y_.txt'],
  ['a\r\nSet-Cookie: b', 'a__Set-Cookie_ b'],
  ['photo\u202Egpj.exe', 'photo_gpj.exe'],
  ['.htaccess', 'htaccess'],
  ['', 'file'],
  ['...', 'file'],
  ['\ud800', '_'],
])('filename: %j becomes %j', (given, clean) => {
  expect(cleanFilename(given)).toBe(clean)
})

test('filename: a long name is shortened and keeps its extension', () => {
  const name = cleanFilename(`${'ü'.repeat(300)}.pdf`)
  expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
  expect(name).toMatch(/^ü{100,}\.pdf$/)
})

test('filename: every name fits, and its header is one line of ASCII that can be decoded', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (given) => {
      const name = cleanFilename(given)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
      expect(cleanFilename(name)).toBe(name)
      const header = contentDisposition(name)
      expect(header).toMatch(/^attachment; filename="[ !#-[\]-~]+"; filename\*=UTF-8''[\w!#$&+.^`|~%-]+$/)
      expect(decodeURIComponent(header.split("UTF-8''")[1] ?? '')).toBe(name)
    }),
  )
})
