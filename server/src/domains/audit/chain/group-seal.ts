/** A record of the chain that a group is sealed behind. */
interface Anchor {
  readonly sequence: number
  readonly hash: Buffer
}

/**
 * Seal of a record that was sealed before its position was known: it binds the record's content, its place in its group, and the record
 * that the group comes after (docs/decisions/0007-audit.md).
 */
export interface GroupSeal {
  /** A record before the group: its hash covers all records before it. */
  readonly anchor: Anchor
  /** Random id of the group, hex. */
  readonly group: string
  /** Place in the group, from 0. */
  readonly index: number
  /** Number of records in the group. */
  readonly size: number
  /** Where the position begins in the body, in UTF-16 code units. */
  readonly offset: number
}

const VERSION = 1
const HASH_BYTES = 32
const GROUP_BYTES = 16
const UNSIGNED_BYTES = 1 + 8 + HASH_BYTES + GROUP_BYTES + 2 + 2 + 4

/** Length of a stored seal: its fields, then an HMAC-SHA-256 over them and the content's hash. */
export const GROUP_SEAL_BYTES: number = UNSIGNED_BYTES + HASH_BYTES

/** The part of the stored seal before the HMAC. */
export function encodeGroupSeal({ anchor, group, index, size, offset }: GroupSeal): Buffer {
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

/** Splits a stored seal. Returns undefined if it has another form, such as the seal of a position. */
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
