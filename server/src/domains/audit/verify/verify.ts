import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import { findChainEnd, findFirstSequence, recordsOf } from '../audit-store.ts'
import { type ChainEnd, GENESIS } from '../chain/chain.ts'
import { countWaiting, findPendingFault } from '../chain/pending-store.ts'
import { type Checkpoint, checkpointHash, isGenuine, NO_CHECKPOINT_HASH, parseFrontier } from '../checkpoints/checkpoint.ts'
import { findCheckpointAt, findCheckpointsBetween } from '../checkpoints/checkpoint-store.ts'
import { type LogSeal, readSeal, type SealKeys } from '../checkpoints/log-seal.ts'
import { Frontier } from '../checkpoints/merkle.ts'
import { findCheckpointFault, findPruningFault, toChainEndFault } from '../checkpoints/verified-seal.ts'
import { type AuditFault, ChainChecker, faultAt, faultOfCheckpointBeyondEnd } from './chain-checker.ts'
import { observePages } from './record-check.ts'

export interface Verification {
  readonly ok: boolean
  readonly records: number
  readonly checkpoints: number
  /** Sequence of the oldest record; retention removed those before it. */
  readonly first: number
  /** Later records are protected only by the chain until the next checkpoint. */
  readonly signedThrough: number
  /** Records up to this sequence were accepted by an operator and are not checked. */
  readonly acceptedThrough?: number
  /** Records that have waited for their position for more than a minute. They are sealed, and verified once they are in the log. */
  readonly waiting?: number
  readonly firstFault?: AuditFault
}

export interface VerifyOptions {
  readonly onProgress?: (records: number) => void
  /** Checkpoints kept outside the database: they show that an older state of the database was restored. */
  readonly kept?: readonly Checkpoint[]
  /** Ignores that signing was stopped before, to find out whether it may resume. */
  readonly resuming?: boolean
}

/** Retention can prune the chain while it is read; reading then starts again. */
const MAX_PASSES = 100

/** The first fault: a record altered, missing, inserted, moved, cut off at the end, or resealed with all later ones. */
export async function verifyWorkspace(
  db: Db,
  workspaceId: string,
  keys: SealKeys,
  options: VerifyOptions = {},
): Promise<Verification> {
  for (let pass = 1; ; pass++) {
    const result = await verifyPass(db, workspaceId, keys, options).catch((cause) => failedAtStart(1, toChainEndFault(cause)))
    if (!result.ok && pass < MAX_PASSES && (await findFirstSequence(db, workspaceId)) !== result.first) continue
    const waiting = await countWaiting(db, workspaceId)
    return { ...result, ...(waiting > 0 && { waiting }) }
  }
}

async function verifyPass(db: Db, workspaceId: string, keys: SealKeys, options: VerifyOptions): Promise<Verification> {
  const { publicKey } = keys
  // The order of the reads matters: the chain's end moves before the seal, and the seal moves with what retention removes.
  const firstKept = await findFirstSequence(db, workspaceId)
  const { seal } = await readSeal(db, workspaceId, keys)
  const head = await findChainEnd(db, workspaceId)
  const first = firstKept ?? head.sequence + 1
  const begin = seal?.accepted ? Math.max(first, seal.accepted.through + 1) : first
  const start = await findChainStart(db, workspaceId, begin, publicKey)
  const removed = seal && findPruningFault(seal, first)
  if (removed) return failedAtStart(first, removed)
  if ('reason' in start) return failedAtStart(first, start)

  const checker = new ChainChecker(publicKey, start.end, start.frontier)
  if (seal && seal.size >= start.end.sequence) checker.expectSealedEnd(seal)
  checker.expectCheckpoints(selectKeptCheckpoints(start.end.sequence, seal, options.kept))
  let checkpoint = start.checkpoint
  let linkFault: AuditFault | undefined
  const comparable = { start: start.end, signedThrough: seal?.size ?? 0 }
  const range = { after: begin - 1, through: head.sequence, comparable }
  let last = start.end.sequence
  let isComplete = true
  for await (const { page, groups } of observePages(db, workspaceId, range, keys.hasher.seals)) {
    const through = page.at(-1)?.sequence ?? last
    const checkpoints = await findCheckpointsBetween(db, workspaceId, last, through)
    checker.expectCheckpoints(checkpoints)
    for (const next of checkpoints) {
      linkFault ??= findLinkFault(checkpoint, next)
      checkpoint = next
    }
    for (const record of page) checker.addRecord(record)
    isComplete = groups.isComplete
    options.onProgress?.(checker.counts.records)
    if (checker.fault) break
    last = through
  }
  checker.finish(head)
  const fault =
    checker.fault ??
    linkFault ??
    (isComplete ? undefined : faultAt('missing', head.sequence + 1)) ??
    (await findPendingFault(db, workspaceId, keys)) ??
    (await findSealFault(db, workspaceId, keys, options))
  const accepted = seal?.accepted && { acceptedThrough: seal.accepted.through }
  const counts = { ...checker.counts, first, ...accepted }
  return { ok: fault === undefined, ...counts, ...(fault && { firstFault: await withRecordId(db, workspaceId, fault) }) }
}

