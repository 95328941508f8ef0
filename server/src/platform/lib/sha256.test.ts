import { createHash, createHmac, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { prepareHmac, sha256 } from './sha256.ts'

/** Texts with lone surrogates, and texts and bytes around the size of the shared buffer. */
const message = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ minLength: 1 }).map((text) => `${text}\ud800é€😀`.repeat(1_500)),
  fc.integer({ min: 16_200, max: 16_500 }).map((length) => randomBytes(length)),
  fc.uint8Array({ maxLength: 200 }),
)

test('prepareHmac: equals HMAC-SHA-256 for any key of up to 64 bytes and any message', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), message, (key, data) => {
      const hmac = prepareHmac(key)
      expect(hmac(data, 'hex')).toBe(createHmac('sha256', key).update(data).digest('hex'))
      expect(Buffer.from(hmac(data, 'binary'), 'binary')).toEqual(createHmac('sha256', key).update(data).digest())
    }),
  )
})

test('prepareHmac: keeps keys apart that are used in turn', () => {
  const [first, second] = [prepareHmac(Buffer.from('first')), prepareHmac(Buffer.from('second'))]
  const expected = first('text', 'hex')
  expect(second('text', 'hex')).not.toBe(expected)
  expect(first('text', 'hex')).toBe(expected)
})

test('prepareHmac: throws for a key of more than 64 bytes', () =>
  expect(() => prepareHmac(new Uint8Array(65))).toThrow(RangeError))

test('sha256: equals SHA-256 of a text or of bytes', () => {
  fc.assert(
    fc.property(message, (data) => {
      expect(sha256(data)).toEqual(createHash('sha256').update(data).digest())
    }),
  )
})
