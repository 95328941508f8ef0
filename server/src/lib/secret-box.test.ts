import { createCipheriv, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { deriveKey } from './derived-key.ts'
import { secretBox, secretKeyId } from './secret-box.ts'

const [first, second, third] = [randomBytes(32), randomBytes(32), randomBytes(32)]

/** A value as the last release sealed it. */
function sealAsLastRelease(secretKey: Uint8Array, plain: string, context: string): Buffer {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', deriveKey(secretKey, 'test'), nonce).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.of(1), nonce, cipher.getAuthTag(), body])
}

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

test('secretBox: opens values of the last release with each configured key', () => {
  const sealed = sealAsLastRelease(first, 'hush', 'row 1')
  expect(secretBox(first, 'test').open(sealed, 'row 1')).toBe('hush')
  expect(secretBox({ secretKey: second, oldSecretKeys: [third, first] }, 'test').open(sealed, 'row 1')).toBe('hush')
  expect(secretBox({ secretKey: second, nextSecretKey: first }, 'test').open(sealed, 'row 1')).toBe('hush')
})

test('secretBox: seals as the last release does when there is one key', () => {
  expect(secretBox(first, 'test').seal('hush', 'row 1')[0]).toBe(1)
  expect(secretBox({ secretKey: first, oldSecretKeys: [] }, 'test').seal('hush', 'row 1')[0]).toBe(1)
})

test('secretBox: a value carries the id of its key when there are several keys', () => {
  const ring = { secretKey: second, nextSecretKey: third, oldSecretKeys: [first] }
  const sealed = secretBox(ring, 'test').seal('hush', 'row 1')
  expect(sealed.subarray(0, 9).toString('hex')).toBe(`02${secretKeyId(second)}`)
  expect(secretBox(second, 'test').open(sealed, 'row 1')).toBe('hush')
  expect(() => secretBox(first, 'test').open(sealed, 'row 1')).toThrow(
    `secret key ${secretKeyId(second)}, which is not configured`,
  )
})

test('secretBox: sealedBy names the key, and is undefined when no configured key opens the value', () => {
  const box = secretBox({ secretKey: second, oldSecretKeys: [first] }, 'test')
  expect(box.sealedBy(box.seal('hush', 'row 1'), 'row 1')).toBe(secretKeyId(second))
  expect(box.sealedBy(sealAsLastRelease(first, 'hush', 'row 1'), 'row 1')).toBe(secretKeyId(first))
  expect(box.sealedBy(sealAsLastRelease(third, 'hush', 'row 1'), 'row 1')).toBeUndefined()
  expect(box.sealedBy(Buffer.alloc(0), 'row 1')).toBeUndefined()
})
