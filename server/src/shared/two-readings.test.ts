import { expect, test } from 'vitest'
import { collect } from './message.ts'

const SECRET = 'My card is 4111 1111 1111 1111'
const fileOf = (bytes: Buffer) => {
  const file_data = `data:text/plain;base64,${bytes.toString('base64')}`
  return [{ role: 'user', content: [{ type: 'file', file: { file_data } }] }]
}

test.each([
  ['a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(SECRET)])],
  ['zeros in the first 4 KiB', Buffer.concat([Buffer.from('a'.repeat(2_100), 'utf16le'), Buffer.from(SECRET)])],
])('text file: ASCII is collected when it looks like UTF-16 because of %s', (_, bytes) => {
  expect(collect(fileOf(bytes)).texts.some((text) => text.includes(SECRET))).toBe(true)
})

test('text file: has no second reading when it is UTF-16', () => {
  // A shorter file is also scanned as a word.
  const text = `${SECRET}${'.'.repeat(200)}`
  const { texts } = collect(fileOf(Buffer.from(`\uFEFF${text}`, 'utf16le')))
  expect(texts.filter((one) => one.includes('4111'))).toEqual([text])
})

test('text: a picture in a data: URL counts as unread', () => {
  const url = `data:image/png;base64,${Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]).toString('base64')}`
  const { unread } = collect([{ role: 'user', content: `see ![x](${url})` }])
  expect(unread).toEqual({ count: 1, bytes: 8, kinds: ['image'] })
})
