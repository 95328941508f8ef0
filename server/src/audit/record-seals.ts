import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { derivedKey } from '../lib/derived-key.ts'

/** A record in its place: what its seal is made of. */
export interface SealedPlace {
  readonly sequence: number
  readonly prevHash: Buffer
  /** SHA-256 of the record's body. */
  readonly hash: Buffer
}

/** What nobody can make who has the database and not the server's secret key. */
export interface KeyedSeals {
  /** HMAC-SHA-256, 32 bytes. */
  record(place: SealedPlace): Buffer
  isRecord(place: SealedPlace, seal: Buffer): boolean
  /** Of the text that says how far the server vouches for the log; 64 hex digits. */
  log(text: string): string
  isLog(text: string, seal: string): boolean
}

const PLACE_BYTES = 8
const HASH_BYTES = 32

/** `key` is the Workspace's own, which is stored sealed; each kind of seal has a key of its own derived from it. */
export function keyedSeals(key: Uint8Array): KeyedSeals {
  // As KeyObjects: an HMAC from raw bytes takes six times as long.
  const recordKey = createSecretKey(derivedKey(key, 'audit record seal'))
  const logKey = createSecretKey(derivedKey(key, 'audit log seal'))
  const record = ({ sequence, prevHash, hash }: SealedPlace): Buffer => {
    const place = Buffer.allocUnsafe(PLACE_BYTES)
    place.writeBigUInt64BE(BigInt(sequence))
    return createHmac('sha256', recordKey).update(place).update(prevHash).update(hash).digest()
  }
  const log = (text: string): string => createHmac('sha256', logKey).update(text).digest('hex')
  return {
    record,
    // Of other lengths, two hashes could be two others side by side.
    isRecord: (place, seal) =>
      place.prevHash.length === HASH_BYTES && place.hash.length === HASH_BYTES && equal(record(place), seal),
    log,
    isLog: (text, seal) => equal(Buffer.from(log(text)), Buffer.from(seal)),
  }
}

const equal = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)
