import type { Db, Tx } from '../../../platform/db/database.ts'
import { ChainEndMissingError, findChainEnd, findFirstSequence, findHashes } from '../audit-store.ts'
import { type AuditFault, FAULT_MESSAGES, faultAt } from '../verify/chain-checker.ts'
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

export function describeFault({ sequence, through, id, reason }: AuditFault): string {
  if (sequence === 0) return FAULT_MESSAGES[reason]
  const place = through === undefined ? `record ${sequence}` : `records ${sequence} to ${through}`
  return `${place}${id === null ? '' : ` (${id})`}: ${FAULT_MESSAGES[reason]}`
}

/** In its own transaction, so that concurrent signing by another node is not reported as tampering. */
export const readVerifiedSeal = (db: Db, workspaceId: string, keys: SealKeys) =>
  db.transaction().execute((tx) => lockVerifiedSeal(tx, workspaceId, keys))

/** Checks the seal against the log, and locks signing until the transaction ends. Throws AuditTamperedError. */
export async function lockVerifiedSeal(db: Tx, workspaceId: string, keys: SealKeys) {
  const reading = await readSeal(db, workspaceId, keys, { lock: true })
  if (reading.kind === 'invalid') throw new AuditTamperedError(workspaceId, reading.fault)
  const { seal } = reading
  const last = await findLatestCheckpoint(db, workspaceId)
  const fault =
    seal.stopped ??
    (await findCheckpointFault(db, seal, keys)) ??
    (await findRecordFault(db, seal)) ??
    findNewerCheckpointFault(last, seal, keys)
  if (fault) throw new AuditTamperedError(workspaceId, fault)
  return { seal, last }
}

function findNewerCheckpointFault(last: Checkpoint | undefined, { size }: LogSeal, keys: SealKeys): AuditFault | undefined {
  if (!last || last.size <= size) return undefined
  // A newer checkpoint was signed together with its seal, so an older seal was restored.
  return isGenuine(last, keys.publicKey) ? faultAt('rolled_back', size + 1) : faultAt('checkpoint_altered', last.size)
}

export async function findCheckpointFault(db: Db, seal: LogSeal, { publicKey }: SealKeys): Promise<AuditFault | undefined> {
  const { workspace_id, size, checkpoint } = seal
  if (size === 0) return undefined
  const found = await findCheckpointAt(db, workspace_id, size)
  if (!found) return faultAt('checkpoint_missing', size)
  return checkpointHash(found) === checkpoint && isGenuine(found, publicKey) ? undefined : faultAt('checkpoint_altered', size)
}

/** Fault if records before `first` were removed, but not by retention. */
export const findPruningFault = ({ pruned }: LogSeal, first: number): AuditFault | undefined =>
  first - 1 <= pruned ? undefined : faultAt('missing', pruned + 1, first - 1)

/** Faults that are visible without reading the whole log: in its first record, in the record that the seal names, and in its end. */
async function findRecordFault(db: Db, seal: LogSeal): Promise<AuditFault | undefined> {
  const { workspace_id, size, hash } = seal
  const head = await findChainEnd(db, workspace_id).catch(toChainEndFault)
  if ('reason' in head) return head
  const first = (await findFirstSequence(db, workspace_id)) ?? head.sequence + 1
  const removed = findPruningFault(seal, first)
  if (removed) return removed
  if (head.sequence < size) return faultAt('missing', head.sequence + 1, size)
  // The stored sequence is above the largest safe integer, see findChainEnd.
  if (head.sequence === Number.MAX_SAFE_INTEGER) return faultAt('missing', size + 1)
  if (first > size || seal.accepted?.through === size) return undefined
  const found = (await findHashes(db, workspace_id, [size])).get(size)
  if (!found) return faultAt('missing', size)
  return found.toString('hex') === hash ? undefined : faultAt('not_as_signed', size)
}

/** Stops signing on every node after a fault that the seal itself does not show. */
export async function stopSigning(db: Db, workspaceId: string, keys: SealKeys, fault: AuditFault): Promise<void> {
  await db.transaction().execute(async (tx: Tx) => {
    const reading = await readSeal(tx, workspaceId, keys, { lock: true })
    if (reading.kind !== 'sealed' || reading.seal.stopped) return
    await writeSeal(tx, { ...reading.seal, stopped: fault }, keys.hasher)
  })
}

export function toChainEndFault(cause: unknown): AuditFault {
  if (!(cause instanceof ChainEndMissingError)) throw cause
  return faultAt('chain_end_missing', 0)
}
