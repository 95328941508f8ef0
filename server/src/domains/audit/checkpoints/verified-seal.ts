import type { Db, Tx } from '../../../platform/db/database.ts'
import { ChainEndMissingError, findChainEnd, findFirstSequence, findHashes } from '../audit-store.ts'
import { type AuditFault, checkpointAltered, FAULT_MESSAGES, faultIn } from '../verify/chain-checker.ts'
import { type Checkpoint, checkpointHash, isGenuine } from './checkpoint.ts'
import { findCheckpointAt, findLatestCheckpoint } from './checkpoint-store.ts'
import { type LogSeal, readSeal, type SealKeys, writeSeal } from './log-seal.ts'

/** The audit log was changed outside this server. Until an operator acts, no checkpoint is signed and no record is removed. */
export class AuditTamperedError extends Error {
  readonly fault: AuditFault

  constructor(workspaceId: string, fault: AuditFault) {
    super(`the audit log of ${workspaceId} was tampered with (${fault.reason}): ${describeFault(fault)}`)
    this.fault = fault
  }
}

/** Description for logs and operators, without content. */
export function describeFault({ sequence, through, id, reason }: AuditFault): string {
  if (sequence === 0) return FAULT_MESSAGES[reason]
  const place = through === undefined ? `record ${sequence}` : `records ${sequence} to ${through}`
  return `${place}${id === null ? '' : ` (${id})`}: ${FAULT_MESSAGES[reason]}`
}

/** A Workspace's seal, checked against the log, and the last checkpoint. */
export interface VerifiedSeal {
  readonly seal: LogSeal
  /** The last checkpoint; undefined: none yet. */
  readonly last: Checkpoint | undefined
}

/** Like lockVerifiedSeal in its own transaction, so that concurrent signing by another node is not reported as tampering. */
export const readVerifiedSeal = (db: Db, workspaceId: string, keys: SealKeys): Promise<VerifiedSeal> =>
  db.transaction().execute((tx) => lockVerifiedSeal(tx, workspaceId, keys))

/**
 * Reads the seal, checks the last checkpoint against it and locks signing until the transaction ends. Throws AuditTamperedError.
 */
export async function lockVerifiedSeal(db: Tx, workspaceId: string, keys: SealKeys): Promise<VerifiedSeal> {
  const reading = await readSeal(db, workspaceId, keys, { lock: true })
  if (reading.kind === 'invalid') throw new AuditTamperedError(workspaceId, reading.fault)
  const { seal } = reading
  if (seal.stopped) throw new AuditTamperedError(workspaceId, seal.stopped)
  const fault = await findCheckpointFault(db, seal, keys)
  if (fault) throw new AuditTamperedError(workspaceId, fault)
  const recordFault = await findRecordFault(db, seal)
  if (recordFault) throw new AuditTamperedError(workspaceId, recordFault)
  const last = await findLatestCheckpoint(db, workspaceId)
  if (last && last.size > seal.size) {
    if (!isGenuine(last, keys.publicKey)) throw new AuditTamperedError(workspaceId, checkpointAltered(last.size))
    // A newer checkpoint was signed together with its seal, so an older seal was restored.
    throw new AuditTamperedError(workspaceId, { sequence: seal.size + 1, id: null, reason: 'rolled_back' })
  }
  return { seal, last }
}

/** Fault of the checkpoint that the seal names. */
export async function findCheckpointFault(db: Db, seal: LogSeal, { publicKey }: SealKeys): Promise<AuditFault | undefined> {
  const { workspace_id, size, checkpoint } = seal
  if (size === 0) return undefined
  const found = await findCheckpointAt(db, workspace_id, size)
  if (!found) return { sequence: size, id: null, reason: 'checkpoint_missing' }
  return checkpointHash(found) === checkpoint && isGenuine(found, publicKey) ? undefined : checkpointAltered(size)
}

/** Fault if records before `first` were removed, but not by retention. */
export function findPruningFault({ pruned }: LogSeal, first: number): AuditFault | undefined {
  return first - 1 <= pruned ? undefined : faultIn(pruned + 1, first - 1, 'missing')
}

/**
 * Faults that are visible without reading the whole log: in its first record, in the record that the seal names, and in its end.
 */
async function findRecordFault(db: Db, seal: LogSeal): Promise<AuditFault | undefined> {
  const { workspace_id, size, hash } = seal
  const head = await findChainEnd(db, workspace_id).catch(toChainEndFault)
  if ('reason' in head) return head
  const first = (await findFirstSequence(db, workspace_id)) ?? head.sequence + 1
  const removed = findPruningFault(seal, first)
  if (removed) return removed
  if (head.sequence < size) return faultIn(head.sequence + 1, size, 'missing')
  // The stored sequence is above the largest safe integer, see findChainEnd.
  if (head.sequence === Number.MAX_SAFE_INTEGER) return { sequence: size + 1, id: null, reason: 'missing' }
  if (first > size || seal.accepted?.through === size) return undefined
  const found = (await findHashes(db, workspace_id, [size])).get(size)
  if (!found) return { sequence: size, id: null, reason: 'missing' }
  return found.toString('hex') === hash ? undefined : { sequence: size, id: null, reason: 'not_as_signed' }
}

/** Stops signing on every node after a fault that the seal itself does not show. */
export async function stopSigning(db: Db, workspaceId: string, keys: SealKeys, fault: AuditFault): Promise<void> {
  await db.transaction().execute(async (tx: Tx) => {
    const reading = await readSeal(tx, workspaceId, keys, { lock: true })
    if (reading.kind !== 'sealed' || reading.seal.stopped) return
    await writeSeal(tx, { ...reading.seal, stopped: fault }, keys.hasher)
  })
}

/** Maps a ChainEndMissingError to its fault; rethrows other errors. */
export function toChainEndFault(cause: unknown): AuditFault {
  if (!(cause instanceof ChainEndMissingError)) throw cause
  return { sequence: 0, id: null, reason: 'chain_end_missing' }
}
