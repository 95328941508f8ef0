import type { Db, Tx } from '../db/database.ts'
import { ChainEndMissing, findHead, firstSequence, linkPages } from './audit-store.ts'
import { type Bad, FAULTS } from './chain-checker.ts'
import { type Checkpoint, checkpointHash, isGenuine } from './checkpoint.ts'
import { checkpointAt, latestCheckpoint } from './checkpoint-store.ts'
import { type LogSeal, readSeal, type SealKeys, writeSeal } from './log-seal.ts'

/** The audit log of a Workspace is not the one that this server has written. Nothing is signed or removed until an operator acts. */
export class AuditTampered extends Error {
  readonly bad: Bad

  constructor(workspaceId: string, bad: Bad) {
    super(`the audit log of ${workspaceId} was tampered with (${bad.reason}): ${describeBad(bad)}`)
    this.bad = bad
  }
}

/** In words; without content, as it goes into logs. */
export function describeBad({ sequence, through, id, reason }: Bad): string {
  if (sequence === 0) return FAULTS[reason]
  const place = through === undefined ? `record ${sequence}` : `records ${sequence} to ${through}`
  return `${place}${id === null ? '' : ` (${id})`}: ${FAULTS[reason]}`
}

/** What a Workspace's seal vouches for. */
export interface Vouching {
  readonly seal: LogSeal
  /** The last checkpoint; undefined: there is none yet. */
  readonly last: Checkpoint | undefined
}

/** The same in a transaction of its own: what another node signs meanwhile is no tampering. */
export const readVouching = (db: Db, workspaceId: string, keys: SealKeys): Promise<Vouching | undefined> =>
  db.transaction().execute((tx) => lockVouching(tx, workspaceId, keys))

/**
 * Reads the seal and holds the last checkpoint against it; nobody else signs until the transaction ends. Undefined for a log of
 * an older version that was not taken over yet. Throws AuditTampered.
 */
export async function lockVouching(db: Tx, workspaceId: string, keys: SealKeys): Promise<Vouching | undefined> {
  const reading = await readSeal(db, workspaceId, keys, { lock: true })
  if (reading.kind === 'none') return undefined
  if (reading.kind === 'bad') throw new AuditTampered(workspaceId, reading.bad)
  const { seal } = reading
  if (seal.stopped) throw new AuditTampered(workspaceId, seal.stopped)
  const bad = await sealedCheckpointFault(db, seal, keys)
  if (bad) throw new AuditTampered(workspaceId, bad)
  const missing = await recordFault(db, seal)
  if (missing) throw new AuditTampered(workspaceId, missing)
  const last = await latestCheckpoint(db, workspaceId)
  if (last && last.size > seal.size) {
    if (!isGenuine(last, keys.publicKey)) throw new AuditTampered(workspaceId, altered(last.size))
    // One that names its predecessor was sealed when it was signed: the seal was put back. Others come from older nodes.
    if (last.previous) throw new AuditTampered(workspaceId, { sequence: seal.size + 1, id: null, reason: 'rolled_back' })
  }
  return { seal, last }
}

/** What is wrong with the checkpoint that the seal names. */
export async function sealedCheckpointFault(db: Db, seal: LogSeal, { publicKey }: SealKeys): Promise<Bad | undefined> {
  const { workspace_id, size, checkpoint } = seal
  if (size === 0) return undefined
  const found = await checkpointAt(db, workspace_id, size)
  if (!found) return { sequence: size, id: null, reason: 'checkpoint_missing' }
  return checkpointHash(found) === checkpoint && isGenuine(found, publicKey) ? undefined : altered(size)
}

/** Records before `first` that retention has not removed. */
export function removedFault({ pruned }: LogSeal, first: number): Bad | undefined {
  if (pruned === null || first - 1 <= pruned) return undefined
  return { sequence: pruned + 1, ...(first - 1 > pruned + 1 && { through: first - 1 }), id: null, reason: 'missing' }
}

/** What shows without reading the log: its first record, the one that the seal names, and its end. */
async function recordFault(db: Db, seal: LogSeal): Promise<Bad | undefined> {
  const { workspace_id, size, hash } = seal
  const head = await findHead(db, workspace_id).catch(endMissing)
  if ('reason' in head) return head
  const first = (await firstSequence(db, workspace_id)) ?? head.sequence + 1
  const removed = removedFault(seal, first)
  if (removed) return removed
  if (head.sequence < size) {
    const sequence = head.sequence + 1
    return { sequence, ...(size > sequence && { through: size }), id: null, reason: 'missing' }
  }
  // A place that no counter reaches: see findHead.
  if (head.sequence === Number.MAX_SAFE_INTEGER) return { sequence: size + 1, id: null, reason: 'missing' }
  if (first > size || seal.accepted?.through === size) return undefined
  for await (const [link] of linkPages(db, workspace_id, size - 1, size)) {
    return link?.hash.toString('hex') === hash ? undefined : { sequence: size, id: null, reason: 'not_as_signed' }
  }
  return seal.pruned === null ? undefined : { sequence: size, id: null, reason: 'missing' }
}

/** Stops signing on every node, after something was found that does not show in the seal itself. */
export async function stopSigning(db: Db, workspaceId: string, keys: SealKeys, bad: Bad): Promise<void> {
  await db.transaction().execute(async (tx: Tx) => {
    const reading = await readSeal(tx, workspaceId, keys, { lock: true })
    if (reading.kind !== 'sealed' || reading.seal.stopped) return
    await writeSeal(tx, { ...reading.seal, stopped: bad }, keys.hasher)
  })
}

/** Every Workspace is made with an end of its chain. */
export function endMissing(cause: unknown): Bad {
  if (!(cause instanceof ChainEndMissing)) throw cause
  return { sequence: 0, id: null, reason: 'chain_end_missing' }
}

const altered = (size: number): Bad => ({ sequence: size, id: null, reason: 'checkpoint_altered' })
