import { hkdfSync } from 'node:crypto'

/**
 * A 256-bit key for one purpose: HKDF-SHA-256 (RFC 5869) of `secret`, without salt, with `gatehouse <label>` as info. Keys of
 * different labels reveal nothing about each other or the secret. Use each label for one purpose only.
 */
export const deriveKey = (secret: Uint8Array, label: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `gatehouse ${label}`, 32))
