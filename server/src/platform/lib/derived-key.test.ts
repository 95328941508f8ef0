import { hkdfSync, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { deriveKey } from './derived-key.ts'

const secret = randomBytes(32)

test('deriveKey: another key when the label or the secret differs', () => {
  const keys = [deriveKey(secret, 'a'), deriveKey(secret, 'b'), deriveKey(randomBytes(32), 'a'), secret]
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(keys.length)
})

test('deriveKey: equals the derivation of existing sealed values', () => {
  expect(deriveKey(secret, 'review')).toEqual(Buffer.from(hkdfSync('sha256', secret, '', 'gatehouse review', 32)))
})
