import { createPublicKey, hash, verify } from 'node:crypto'
import { canonicalText } from './canonical.ts'
import { GENESIS } from './chain.ts'
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
  /** Absent in checkpoints that an older version has signed. */
  readonly previous?: PreviousCheckpoint
}

/** What chains checkpoints. It is signed apart, so that older versions and tools go on checking `signature`. */
export interface PreviousCheckpoint {
  /** `checkpointHash` of the checkpoint before; 64 zeros for the first. */
  readonly hash: string
  /** Ed25519 over the RFC 8785 form of the checkpoint's signed fields and `previous`, the hash; base64. */
  readonly signature: string
}

export type Unsigned = Omit<Checkpoint, 'signature' | 'frontier' | 'previous'>

/** What the first checkpoint names as the one before. */
export const NO_CHECKPOINT: string = GENESIS.hash.toString('hex')

/** `previous`: the hash of the checkpoint before; without it the checkpoint is one as older versions signed them. */
export function signCheckpoint(
  fields: Unsigned,
  frontier: Frontier,
  sign: (text: string) => Buffer,
  previous?: string,
): Checkpoint {
  const { object, workspace_id, size, hash, root, created_at } = fields
  return {
    ...{ object, workspace_id, size, hash, root, created_at },
    signature: sign(signedText(fields)).toString('base64'),
    frontier: frontier.peaks.map((peak) => peak.toString('hex')),
    ...(previous !== undefined && {
      previous: { hash: previous, signature: sign(chainedText(fields, previous)).toString('base64') },
    }),
  }
}

/** Whether nothing of it has changed since it was signed. `publicKey` is the Workspace's, SPKI PEM. */
export function isGenuine(checkpoint: Checkpoint, publicKey: string): boolean {
  const { signature, previous } = checkpoint
  const key = createPublicKey(publicKey)
  const isSigned = (text: string, by: string) => verify(null, Buffer.from(text), key, Buffer.from(by, 'base64'))
  if (!isSigned(signedText(checkpoint), signature)) return false
  if (previous && !isSigned(chainedText(checkpoint, previous.hash), previous.signature)) return false
  return frontierOf(checkpoint)?.root().toString('hex') === checkpoint.root
}

/** What the next checkpoint names: of everything that this one says, its own predecessor included. Lower-case hex. */
export const checkpointHash = (checkpoint: Checkpoint): string =>
  hash('sha256', chainedText(checkpoint, checkpoint.previous?.hash ?? ''), 'hex')

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

const chainedText = ({ object, workspace_id, size, hash, root, created_at }: Unsigned, previous: string): string =>
  canonicalText({ created_at, hash, object, previous, root, size, workspace_id })
