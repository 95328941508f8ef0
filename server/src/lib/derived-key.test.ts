import { hkdfSync, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { derivedKey } from './derived-key.ts'

const secret = randomBytes(32)

test('derivedKey: 256 bits, the same for one secret and label', () => {
  expect(derivedKey(secret, 'audit seal')).toHaveLength(32)
  expect(derivedKey(secret, 'audit seal')).toEqual(derivedKey(secret, 'audit seal'))
})

test('derivedKey: another key when the label or the secret differs', () => {
  const keys = [derivedKey(secret, 'a'), derivedKey(secret, 'b'), derivedKey(randomBytes(32), 'a'), secret]
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(keys.length)
})

test('derivedKey: boxes sealed before it existed still open, because the derivation is the same', () => {
  expect(derivedKey(secret, 'review')).toEqual(Buffer.from(hkdfSync('sha256', secret, '', 'gatehouse review', 32)))
})