const failedAtStart = (first: number, firstFault: AuditFault): Verification => ({
  ...{ ok: false, records: 0, checkpoints: 0, first, signedThrough: 0 },
  firstFault,
})

function findLinkFault(before: Checkpoint | undefined, { size, previous }: Checkpoint): AuditFault | undefined {
  if (previous.hash === (before ? checkpointHash(before) : NO_CHECKPOINT_HASH)) return undefined
  return faultAt('checkpoint_missing', (before?.size ?? 0) + 1, size)
}

/** Kept checkpoints that cover existing records and were signed after an operator's last acceptance. */
function selectKeptCheckpoints(
  start: number,
  seal: LogSeal | undefined,
  kept: readonly Checkpoint[] = [],
): readonly Checkpoint[] {
  const accepted = seal?.accepted
  const tooOld = kept.length > 0 && !accepted && kept.every(({ size }) => size < start)
  if (tooOld) throw new RangeError('retention has removed the records of the kept checkpoints; use newer checkpoints')
  return kept.filter(({ size, created_at }) => size >= start && (!accepted || created_at > accepted.at))
}

async function findSealFault(db: Db, workspaceId: string, keys: SealKeys, { resuming }: VerifyOptions) {
  const faultBeyondEnd = await findFaultBeyondEnd(db, workspaceId, keys.publicKey)
  if (faultBeyondEnd) return faultBeyondEnd
  const reading = await readSeal(db, workspaceId, keys)
  if (reading.kind === 'invalid') return reading.fault
  return (await findCheckpointFault(db, reading.seal, keys)) ?? (resuming ? undefined : (reading.seal.stopped ?? undefined))
}

export async function findChainStart(
  db: Db,
  workspaceId: string,
  first: number,
  publicKey: string,
): Promise<{ end: ChainEnd; frontier: Frontier; checkpoint?: Checkpoint } | AuditFault> {
  if (first <= 1) return { end: GENESIS, frontier: new Frontier() }
  const checkpoint = await findCheckpointAt(db, workspaceId, first - 1)
  const frontier = checkpoint && parseFrontier(checkpoint)
  if (!checkpoint || !frontier) return faultAt('missing', 1, first - 1)
  if (!isGenuine(checkpoint, publicKey)) return faultAt('checkpoint_altered', checkpoint.size)
  return { end: { sequence: checkpoint.size, hash: Buffer.from(checkpoint.hash, 'hex') }, frontier, checkpoint }
}

/** Finds records or checkpoints after the chain's end; one statement, because the chain grows concurrently. */
async function findFaultBeyondEnd(db: Db, workspaceId: string, publicKey: string): Promise<AuditFault | undefined> {
  const { rows } = await sql<{ sequence: number; hash: Buffer; record: number | null; checkpoint: number | null }>`
    select sequence, hash,
      (select min(sequence) from audit_record where workspace_id = head.workspace_id and sequence > head.sequence) as record,
      (select min(size) from audit_checkpoint where workspace_id = head.workspace_id and size > head.sequence) as checkpoint
    from audit_head as head where workspace_id = ${uuidOf('ws', workspaceId)}`.execute(db)
  const end = rows[0]
  if (end?.record != null) return faultAt('unexpected', end.record)
  if (end?.checkpoint == null) return undefined
  if (!Number.isSafeInteger(end.checkpoint)) return faultAt('checkpoint_altered', end.sequence + 1)
  const checkpoint = await findCheckpointAt(db, workspaceId, end.checkpoint)
  return checkpoint && faultOfCheckpointBeyondEnd(checkpoint, end, publicKey)
}

async function withRecordId(db: Db, workspaceId: string, fault: AuditFault): Promise<AuditFault> {
  if (fault.id !== null || fault.reason === 'missing') return fault
  const row = await recordsOf(db, workspaceId).select('id').where('sequence', '=', fault.sequence).executeTakeFirst()
  return { ...fault, id: row ? toId('aud', row.id) : null }
}
