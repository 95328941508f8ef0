import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { secretBox, secretKeyId } from './secret-box.ts'

const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)]

test('secretBox: opens only with the same key, purpose and context', () => {
  const sealed = secretBox(first, 'test').seal('hush', 'row 1')
  expect(secretBox(first, 'test').open(sealed, 'row 1')).toBe('hush')
  expect(() => secretBox(first, 'test').open(sealed, 'row 2')).toThrow()
  expect(() => secretBox(first, 'other').open(sealed, 'row 1')).toThrow()
  expect(() => secretBox(second, 'test').open(sealed, 'row 1')).toThrow()
  for (let at = 1; at < sealed.length; at++) {
    const changed = Buffer.from(sealed)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => secretBox(first, 'test').open(changed, 'row 1'), `byte ${at}`).toThrow()
  }
})

test('secretBox: opens values of each configured key', () => {
  const sealed = secretBox(first, 'test').seal('hush', 'row 1')
  expect(secretBox({ secretKey: second, oldSecretKeys: [third, first] }, 'test').open(sealed, 'row 1')).toBe('hush')
  expect(secretBox({ secretKey: second, nextSecretKey: first }, 'test').open(sealed, 'row 1')).toBe('hush')
})

test('secretBox: a value carries the id of its key', () => {
  const ring = { secretKey: second, nextSecretKey: third, oldSecretKeys: [first] }
  const sealed = secretBox(ring, 'test').seal('hush', 'row 1')
  expect(sealed.subarray(0, 9).toString('hex')).toBe(`01${secretKeyId(second)}`)
  expect(secretBox(second, 'test').open(sealed, 'row 1')).toBe('hush')
  expect(() => secretBox(first, 'test').open(sealed, 'row 1')).toThrow(
    `secret key ${secretKeyId(second)}, which is not configured`,
  )
})

test('secretBox: sealedBy names the key, and is undefined when no configured key opens the value', () => {
  const box = secretBox({ secretKey: second, oldSecretKeys: [first] }, 'test')
  expect(box.sealedBy(box.seal('hush', 'row 1'), 'row 1')).toBe(secretKeyId(second))
  expect(box.sealedBy(secretBox(first, 'test').seal('hush', 'row 1'), 'row 1')).toBe(secretKeyId(first))
  expect(box.sealedBy(secretBox(third, 'test').seal('hush', 'row 1'), 'row 1')).toBeUndefined()
  expect(box.sealedBy(Buffer.alloc(0), 'row 1')).toBeUndefined()
})
