import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { derivedKey } from '../lib/derived-key.ts'
import { canonicalText } from './canonical.ts'
import { type KeyedSeals, keyedSeals } from './record-seals.ts'

/** What a hash is of. Each has a key of its own, so that no hash of one kind can be had by asking for another. */
const HASHED = ['user', 'session', 'model', 'request', 'answer', 'hits', 'passage', 'memory', 'message', 'same memory'] as const

export type Hashed = (typeof HASHED)[number]

/**
 * HMAC-SHA-256, 64 lower-case hex digits, under keys derived from the Workspace's: short texts cannot be guessed from it, and
 * destroying the Workspace's key erases what the hashes stand for (decisions.md §2.9).
 */
export interface KeyedHasher {
  /** null for the empty id: the record names no user. */
  user(id: string): string | null
  /** Of a text, or of the bytes it came in. */
  text(of: Exclude<Hashed, 'user'>, text: string | Uint8Array): string
  /** Of the RFC 8785 form: one hash for one value, whatever the order of its keys. */
  json(of: Exclude<Hashed, 'user'>, value: unknown): string
  /**
   * Every hash under which stored rows may know a text: the present one first, then the one of earlier versions, which used
   * one key for everything. For comparing only: an old hash is never written or answered again.
   */
  known(of: Hashed, text: string): readonly string[]
  /** Seals of the audit log, under keys of their own. */
  readonly seals: KeyedSeals
}

const KEY_BYTES = 32

const hmac = (key: KeyObject, text: string | Uint8Array): string => createHmac('sha256', key).update(text).digest('hex')

/** Throws when the key does not have 256 bits. */
export function keyedHasher(key: Uint8Array): KeyedHasher {
  if (key.length !== KEY_BYTES) throw new RangeError('the key of the content hashes has the wrong size')
  // As KeyObjects: an HMAC from raw bytes takes six times as long.
  const keys = Object.fromEntries(HASHED.map((of) => [of, createSecretKey(derivedKey(key, `hash ${of}`))])) as Record<
    Hashed,
    KeyObject
  >
  const underived = createSecretKey(key)
  return {
    user: (id) => (id === '' ? null : hmac(keys.user, id)),
    text: (of, text) => hmac(keys[of], text),
    json: (of, value) => hmac(keys[of], canonicalText(value)),
    known: (of, text) => [hmac(keys[of], text), hmac(underived, `${of === 'user' ? 'user' : 'text'}\0${text}`)],
    seals: keyedSeals(key),
  }
}

/** The binding key of earlier versions: a hash that a caller could obtain. Only to recognise holds that were opened under it. */
export const underivedBindingKey = (key: Uint8Array): Buffer => createHmac('sha256', key).update('text\0review binding').digest()
