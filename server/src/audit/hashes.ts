import { createHmac, createSecretKey } from 'node:crypto'
import { canonicalText } from './canonical.ts'
import { type KeyedSeals, keyedSeals } from './record-seals.ts'

/**
 * HMAC-SHA-256 under the Workspace's key, 64 lower-case hex digits: short texts cannot be guessed from it, and destroying
 * the key erases what the hashes stand for (decisions.md §2.9). Users and contents are hashed apart, so that a record
 * never tells that somebody wrote an id that is also a user's.
 */
export interface KeyedHasher {
  /** null for the empty id: nobody was named. */
  user(id: string): string | null
  /** Of a text, or of the bytes it came in. */
  text(text: string | Uint8Array): string
  /** Of the RFC 8785 form: whatever the order of keys, one hash for one value. */
  json(value: unknown): string
  /** Seals of the audit log, under keys of their own. */
  readonly seals: KeyedSeals
}

const KEY_BYTES = 32

/** Throws when the key does not have 256 bits. */
export function keyedHasher(key: Uint8Array): KeyedHasher {
  if (key.length !== KEY_BYTES) throw new RangeError('the key of the content hashes has the wrong size')
  // As a KeyObject: an HMAC from raw bytes takes six times as long.
  const secret = createSecretKey(key)
  const hash = (kind: string, text: string | Uint8Array): string =>
    createHmac('sha256', secret).update(kind).update(text).digest('hex')
  return {
    user: (id) => (id === '' ? null : hash('user\0', id)),
    text: (text) => hash('text\0', text),
    json: (value) => hash('json\0', canonicalText(value)),
    seals: keyedSeals(key),
  }
}
