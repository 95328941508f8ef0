import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey } from './derived-key.ts'

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM under a key derived from the server's secret key, one per purpose. */
export interface SecretBox {
  /** The result can only be opened with the same `context`, for example the row's id. */
  seal(plain: string, context: string): Buffer
  /** Throws if the bytes were changed or were sealed with another context or key. */
  open(sealed: Uint8Array, context: string): string
}

export function secretBox(secretKey: Uint8Array, purpose: string): SecretBox {
  const key = deriveKey(secretKey, purpose)
  return {
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body])
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed)
      if (bytes[0] !== VERSION) throw new Error('sealed with an unknown version')
      const tagAt = 1 + NONCE_BYTES
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, tagAt)).setAAD(Buffer.from(context))
      decipher.setAuthTag(bytes.subarray(tagAt, tagAt + TAG_BYTES))
      return Buffer.concat([decipher.update(bytes.subarray(tagAt + TAG_BYTES)), decipher.final()]).toString('utf8')
    },
  }
}
