import type { Db } from '../db/database.ts'
import { fromId } from '../lib/id.ts'
import { hashPages } from './audit-store.ts'
import { bodyHash, bodyOf, uuidOf } from './chain.ts'
import { type Checkpoint, frontierOf, isGenuine } from './checkpoint.ts'
import { checkpointAt, checkpointBefore, checkpointCovering } from './checkpoint-store.ts'
import { extendsTree, Frontier, includes, leafHash, TreePart } from './merkle.ts'
import type { AuditRecord } from './record.ts'

/** That a record is one of those that `checkpoint` was signed over; checked with the record alone (checkInclusion). */
export interface InclusionProof {
  readonly object: 'audit_inclusion_proof'
  readonly checkpoint: Checkpoint
  /** RFC 9162 audit path of leaf `integrity.sequence - 1`, lower-case hex, from the leaf upwards. */
  readonly path: readonly string[]
}

/**
 * By the first checkpoint that covers the record. Undefined when the Workspace has no such record, or no checkpoint covers it
 * yet. Reads only the hashes between two checkpoints, also when retention has removed what was before.
 */
export async function inclusionProof(db: Db, workspaceId: string, recordId: string): Promise<InclusionProof | undefined> {
  const uuid = fromId('aud', recordId)
  if (uuid === undefined) return undefined
  const record = await db
    .selectFrom('audit_record')
    .select('sequence')
    .where('id', '=', uuid)
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .executeTakeFirst()
  if (record === undefined) return undefined
  const checkpoint = await checkpointCovering(db, workspaceId, record.sequence)
  if (checkpoint === undefined) return undefined
  const before = await checkpointBefore(db, workspaceId, record.sequence)
  const path = (await treeBetween(db, workspaceId, before, checkpoint)).inclusionPath(record.sequence - 1)
  return { object: 'audit_inclusion_proof', checkpoint, path: path.map((hash) => hash.toString('hex')) }
}

/** Whether the record, as shown, is one that the Workspace's key has signed for. */
export function checkInclusion(record: AuditRecord, { checkpoint, path }: InclusionProof, publicKey: string): boolean {
  if (record.workspace_id !== checkpoint.workspace_id || !isGenuine(checkpoint, publicKey)) return false
  const hash = bodyHash(bodyOf(record))
  if (hash.toString('hex') !== record.integrity.hash) return false
  return includes({
    leaf: leafHash(hash),
    index: record.integrity.sequence - 1,
    size: checkpoint.size,
    path: path.map((hash) => Buffer.from(hash, 'hex')),
    root: Buffer.from(checkpoint.root, 'hex'),
  })
}

/**
 * That the log at checkpoint `newer` is the one at checkpoint `older` with records added, for somebody who has nothing of
 * the log. Undefined when there are no such checkpoints.
 */
export async function consistencyProof(db: Db, workspaceId: string, older: number, newer: number): Promise<string[] | undefined> {
  const from = await checkpointAt(db, workspaceId, older)
  const to = await checkpointAt(db, workspaceId, newer)
  if (from === undefined || to === undefined || older > newer) return undefined
  const path = (await treeBetween(db, workspaceId, from, to)).consistencyPath(older)
  return path.map((hash) => hash.toString('hex'))
}

/** Whether both were signed by the key and the newer continues the older. */
export function checkConsistency(older: Checkpoint, newer: Checkpoint, path: readonly string[], publicKey: string): boolean {
  if (older.workspace_id !== newer.workspace_id || !isGenuine(older, publicKey) || !isGenuine(newer, publicKey)) return false
  return extendsTree({
    oldSize: older.size,
    oldRoot: Buffer.from(older.root, 'hex'),
    newSize: newer.size,
    newRoot: Buffer.from(newer.root, 'hex'),
    path: path.map((hash) => Buffer.from(hash, 'hex')),
  })
}

async function treeBetween(db: Db, workspaceId: string, before: Checkpoint | undefined, through: Checkpoint): Promise<TreePart> {
  const frontier = before ? frontierOf(before) : new Frontier()
  if (frontier === undefined) throw new Error(`checkpoint ${before?.size} of ${workspaceId} was altered`)
  const leaves: Buffer[] = []
  for await (const hashes of hashPages(db, workspaceId, frontier.size, through.size)) leaves.push(...hashes.map(leafHash))
  return new TreePart(leaves, frontier)
}
