import { canonicalBody, hashBody } from '../../src/domains/audit/chain/chain.ts'
import { isGenuine } from '../../src/domains/audit/checkpoints/checkpoint.ts'
import { leafHash, nodeHash } from '../../src/domains/audit/checkpoints/merkle.ts'
import type { InclusionProof } from '../../src/domains/audit/checkpoints/proof.ts'
import type { AuditRecord } from '../../src/domains/audit/record/record.ts'

/** Whether the Workspace's key has signed a checkpoint over exactly this record, as its owner would check it. */
export function checkInclusion(record: AuditRecord, { checkpoint, path }: InclusionProof, publicKey: string): boolean {
  if (record.workspace_id !== checkpoint.workspace_id || !isGenuine(checkpoint, publicKey)) return false
  const hash = hashBody(canonicalBody(record))
  if (hash.toString('hex') !== record.integrity.hash) return false
  const hashes = path.map((text) => Buffer.from(text, 'hex'))
  return rootOf(leafHash(hash), record.integrity.sequence - 1, checkpoint.size, hashes)?.toString('hex') === checkpoint.root
}

/** The root of the tree in which the path leads to the leaf. Undefined: the path has another length than RFC 9162 §2.1.3.1 says. */
export function rootOf(leaf: Buffer, index: number, size: number, path: readonly Buffer[]): Buffer | undefined {
  const last = path.at(-1)
  if (size === 1) return index === 0 && last === undefined ? leaf : undefined
  if (last === undefined || index < 0 || index >= size) return undefined
  const middle = 2 ** (Math.ceil(Math.log2(size)) - 1)
  const isLeft = index < middle
  const inner = rootOf(leaf, isLeft ? index : index - middle, isLeft ? middle : size - middle, path.slice(0, -1))
  return inner && (isLeft ? nodeHash(inner, last) : nodeHash(last, inner))
}
