import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { toId } from '../lib/id.ts'
import { findHead, firstSequence, recordPages, type StoredRecord } from './audit-store.ts'
import { bodyHash, type ChainEnd, GENESIS, uuidOf } from './chain.ts'
import { type Bad, ChainChecker, cutOff, type Found } from './chain-checker.ts'
import { type Checkpoint, frontierOf, isGenuine } from './checkpoint.ts'
import { CheckpointChain } from './checkpoint-chain.ts'
import { checkpointAt, checkpointsBetween } from './checkpoint-store.ts'
import { KeptCheckpoints } from './kept-checkpoints.ts'
import { type LogSeal, readSeal, type SealKeys } from './log-seal.ts'
import { Frontier } from './merkle.ts'
import type { AuditRecord } from './record.ts'
import type { KeyedSeals } from './record-seals.ts'
import { costOf, tokensOf } from './usage.ts'
import { endMissing, removedFault, sealedCheckpointFault } from './vouching.ts'

export interface Verification {
  readonly ok: boolean
  /** Found good, up to the first bad one. */
  readonly records: number
  readonly checkpoints: number
  /** Sequence of the first record kept; those before it were removed by retention. */
  readonly first: number
  /** Up to here a checkpoint vouches for the records; behind it only the chain does, until the next one is signed. */
  readonly signedThrough: number
  /** An operator has accepted the records up to here as they stood: they are not checked. */
  readonly acceptedThrough?: number
  readonly firstBad?: Bad
}

export interface VerifyOptions {
  /** Told now and then how many records have been read. */
  readonly onProgress?: (records: number) => void
  /** Checkpoints kept outside the database: the witnesses against somebody who puts an older state of the database back. */
  readonly kept?: readonly Checkpoint[]
  /** Ignores that signing was stopped before: tells whether it may go on. */
  readonly resuming?: boolean
  /** Records since then must all be there: what retention may not have removed. */
  readonly completeSince?: Date
}

/** The chain can be pruned while it is read: then reading starts anew. */
const MAX_PASSES = 3

/**
 * Reads a Workspace's whole log, in pages, and finds the first record that is not as it was sealed, if there is one: altered
 * in its body or in a column, missing, inserted, moved, cut off at the end, or sealed anew together with all that follow.
 */
export async function verifyWorkspace(
  db: Db,
  workspaceId: string,
  keys: SealKeys,
  options: VerifyOptions = {},
): Promise<Verification> {
  for (let pass = 1; ; pass++) {
    const result = await verifyOnce(db, workspaceId, keys, options).catch((cause) => nothingGood(1, endMissing(cause)))
    if (result.ok || pass === MAX_PASSES || (await firstSequence(db, workspaceId)) === result.first) return result
  }
}

async function verifyOnce(db: Db, workspaceId: string, keys: SealKeys, options: VerifyOptions): Promise<Verification> {
  const { publicKey } = keys
  // In this order: the chain's end moves before the seal does, and the seal moves with what retention removes.
  const firstKept = await firstSequence(db, workspaceId)
  const reading = await readSeal(db, workspaceId, keys)
  const seal = reading.kind === 'none' ? undefined : reading.seal
  const head = await findHead(db, workspaceId)
  const first = firstKept ?? head.sequence + 1
  const begin = seal?.accepted ? Math.max(first, seal.accepted.through + 1) : first
  const isAccepted = begin === (seal?.accepted?.through ?? 0) + 1
  const start = await startBefore(db, workspaceId, begin, publicKey, isAccepted ? undefined : options.completeSince)
  const removed = seal && removedFault(seal, first)
  if (removed) return nothingGood(first, removed)
  if ('reason' in start) return nothingGood(first, start)

  const checker = new ChainChecker(publicKey, start.end, start.frontier)
  if (seal && seal.size >= start.end.sequence) checker.expectVouched(seal)
  const kept = keptAfter(start.end.sequence, seal, options.kept)
  const chain = new CheckpointChain(start.checkpoint, seal)
  const seals = { seals: keys.hasher.seals, from: seal?.sealed_from ?? null }
  let last = start.end.sequence
  for await (const page of recordPages(db, workspaceId, { after: begin - 1, through: head.sequence })) {
    const through = page.at(-1)?.sequence ?? last
    for (const checkpoint of await checkpointsBetween(db, workspaceId, last, through)) {
      checker.expect(checkpoint)
      chain.next(checkpoint)
    }
    for (const checkpoint of kept.takeThrough(through)) checker.expect(checkpoint)
    for (const row of page) checker.next(foundRecord(row, seals))
    options.onProgress?.(checker.counts.records)
    if (checker.bad) break
    last = through
  }
  if (kept.rest) checker.expect(kept.rest)
  checker.finish(head)
  const bad = checker.bad ?? chain.bad ?? (await sealFault(db, workspaceId, keys, options))
  const accepted = seal?.accepted && { acceptedThrough: seal.accepted.through }
  const counts = { ...checker.counts, first, ...accepted }
  return { ok: bad === undefined, ...counts, ...(bad && { firstBad: await named(db, workspaceId, bad) }) }
}

const nothingGood = (first: number, firstBad: Bad): Verification => ({
  ...{ ok: false, records: 0, checkpoints: 0, first, signedThrough: 0 },
  firstBad,
})

