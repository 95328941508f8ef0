import { hash } from 'node:crypto'

const BLOCK_BYTES = 64
const HASH_BYTES = 32
/** A UTF-16 code unit has at most three bytes of UTF-8. */
const MAX_BYTES_PER_UNIT = 3
/** Longer messages get their own buffer. */
const shared = Buffer.alloc(16_384)

/** SHA-256 of a text in UTF-8 or of bytes, 32 bytes. Through a string, because Node takes twice as long to return a buffer. */
export const sha256 = (data: string | Uint8Array): Buffer => Buffer.from(hash('sha256', data, 'binary'), 'binary')

/** HMAC-SHA-256 (RFC 2104) of a text in UTF-8 or of bytes: 64 lower-case hex digits, or `binary`: 32 characters, one for each byte. */
export type Hmac = (message: string | Uint8Array, encoding: 'hex' | 'binary') => string

/** HMAC as two one-shot hashes: `createHmac` takes twice as long. Throws a RangeError if the key has more than 64 bytes. */
export function prepareHmac(key: Uint8Array): Hmac {
  if (key.length > BLOCK_BYTES) throw new RangeError(`the key of an HMAC must have at most ${BLOCK_BYTES} bytes`)
  const inner = padKey(key, 0x36, BLOCK_BYTES)
  const outer = padKey(key, 0x5c, BLOCK_BYTES + HASH_BYTES)
  return (message, encoding) => {
    const isText = typeof message === 'string'
    const size = BLOCK_BYTES + message.length * (isText ? MAX_BYTES_PER_UNIT : 1)
    const bytes = size > shared.length ? Buffer.allocUnsafe(size) : shared
    bytes.set(inner)
    if (!isText) bytes.set(message, BLOCK_BYTES)
    const end = isText ? BLOCK_BYTES + bytes.write(message, BLOCK_BYTES) : size
    outer.write(hash('sha256', bytes.subarray(0, end), 'binary'), BLOCK_BYTES, 'binary')
    return hash('sha256', outer, encoding)
  }
}

/** The key and zeros up to the block size, each byte combined with `pad`, in a buffer of `size` bytes. */
function padKey(key: Uint8Array, pad: number, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  for (let at = 0; at < BLOCK_BYTES; at++) bytes[at] = (key[at] ?? 0) ^ pad
  return bytes
}
