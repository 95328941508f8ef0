import { canonicalBody, hashBody } from '../chain/chain.ts'
import { isGenuine } from '../checkpoints/checkpoint.ts'
import { leafHash, nodeHash } from '../checkpoints/merkle.ts'
import type { InclusionProof } from '../checkpoints/proof.ts'
import type { AuditRecord } from '../record/record.ts'

/** A record with its proof, as `GET /admin/v1/audit/{id}/proof` returns it. */
export interface RecordProof extends InclusionProof {
  readonly record: AuditRecord
}

export type ProofFault = 'record_altered' | 'not_covered' | 'checkpoint_altered'

/** Throws a TypeError if the text is no proof. */
export function parseRecordProof(text: string): RecordProof {
  const value = parseJson(text)
  const { object, record, checkpoint, path } = value ?? {}
  const isWhole =
    typeof record?.integrity?.hash === 'string' && typeof checkpoint?.previous?.hash === 'string' && Array.isArray(path)
  if (object !== 'audit_inclusion_proof' || !isWhole) throw new TypeError('the file is not the proof of an audit record')
  return value as RecordProof
}

function parseJson(text: string): Partial<RecordProof> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

/** Undefined: the Workspace's key (SPKI PEM) has signed a checkpoint over exactly this record. Needs no database. */
export function findProofFault({ record, checkpoint, path }: RecordProof, publicKey: string): ProofFault | undefined {
  const { hash, sequence } = record.integrity
  if (hashBody(canonicalBody(record)).toString('hex') !== hash) return 'record_altered'
  if (record.workspace_id !== checkpoint.workspace_id || !isGenuine(checkpoint, publicKey)) return 'checkpoint_altered'
  const leaf = leafHash(Buffer.from(hash, 'hex'))
  const root = rootOf(leaf, sequence - 1, checkpoint.size, path)
  return root?.toString('hex') === checkpoint.root ? undefined : 'not_covered'
}

/** The root of a leaf and its audit path (RFC 9162 §2.1.3.2). Undefined: the path does not fit the tree. */
function rootOf(leaf: Buffer, index: number, size: number, path: readonly string[]): Buffer | undefined {
  let [node, at, last] = [leaf, index, size - 1]
  if (at < 0 || at > last) return undefined
  for (const text of path) {
    if (last === 0) return undefined
    const sibling = Buffer.from(text, 'hex')
    const isRight = at % 2 === 1 || at === last
    node = isRight ? nodeHash(sibling, node) : nodeHash(node, sibling)
    // The last node of a level without a sibling goes up unchanged.
    while (isRight && at % 2 === 0 && at !== 0) [at, last] = [at / 2, Math.floor(last / 2)]
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 ? node : undefined
}
