import { deriveKey } from '../../../platform/lib/derived-key.ts'
import { type Hmac, prepareHmac } from '../../../platform/lib/sha256.ts'
import { canonicalText } from './canonical.ts'
import { type KeyedSeals, keyedSeals } from './record-seals.ts'

/** Each kind has its own key, so a hash of one kind reveals nothing about another. */
const KINDS = ['user', 'session', 'model', 'request', 'answer', 'hits', 'passage', 'memory', 'message', 'same memory'] as const

export type HashKind = (typeof KINDS)[number]

/** HMAC-SHA-256, hex: short texts cannot be guessed, and destroying the Workspace's key makes the hashes meaningless (GW-AUD-4). */
export interface KeyedHasher {
  user(id: string): string | null
  text(of: Exclude<HashKind, 'user'>, text: string | Uint8Array): string
  /** Of the RFC 8785 form, so independent of the order of keys. */
  json(of: Exclude<HashKind, 'user'>, value: unknown): string
  readonly seals: KeyedSeals
}

const KEY_BYTES = 32

export function keyedHasher(key: Uint8Array): KeyedHasher {
  if (key.length !== KEY_BYTES) throw new RangeError('the key of the content hashes must have 32 bytes')
  const hmacs = Object.fromEntries(KINDS.map((of) => [of, prepareHmac(deriveKey(key, `hash ${of}`))])) as Record<HashKind, Hmac>
  return {
    user: (id) => (id === '' ? null : hmacs.user(id, 'hex')),
    text: (of, text) => hmacs[of](text, 'hex'),
    json: (of, value) => hmacs[of](canonicalText(value), 'hex'),
    seals: keyedSeals(key),
  }
}
