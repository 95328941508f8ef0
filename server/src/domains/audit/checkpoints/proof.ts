import type { Db } from '../../../platform/db/database.ts'
import { fromId } from '../../../platform/lib/id.ts'
import { readHashPages, recordsOf } from '../audit-store.ts'
import { type Checkpoint, parseFrontier } from './checkpoint.ts'
import { findCheckpointBefore, findCheckpointCovering } from './checkpoint-store.ts'
import { Frontier, inclusionPath, leafHash } from './merkle.ts'

export interface InclusionProof {
  readonly object: 'audit_inclusion_proof'
  readonly checkpoint: Checkpoint
  /** RFC 9162 audit path of leaf `integrity.sequence - 1`, lower-case hex, from the leaf upwards. */
  readonly path: readonly string[]
}

/** Undefined if the Workspace does not have the record, or no checkpoint covers it yet. Reads only the hashes between two checkpoints. */
export async function createInclusionProof(db: Db, workspaceId: string, recordId: string): Promise<InclusionProof | undefined> {
  const uuid = fromId('aud', recordId)
  if (uuid === undefined) return undefined
  const record = await recordsOf(db, workspaceId).select('sequence').where('id', '=', uuid).executeTakeFirst()
  if (record === undefined) return undefined
  const checkpoint = await findCheckpointCovering(db, workspaceId, record.sequence)
  if (checkpoint === undefined) return undefined
  const before = await findCheckpointBefore(db, workspaceId, record.sequence)
  const frontier = before ? parseFrontier(before) : new Frontier()
  if (frontier === undefined) throw new Error(`checkpoint ${before?.size} of ${workspaceId} was altered`)
  const leaves: Buffer[] = []
  for await (const hashes of readHashPages(db, workspaceId, frontier.size, checkpoint.size)) leaves.push(...hashes.map(leafHash))
  const path = inclusionPath(frontier, leaves, record.sequence - 1)
  return { object: 'audit_inclusion_proof', checkpoint, path: path.map((hash) => hash.toString('hex')) }
}
