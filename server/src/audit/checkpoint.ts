import { createPublicKey, verify } from 'node:crypto'
import { canonicalText } from './canonical.ts'
import { Frontier } from './merkle.ts'

/**
 * The server's word on a Workspace's first `size` records: whoever keeps it can tell later whether they are still the same.
 * As it is stored, exported and handed out. Hashes in lower-case hex.
 */
export interface Checkpoint {
  readonly object: 'audit_checkpoint'
  readonly workspace_id: string
  readonly size: number
  /** Of the last record covered. */
  readonly hash: string
  /** RFC 9162 Merkle tree, whose leaves are the records' hashes (32 bytes each). */
  readonly root: string
  readonly created_at: string
  /** Ed25519 by the Workspace's key over the RFC 8785 form of the fields above; base64. */
  readonly signature: string
  /** Not signed, as `root` follows from it: the roots of the perfect subtrees, largest first. */
  readonly frontier: readonly string[]
}

export type Unsigned = Omit<Checkpoint, 'signature' | 'frontier'>

export function signCheckpoint(fields: Unsigned, frontier: Frontier, sign: (text: string) => Buffer): Checkpoint {
  const signature = sign(signedText(fields)).toString('base64')
  return { ...fields, signature, frontier: frontier.peaks.map((peak) => peak.toString('hex')) }
}

/** Whether nothing of it has changed since it was signed. `publicKey` is the Workspace's, SPKI PEM. */
export function isGenuine(checkpoint: Checkpoint, publicKey: string): boolean {
  const text = Buffer.from(signedText(checkpoint))
  if (!verify(null, text, createPublicKey(publicKey), Buffer.from(checkpoint.signature, 'base64'))) return false
  return frontierOf(checkpoint)?.root().toString('hex') === checkpoint.root
}

/** Undefined when those are not the peaks of a tree of that size. */
export function frontierOf({ size, frontier }: Pick<Checkpoint, 'size' | 'frontier'>): Frontier | undefined {
  try {
    return Frontier.fromBytes(size, Buffer.from(frontier.join(''), 'hex'))
  } catch {
    return undefined
  }
}

const signedText = ({ object, workspace_id, size, hash, root, created_at }: Unsigned): string =>
  canonicalText({ created_at, hash, object, root, size, workspace_id })
