import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey } from './derived-key.ts'

/** Secret keys of the server (docs/decisions/0029-keys-and-backup.md). */
export interface SecretKeys {
  /** Seals, and opens. */
  readonly secretKey: Uint8Array
  /** The key that other nodes seal with already. It only opens. */
  readonly nextSecretKey?: Uint8Array | undefined
  /** Former keys. They only open, and a job seals their values again with `secretKey`. */
  readonly oldSecretKeys?: readonly Uint8Array[]
}

/** AES-256-GCM under a key derived from the server's secret key, one per purpose. */
export interface SecretBox {
  /** The result can only be opened with the same `context`, for example the row's id. */
  seal(plain: string, context: string): Buffer
  /** Throws if the bytes were changed or were sealed with another context, or with a key that is not configured. */
  open(sealed: Uint8Array, context: string): string
  /** Id of the secret key that the bytes were sealed with. Undefined: no configured key opens them. */
  sealedBy(sealed: Uint8Array, context: string): string | undefined
}

/** Layout: version, id of the secret key, nonce, tag, body. */
export const SEALED_VERSION = 1
export const KEY_ID_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Names a secret key and reveals nothing about it: 16 hexadecimal digits. */
export const secretKeyId = (secretKey: Uint8Array): string =>
  deriveKey(secretKey, 'secret key id').subarray(0, KEY_ID_BYTES).toString('hex')

export const listSecretKeys = ({ secretKey, nextSecretKey, oldSecretKeys = [] }: SecretKeys): readonly Uint8Array[] => [
  secretKey,
  ...(nextSecretKey ? [nextSecretKey] : []),
  ...oldSecretKeys,
]

export function secretBox(keys: Uint8Array | SecretKeys, purpose: string): SecretBox {
  const secretKeys = listSecretKeys(keys instanceof Uint8Array ? { secretKey: keys } : keys)
  const ring = new Map(secretKeys.map((secretKey) => [secretKeyId(secretKey), deriveKey(secretKey, purpose)]))
  const [[sealingId, sealingKey] = ['', Buffer.alloc(0)]] = ring
  const header = Buffer.concat([Buffer.of(SEALED_VERSION), Buffer.from(sealingId, 'hex')])

  function decrypt(sealed: Uint8Array, context: string): { readonly id: string; readonly plain: string } {
    const { id, encrypted } = parseSealed(Buffer.from(sealed))
    const key = ring.get(id)
    if (!key) throw new Error(`sealed with the secret key ${id}, which is not configured`)
    return { id, plain: decryptWith(key, encrypted, context) }
  }

  return {
    seal: (plain, context) => Buffer.concat([header, encryptWith(sealingKey, plain, context)]),
    open: (sealed, context) => decrypt(sealed, context).plain,
    sealedBy(sealed, context) {
      try {
        return decrypt(sealed, context).id
      } catch {
        return undefined
      }
    },
  }
}

function parseSealed(bytes: Buffer): { readonly id: string; readonly encrypted: Buffer } {
  if (bytes[0] !== SEALED_VERSION) throw new Error('sealed with an unknown version')
  const end = 1 + KEY_ID_BYTES
  return { id: bytes.subarray(1, end).toString('hex'), encrypted: bytes.subarray(end) }
}

function encryptWith(key: Buffer, plain: string, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

function decryptWith(key: Buffer, encrypted: Buffer, context: string): string {
  const bodyAt = NONCE_BYTES + TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key, encrypted.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES }).setAAD(
    Buffer.from(context),
  )
  decipher.setAuthTag(encrypted.subarray(NONCE_BYTES, bodyAt))
  return Buffer.concat([decipher.update(encrypted.subarray(bodyAt)), decipher.final()]).toString('utf8')
}
