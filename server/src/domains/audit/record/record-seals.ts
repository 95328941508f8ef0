import { timingSafeEqual } from 'node:crypto'
import { deriveKey } from '../../../platform/lib/derived-key.ts'
import { type Hmac, prepareHmac } from '../../../platform/lib/sha256.ts'

export interface SealedPlace {
  readonly sequence: number
  readonly prevHash: Buffer
  readonly hash: Buffer
}

/** Binds a record's content, its place in its group, and the record that the group comes after (docs/decisions/0007-audit.md). */
export interface GroupSeal {
  /** A record before the group: its hash covers all records before it. */
  readonly anchor: Pick<SealedPlace, 'sequence' | 'hash'>
  /** Random id of the group, hex. */
  readonly group: string
  readonly index: number
  readonly size: number
  /** Where the position begins in the body, in UTF-16 code units. */
  readonly offset: number
}

const HASH_BYTES = 32
const VERSION = 1
const GROUP_BYTES = 16
const UNSIGNED_BYTES = 1 + 8 + HASH_BYTES + GROUP_BYTES + 2 + 2 + 4

/** Length of a stored seal: its fields, then an HMAC-SHA-256 over them and the content's hash. */
export const GROUP_SEAL_BYTES: number = UNSIGNED_BYTES + HASH_BYTES

function encodeGroupSeal({ anchor, group, index, size, offset }: GroupSeal): Buffer {
  const bytes = Buffer.allocUnsafe(UNSIGNED_BYTES)
  let at = bytes.writeUInt8(VERSION)
  at = bytes.writeBigUInt64BE(BigInt(anchor.sequence), at)
  at += anchor.hash.copy(bytes, at)
  at += bytes.write(group, at, 'hex')
  at = bytes.writeUInt16BE(index, at)
  at = bytes.writeUInt16BE(size, at)
  bytes.writeUInt32BE(offset, at)
  return bytes
}

/** Returns undefined if the seal has another form, such as that of a position. */
export function decodeGroupSeal(seal: Buffer): (GroupSeal & { readonly signed: Buffer; readonly mac: Buffer }) | undefined {
  if (seal.length !== GROUP_SEAL_BYTES || seal[0] !== VERSION) return undefined
  const afterAnchor = 9 + HASH_BYTES
  const afterGroup = afterAnchor + GROUP_BYTES
  return {
    anchor: { sequence: Number(seal.readBigUInt64BE(1)), hash: seal.subarray(9, afterAnchor) },
    group: seal.toString('hex', afterAnchor, afterGroup),
    index: seal.readUInt16BE(afterGroup),
    size: seal.readUInt16BE(afterGroup + 2),
    offset: seal.readUInt32BE(afterGroup + 4),
    signed: seal.subarray(0, UNSIGNED_BYTES),
    mac: seal.subarray(UNSIGNED_BYTES),
  }
}

/** Seals that only the secret key can make; access to the database is not sufficient. */
export interface KeyedSeals {
  /** HMAC-SHA-256, 32 bytes. */
  record(place: SealedPlace): Buffer
  isRecord(place: SealedPlace, seal: Buffer): boolean
  /** `content`: SHA-256 of the record's text without its position, which is not known yet. */
  grouped(seal: GroupSeal, content: Buffer): Buffer
  isGrouped(seal: Buffer, content: Buffer): boolean
  /** 32 bytes. `id`: of the record that waits for its position. */
  pending(id: string, content: Buffer): Buffer
  isPending(id: string, content: Buffer, seal: Buffer): boolean
  /** MAC of the text of a log's seal; 64 hex digits. */
  log(text: string): string
  isLog(text: string, seal: string): boolean
}

const PLACE_BYTES = 8

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
