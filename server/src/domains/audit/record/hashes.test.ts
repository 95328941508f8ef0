import { createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { keyedHasher } from './hashes.ts'

const key = randomBytes(32)
const hasher = keyedHasher(key)

test('keyedHasher: hashes with an HMAC and a derived key per kind', () => {
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'gatehouse hash request', 32))
  expect(hasher.text('request', 'yes')).toBe(createHmac('sha256', derived).update('yes').digest('hex'))
  expect(hasher.text('request', 'yes')).not.toBe(keyedHasher(randomBytes(32)).text('request', 'yes'))
})

test('keyedHasher: gives equal values one hash when their keys have another order', () => {
  expect(hasher.json('hits', { a: 1, b: [{ d: 2, c: 3 }] })).toBe(hasher.json('hits', { b: [{ c: 3, d: 2 }], a: 1 }))
  expect(hasher.json('hits', { a: 1 })).not.toBe(hasher.json('hits', { a: '1' }))
})

test('keyedHasher: gives one text another hash for each kind', () => {
  const hashes = [hasher.user('mia'), hasher.text('session', 'mia'), hasher.text('request', 'mia'), hasher.text('memory', 'mia')]
  expect(new Set(hashes).size).toBe(4)
})

test('keyedHasher.user: returns null for an empty id', () => expect(hasher.user('')).toBeNull())

test('keyedHasher: throws for a key of the wrong size', () => expect(() => keyedHasher(randomBytes(16))).toThrow(RangeError))
