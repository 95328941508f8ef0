import { timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../../platform/lib/derived-key.ts'
import { type Hmac, prepareHmac } from '../../../platform/lib/sha256.ts'
import { decodeGroupSeal, encodeGroupSeal, type GroupSeal } from '../chain/group-seal.ts'

/** Input of a record's seal. */
export interface SealedPlace {
  readonly sequence: number
  readonly prevHash: Buffer
  /** SHA-256 of the record's body. */
  readonly hash: Buffer
}

/** Seals that only the secret key can make; access to the database is not sufficient. */
export interface KeyedSeals {
  /** HMAC-SHA-256, 32 bytes. */
  record(place: SealedPlace): Buffer
  isRecord(place: SealedPlace, seal: Buffer): boolean
  /** Seal of a record whose position is not known yet. `content`: SHA-256 of its text without the position. */
  grouped(seal: GroupSeal, content: Buffer): Buffer
  isGrouped(seal: Buffer, content: Buffer): boolean
  /** Seal of a record that waits for its position; 32 bytes. `id`: of the record. */
  pending(id: string, content: Buffer): Buffer
  isPending(id: string, content: Buffer, seal: Buffer): boolean
  /** MAC of the text of a log's seal; 64 hex digits. */
  log(text: string): string
  isLog(text: string, seal: string): boolean
}

const PLACE_BYTES = 8
const HASH_BYTES = 32

/** `key`: the Workspace's hash key, stored encrypted; each kind of seal has its own derived key. */
export function keyedSeals(key: Uint8Array): KeyedSeals {
  const recordHmac = prepareHmac(deriveKey(key, 'audit record seal'))
  const logHmac = prepareHmac(deriveKey(key, 'audit log seal'))
  const record = ({ sequence, prevHash, hash }: SealedPlace): Buffer => {
    const place = Buffer.allocUnsafe(PLACE_BYTES)
    place.writeBigUInt64BE(BigInt(sequence))
    return sealOf(recordHmac, [place, prevHash, hash])
  }
  const groupHmac = prepareHmac(deriveKey(key, 'audit group seal'))
  const pendingHmac = prepareHmac(deriveKey(key, 'audit pending seal'))
  const pending = (id: string, content: Buffer): Buffer => sealOf(pendingHmac, [Buffer.from(id), content])
  const log = (text: string): string => logHmac(text, 'hex')
  return {
    record,
    // With other lengths two different pairs of hashes could concatenate to the same bytes.
    isRecord: (place, seal) =>
      place.prevHash.length === HASH_BYTES && place.hash.length === HASH_BYTES && equal(record(place), seal),
    grouped(seal, content) {
      const signed = encodeGroupSeal(seal)
      return Buffer.concat([signed, sealOf(groupHmac, [signed, content])])
    },
    isGrouped(seal, content) {
      const decoded = decodeGroupSeal(seal)
      return decoded !== undefined && equal(sealOf(groupHmac, [decoded.signed, content]), decoded.mac)
    },
    pending,
    isPending: (id, content, seal) => equal(pending(id, content), seal),
    log,
    isLog: (text, seal) => equal(Buffer.from(log(text)), Buffer.from(seal)),
  }
}

const sealOf = (hmac: Hmac, parts: readonly Buffer[]): Buffer => Buffer.from(hmac(Buffer.concat(parts), 'binary'), 'binary')

const equal = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)
