import { expect, test } from 'vitest'
import { detectMediaType, HEAD_BYTES, isAllowedType } from './file-type.ts'

const bytes = (...values: number[]): Buffer => Buffer.concat([Buffer.from(values), Buffer.alloc(64)])

test.each<[string, Buffer, string, string]>([
  ['a PDF that is declared as text', Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj'), 'text/plain', 'application/pdf'],
  ['a program that is declared as a picture', bytes(0x7f, 0x45, 0x4c, 0x46, 2, 1, 1), 'image/png', 'application/x-elf'],
  ['an HTML page', Buffer.from('<!doctype html><script>alert(1)</script>'), 'text/html', 'text/plain'],
  ['CSV with parameters', Buffer.from('a,b\n1,2'), 'Text/CSV; header=present', 'text/csv'],
  ['JSON', Buffer.from('{"a":1}'), 'application/json', 'application/json'],
  ['an empty file', Buffer.alloc(0), 'text/markdown', 'text/markdown'],
  ['binary data', Buffer.from([0, 159, 146, 150]), 'text/plain', 'application/octet-stream'],
  ['Latin-1', Buffer.from('Gr\xf6\xdfe', 'latin1'), 'text/plain', 'application/octet-stream'],
  ['control characters', Buffer.from('a\x07b'), 'text/plain', 'application/octet-stream'],
  [
    'a text that starts within a character',
    Buffer.from('ü'.repeat(HEAD_BYTES)).subarray(1, HEAD_BYTES + 1),
    '',
    'application/octet-stream',
  ],
  [
    'a text that is cut within a character at HEAD_BYTES',
    Buffer.from(`a${'ü'.repeat(HEAD_BYTES)}`).subarray(0, HEAD_BYTES),
    '',
    'text/plain',
  ],
  ['a short text that ends within a character', Buffer.from('aü').subarray(0, 2), '', 'application/octet-stream'],
])('media type: detected for %s', async (_, head, declared, type) => {
  expect(await detectMediaType(head, declared)).toBe(type)
})

test('media type: programs are not allowed by default, and only listed types if there is a list', () => {
  expect(isAllowedType('image/png', undefined)).toBe(true)
  expect(isAllowedType('application/x-msdownload', undefined)).toBe(false)
  const allowed = ['image/*', 'application/pdf']
  expect(['image/png', 'application/pdf', 'application/zip', 'images/x'].map((type) => isAllowedType(type, allowed))).toEqual([
    true,
    true,
    false,
    false,
  ])
})
