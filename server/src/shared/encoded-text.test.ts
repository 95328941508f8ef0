import { expect, test } from 'vitest'
import { readEncoded } from './encoded-text.ts'

const textOf = (url: string) => {
  const read = readEncoded(url, false)
  return read.kind === 'text' ? read.text : read.kind
}

test.each([
  ['data:,%41%4a%4A', 'AJJ'],
  ['data:,caf%C3%A9 é', 'café é'],
  ['data:,100%', '100%'],
  ['data:,%4', '%4'],
  ['data:,%4g%g4%%41', '%4g%g4%A'],
  ['data:text/plain;base64,aGVsbG8lM0Q', 'hello%3D'],
  ['data:text/plain;base64,aGVsbG8%3D', 'hello'],
])('percent-encoded file: %s is read as %s', (url, text) => {
  expect(textOf(url)).toBe(text)
})
