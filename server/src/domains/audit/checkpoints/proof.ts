import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { fromId } from '../../../platform/lib/id.ts'
import { readHashPages } from '../audit-store.ts'
import { canonicalBody, hashBody } from '../chain/chain.ts'
import type { AuditRecord } from '../record/record.ts'
import { type Checkpoint, isGenuine, parseFrontier } from './checkpoint.ts'
import { findCheckpointAt, findCheckpointBefore, findCheckpointCovering } from './checkpoint-store.ts'
import { Frontier, leafHash, PartialTree, verifyConsistency, verifyInclusion } from './merkle.ts'

/** Proof that `checkpoint` covers a record; verified with the record alone (checkInclusion). */
export interface InclusionProof {
  readonly object: 'audit_inclusion_proof'
  readonly checkpoint: Checkpoint
  /** RFC 9162 audit path of leaf `integrity.sequence - 1`, lower-case hex, from the leaf upwards. */
  readonly path: readonly string[]
}

/**
 * Uses the first checkpoint that covers the record. Returns undefined if the Workspace does not have the record, or no checkpoint
 * covers it yet. Reads only the hashes between two checkpoints.
 */
export async function createInclusionProof(db: Db, workspaceId: string, recordId: string): Promise<InclusionProof | undefined> {
  const uuid = fromId('aud', recordId)
  if (uuid === undefined) return undefined
  const record = await db
    .selectFrom('audit_record')
    .select('sequence')
    .where('id', '=', uuid)
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .executeTakeFirst()
  if (record === undefined) return undefined
  const checkpoint = await findCheckpointCovering(db, workspaceId, record.sequence)
  if (checkpoint === undefined) return undefined
  const before = await findCheckpointBefore(db, workspaceId, record.sequence)
  const path = (await readTree(db, workspaceId, before, checkpoint)).inclusionPath(record.sequence - 1)
  return { object: 'audit_inclusion_proof', checkpoint, path: path.map((hash) => hash.toString('hex')) }
}

/** Whether the Workspace's key has signed a checkpoint over exactly this record. */
export function checkInclusion(record: AuditRecord, { checkpoint, path }: InclusionProof, publicKey: string): boolean {
  if (record.workspace_id !== checkpoint.workspace_id || !isGenuine(checkpoint, publicKey)) return false
  const hash = hashBody(canonicalBody(record))
  if (hash.toString('hex') !== record.integrity.hash) return false
  return verifyInclusion({
    leaf: leafHash(hash),
    index: record.integrity.sequence - 1,
    size: checkpoint.size,
    path: path.map((hash) => Buffer.from(hash, 'hex')),
    root: Buffer.from(checkpoint.root, 'hex'),
  })
}

/**
 * Proof that the log at checkpoint `newer` extends the log at checkpoint `older`; verified without the log. Returns undefined if
 * a checkpoint does not exist.
 */
export async function createConsistencyProof(
  db: Db,
  workspaceId: string,
  older: number,
  newer: number,
): Promise<string[] | undefined> {
  const from = await findCheckpointAt(db, workspaceId, older)
  const to = await findCheckpointAt(db, workspaceId, newer)
  if (from === undefined || to === undefined || older > newer) return undefined
  const path = (await readTree(db, workspaceId, from, to)).consistencyPath(older)
  return path.map((hash) => hash.toString('hex'))
}

/** Whether both checkpoints are genuine and the newer log extends the older. */
export function checkConsistency(older: Checkpoint, newer: Checkpoint, path: readonly string[], publicKey: string): boolean {
  if (older.workspace_id !== newer.workspace_id || !isGenuine(older, publicKey) || !isGenuine(newer, publicKey)) return false
  return verifyConsistency({
    oldSize: older.size,
    oldRoot: Buffer.from(older.root, 'hex'),
    newSize: newer.size,
    newRoot: Buffer.from(newer.root, 'hex'),
    path: path.map((hash) => Buffer.from(hash, 'hex')),
  })
}

async function readTree(db: Db, workspaceId: string, before: Checkpoint | undefined, through: Checkpoint): Promise<PartialTree> {
  const frontier = before ? parseFrontier(before) : new Frontier()
  if (frontier === undefined) throw new Error(`checkpoint ${before?.size} of ${workspaceId} was altered`)
  const leaves: Buffer[] = []
  for await (const hashes of readHashPages(db, workspaceId, frontier.size, through.size)) leaves.push(...hashes.map(leafHash))
  return new PartialTree(leaves, frontier)
}