/** Those that cover something that is still there, and were not signed before an operator has accepted the log as it stood. */
function keptAfter(start: number, seal: LogSeal | undefined, kept: readonly Checkpoint[] = []): KeptCheckpoints {
  const accepted = seal?.accepted
  const tooOld = kept.length > 0 && !accepted && kept.every(({ size }) => size < start)
  if (tooOld) throw new RangeError('retention has removed the records that the kept checkpoint was signed over')
  const isOf = ({ size, created_at }: Checkpoint) => size >= start && (!accepted || created_at > accepted.at)
  return new KeptCheckpoints(kept.filter(isOf))
}

/** What does not show in the records: the seal, the checkpoint that it names, what lies behind the chain's end. */
async function sealFault(db: Db, workspaceId: string, keys: SealKeys, { resuming }: VerifyOptions): Promise<Bad | undefined> {
  const beyond = await beyondEnd(db, workspaceId, keys.publicKey)
  if (beyond) return beyond
  const reading = await readSeal(db, workspaceId, keys)
  if (reading.kind === 'bad') return reading.bad
  if (reading.kind === 'none') return undefined
  return (await sealedCheckpointFault(db, reading.seal, keys)) ?? (resuming ? undefined : (reading.seal.stopped ?? undefined))
}

/** What the first record follows: nothing, or the checkpoint at which retention stopped. */
export async function startBefore(
  db: Db,
  workspaceId: string,
  first: number,
  publicKey: string,
  completeSince: Date | undefined,
): Promise<{ end: ChainEnd; frontier: Frontier; checkpoint?: Checkpoint } | Bad> {
  if (first <= 1) return { end: GENESIS, frontier: new Frontier() }
  const checkpoint = await checkpointAt(db, workspaceId, first - 1)
  const frontier = checkpoint && frontierOf(checkpoint)
  const removable = checkpoint && (completeSince === undefined || checkpoint.created_at < completeSince.toISOString())
  if (!frontier || !removable) return { sequence: 1, through: first - 1, id: null, reason: 'missing' }
  if (!isGenuine(checkpoint, publicKey)) return { sequence: checkpoint.size, id: null, reason: 'checkpoint_altered' }
  return { end: { sequence: checkpoint.size, hash: Buffer.from(checkpoint.hash, 'hex') }, frontier, checkpoint }
}

/** Compares the row with what its body says; every column is looked at, so none can be bent to mislead a search. */
export function foundRecord(row: StoredRecord, seals: { seals: KeyedSeals; from: number | null }): Found {
  const hash = bodyHash(row.body)
  const intact = hash.equals(row.hash)
  const place = { sequence: row.sequence, id: toId('aud', row.id), hash, intact }
  try {
    const record = JSON.parse(row.body) as AuditRecord
    const { sequence, prev_hash } = record.integrity
    const agrees =
      record.id === place.id &&
      record.workspace_id === toId('ws', row.workspace_id) &&
      record.application_id === (row.application_id && toId('app', row.application_id)) &&
      record.created_at === row.created_at.toISOString() &&
      record.endpoint === row.endpoint &&
      (record.decision?.verdict ?? null) === row.verdict &&
      record.risk_level === row.risk_level &&
      record.status === row.status &&
      record.user.id === row.user_hash &&
      record.duration_ms === row.duration_ms &&
      tokensOf(record) === row.tokens &&
      costOf(record) === row.cost &&
      prev_hash === row.prev_hash.toString('hex') &&
      sequence === row.sequence
    const claimed = { sequence, prevHash: Buffer.from(prev_hash, 'hex'), hash }
    const sealed = row.seal ? seals.seals.isRecord(claimed, row.seal) : !(seals.from !== null && row.sequence >= seals.from)
    return { ...place, agrees, claims: { sequence, prevHash: prev_hash }, sealed }
  } catch {
    return { ...place, agrees: false, claims: undefined }
  }
}

/** Records or checkpoints behind the chain's end, in one statement: the chain grows while it is read. */
async function beyondEnd(db: Db, workspaceId: string, publicKey: string): Promise<Bad | undefined> {
  const { rows } = await sql<{ sequence: number; hash: Buffer; record: number | null; checkpoint: number | null }>`
    select sequence, hash,
      (select min(sequence) from audit_record where workspace_id = head.workspace_id and sequence > head.sequence) as record,
      (select min(size) from audit_checkpoint where workspace_id = head.workspace_id and size > head.sequence) as checkpoint
    from audit_head as head where workspace_id = ${uuidOf('ws', workspaceId)}`.execute(db)
  const end = rows[0]
  if (end?.record != null) return { sequence: end.record, id: null, reason: 'unexpected' }
  if (end?.checkpoint != null && !Number.isSafeInteger(end.checkpoint))
    return { sequence: end.sequence + 1, id: null, reason: 'checkpoint_altered' }
  const checkpoint = end?.checkpoint != null ? await checkpointAt(db, workspaceId, end.checkpoint) : undefined
  return end && checkpoint && cutOff(checkpoint, end, publicKey)
}

/** With the id of the record that stands there now. */
async function named(db: Db, workspaceId: string, bad: Bad): Promise<Bad> {
  if (bad.id !== null || bad.reason === 'missing') return bad
  const row = await db
    .selectFrom('audit_record')
    .select('id')
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .where('sequence', '=', bad.sequence)
    .executeTakeFirst()
  return { ...bad, id: row ? toId('aud', row.id) : null }
}
