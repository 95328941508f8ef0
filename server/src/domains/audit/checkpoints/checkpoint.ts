import { createPublicKey, hash, verify } from 'node:crypto'
import { type ChainEnd, GENESIS } from '../chain/chain.ts'
import { canonicalText } from '../record/canonical.ts'
import { Frontier } from './merkle.ts'

/** A signed statement about a Workspace's first `size` records, with the same shape in storage, exports and the API. Hashes are lower-case hex. */
export interface Checkpoint {
  readonly object: 'audit_checkpoint'
  readonly workspace_id: string
  readonly size: number
  readonly hash: string
  /** Root of the RFC 9162 Merkle tree whose leaves are the records' hashes (32 bytes each). */
  readonly root: string
  readonly created_at: string
  /** Ed25519 signature with the Workspace's key over the RFC 8785 form of the fields above; base64. */
  readonly signature: string
  /** Roots of the perfect subtrees, largest first. Not signed, because `root` follows from them. */
  readonly frontier: readonly string[]
  /** It has its own signature, so that `signature` can be checked without it. */
  readonly previous: {
    /** `checkpointHash` of the previous checkpoint; 64 zeros for the first. */
    readonly hash: string
    /** Ed25519 signature over the RFC 8785 form of the checkpoint's signed fields and this hash as `previous`; base64. */
    readonly signature: string
  }
}

export type UnsignedCheckpoint = Omit<Checkpoint, 'signature' | 'frontier' | 'previous'>

export const NO_CHECKPOINT_HASH: string = GENESIS.hash.toString('hex')

export function signEnd(
  workspaceId: string,
  end: ChainEnd,
  frontier: Frontier,
  { now, sign, before }: { now: Date; sign: (text: string) => Buffer; before: Checkpoint | undefined },
): Checkpoint {
  const fields = {
    object: 'audit_checkpoint',
    workspace_id: workspaceId,
    size: end.sequence,
    hash: end.hash.toString('hex'),
    root: frontier.root().toString('hex'),
    created_at: now.toISOString(),
  } as const
  return signCheckpoint(fields, frontier, sign, before ? checkpointHash(before) : NO_CHECKPOINT_HASH)
}

export function signCheckpoint(
  fields: UnsignedCheckpoint,
  frontier: Frontier,
  sign: (text: string) => Buffer,
  previous: string,
): Checkpoint {
  const { object, workspace_id, size, hash, root, created_at } = fields
  return {
    ...{ object, workspace_id, size, hash, root, created_at },
    signature: sign(signedText(fields)).toString('base64'),
    frontier: frontier.peaks.map((peak) => peak.toString('hex')),
    previous: { hash: previous, signature: sign(signedText(fields, previous)).toString('base64') },
  }
}

/** Whether the checkpoint is unchanged since it was signed. `publicKey`: the Workspace's key, SPKI PEM. */
export function isGenuine(checkpoint: Checkpoint, publicKey: string): boolean {
  const { signature, previous } = checkpoint
  const key = createPublicKey(publicKey)
  const isSigned = (text: string, by: string) => verify(null, Buffer.from(text), key, Buffer.from(by, 'base64'))
  if (!isSigned(signedText(checkpoint), signature)) return false
  if (!isSigned(signedText(checkpoint, previous.hash), previous.signature)) return false
  return parseFrontier(checkpoint)?.root().toString('hex') === checkpoint.root
}

/** Over all fields and the link to the predecessor; the next checkpoint links to it. */
export const checkpointHash = (checkpoint: Checkpoint): string =>
  hash('sha256', signedText(checkpoint, checkpoint.previous.hash), 'hex')

export function parseFrontier({ size, frontier }: Pick<Checkpoint, 'size' | 'frontier'>): Frontier | undefined {
  try {
    return Frontier.fromBytes(size, Buffer.from(frontier.join(''), 'hex'))
  } catch {
    return undefined
  }
}

/** `previous`: only in the text of the link. */
const signedText = ({ object, workspace_id, size, hash, root, created_at }: UnsignedCheckpoint, previous?: string): string =>
  canonicalText({ created_at, hash, object, ...(previous !== undefined && { previous }), root, size, workspace_id })

/** Parses a file with one checkpoint per line. Throws a TypeError that names the invalid line. */
export async function parseCheckpointLines(lines: AsyncIterable<string>): Promise<Checkpoint[]> {
  const kept: Checkpoint[] = []
  let number = 0
  for await (const line of lines) {
    number += 1
    if (line.trim() !== '') kept.push(parseCheckpoint(line, number))
  }
  return kept
}

function parseCheckpoint(line: string, number: number): Checkpoint {
  try {
    const value = JSON.parse(line) as Partial<Checkpoint> | null
    const { workspace_id, size, hash, root, signature, frontier } = value ?? {}
    const isText = [workspace_id, hash, root, signature].every((field) => typeof field === 'string')
    if (value?.object === 'audit_checkpoint' && isText && Number.isSafeInteger(size) && Array.isArray(frontier))
      return value as Checkpoint
  } catch {
    // Reported below.
  }
  throw new TypeError(`line ${number} is not an audit checkpoint`)
}
