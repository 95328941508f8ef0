import { createHmac, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyedHasher } from './hashes.ts'

const key = randomBytes(32)
const hasher = keyedHasher(key)

test('a hash is an HMAC under the key: without the key not even a short text can be guessed', () => {
  expect(hasher.text('yes')).toBe(createHmac('sha256', key).update('text\0yes').digest('hex'))
  expect(hasher.text('yes')).not.toBe(keyedHasher(randomBytes(32)).text('yes'))
})

test('one value has one hash, whatever the order of its keys', () => {
  expect(hasher.json({ a: 1, b: [{ d: 2, c: 3 }] })).toBe(hasher.json({ b: [{ c: 3, d: 2 }], a: 1 }))
  expect(hasher.json({ a: 1 })).not.toBe(hasher.json({ a: '1' }))
})

test('a user and a text that say the same cannot be told to do so', () => {
  expect(new Set([hasher.user('"mia"'), hasher.text('"mia"'), hasher.json('mia')]).size).toBe(3)
})

test('nobody has no hash', () => expect(hasher.user('')).toBeNull())

test('a key of the wrong size is refused', () => expect(() => keyedHasher(randomBytes(16))).toThrow(RangeError))
