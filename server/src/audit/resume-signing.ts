import { CompiledQuery } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { newId } from '../lib/id.ts'
import { adoptLog } from './adopt-log.ts'
import { LOCK_END } from './append.ts'
import { appendInTransaction, linkPages } from './audit-store.ts'
import { type ChainEnd, uuidOf } from './chain.ts'
import type { Bad } from './chain-checker.ts'
import { type Checkpoint, checkpointHash, frontierOf, isGenuine, NO_CHECKPOINT, signCheckpoint } from './checkpoint.ts'
import { checkpointAt, checkpointBefore, checkpointsBetween, insertCheckpoint } from './checkpoint-store.ts'
import { firstSeal, type LogSeal, readSeal, writeSeal } from './log-seal.ts'
import { Frontier, leafHash } from './merkle.ts'
import { changeDraft } from './record.ts'
import { verifyWorkspace } from './verify.ts'
import { AuditTampered } from './vouching.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

export type Resumption =
  /** The log verifies, and nothing had stopped it. */
  | { readonly done: 'nothing' }
  /** The log verifies: only what had stopped it was taken away. */
  | { readonly done: 'resumed'; readonly auditId: string }
  /** It does not, and nobody has said to accept that. */
  | { readonly done: 'refused'; readonly bad: Bad }
  | { readonly done: 'accepted'; readonly auditId: string; readonly through: number; readonly removed: readonly Checkpoint[] }

/**
 * Lets signing go on after an alarm, on an operator's word, and records that. A log that does not verify is accepted as it stands
 * (`accept`): a new checkpoint is signed over what is there, records up to it are not checked any more, and verification says so.
 */
export async function resumeSigning(
  db: Db,
  workspaceId: string,
  keys: WorkspaceKeys,
  { accept, now }: { accept: boolean; now: Date },
): Promise<Resumption> {
  const firstBad = await findFault(db, workspaceId, keys, now)
  if (firstBad && !accept) return { done: 'refused', bad: firstBad }
  return db.transaction().execute(async (tx) => {
    const reading = await readSeal(tx, workspaceId, keys, { lock: true })
    const seal = (reading.kind === 'none' ? undefined : reading.seal) ?? firstSeal(workspaceId)
    // Greater than any before, also where the seal that knew is lost.
    const resumed = Math.max(seal.resumed + 1, now.getTime())
    if (firstBad) return acceptAsFound(tx, { ...seal, resumed }, keys, firstBad, now)
    if (!seal.stopped) return { done: 'nothing' }
    await writeSeal(tx, { ...seal, resumed, stopped: null }, keys.hasher)
    return { done: 'resumed', auditId: await recordResumption(tx, workspaceId, keys, seal.stopped, now) }
  })
}

/** A log of an older version that verifies is taken over on this occasion. */
async function findFault(db: Db, workspaceId: string, keys: WorkspaceKeys, now: Date): Promise<Bad | undefined> {
  try {
    await adoptLog(db, workspaceId, keys, now)
  } catch (cause) {
    if (cause instanceof AuditTampered) return cause.bad
    throw cause
  }
  return (await verifyWorkspace(db, workspaceId, keys, { resuming: true })).firstBad
}

async function acceptAsFound(tx: Tx, seal: LogSeal, keys: WorkspaceKeys, bad: Bad, now: Date): Promise<Resumption> {
  const { workspace_id: workspaceId } = seal
  const workspace = uuidOf('ws', workspaceId)
  const { end, frontier } = await asFound(tx, workspaceId, keys)
  const { sequence: through, hash } = end
  await tx.updateTable('audit_head').set({ sequence: through, hash }).where('workspace_id', '=', workspace).execute()
  const removed = await checkpointsBetween(tx, workspaceId, through - 1, Number.MAX_SAFE_INTEGER)
  await tx.deleteFrom('audit_checkpoint').where('workspace_id', '=', workspace).where('size', '>=', through).execute()
  await tx.deleteFrom('audit_delivery').where('workspace_id', '=', workspace).execute()
  const checkpoint = through > 0 ? await signAsFound(tx, workspaceId, keys, end, frontier, now) : undefined
  await tx
    .updateTable('workspace')
    .set({ signing_public_key: keys.publicKey, signing_key: keys.signingKeyRequiringSeal() })
    .where('id', '=', workspace)
    .execute()
  const next = {
    ...{ ...seal, size: through, hash: hash.toString('hex'), checkpoint: checkpoint ? checkpointHash(checkpoint) : null },
    ...{ sealed_from: through + 1, adopted_at: null, stopped: null },
    accepted: { through, at: now.toISOString() },
    // Those records are not checked any more, so it is not checked either whether they are there.
    pruned: through,
  }
  await writeSeal(tx, next, keys.hasher)
  return { done: 'accepted', auditId: await recordResumption(tx, workspaceId, keys, bad, now), through, removed }
}

/** Places without a record that are accepted: each costs a hash or two while everybody who signs waits. */
const MAX_GAPS = 5_000_000

/** The log's end and its tree, as far as there are records; a missing one counts as 32 zero bytes, which no record hashes to. */
async function asFound(tx: Tx, workspaceId: string, keys: WorkspaceKeys): Promise<{ end: ChainEnd; frontier: Frontier }> {
  const workspace = uuidOf('ws', workspaceId)
  const { rows } = await tx.executeQuery<ChainEnd>(CompiledQuery.raw(LOCK_END, [workspace]))
  let end: ChainEnd = rows[0] ?? { sequence: 0, hash: Buffer.alloc(32) }
  if (!rows[0])
    await tx
      .insertInto('audit_head')
      .values({ workspace_id: workspace, ...end })
      .execute()
  const records = tx.selectFrom('audit_record').where('workspace_id', '=', workspace)
  const kept = await records
    .select(({ fn }) => [fn.min<number | null>('sequence').as('first'), fn.max<number | null>('sequence').as('last')])
    .executeTakeFirstOrThrow()
  const anchor = kept.first !== null && kept.first > 1 ? await checkpointAt(tx, workspaceId, kept.first - 1) : undefined
  const frontier = (anchor && isGenuine(anchor, keys.publicKey) && frontierOf(anchor)) || new Frontier()
  const missing = leafHash(Buffer.alloc(32))
  let gaps = 0
  for await (const links of linkPages(tx, workspaceId, frontier.size, kept.last ?? 0)) {
    for (const { sequence, hash } of links) {
      fill(sequence - 1)
      frontier.append(leafHash(hash))
      // What the next record will follow: the last one that is there, unless the chain says that it goes on.
      if (sequence >= end.sequence) end = { sequence, hash }
    }
  }
  fill(end.sequence)
  return { end, frontier }

  function fill(through: number): void {
    gaps += Math.max(0, through - frontier.size)
    if (gaps > MAX_GAPS) {
      throw new Error(
        `the log has ${gaps} places without a record up to ${through}: correct audit_head, or delete what stands behind them, then accept what is left`,
      )
    }
    while (frontier.size < through) frontier.append(missing)
  }
}

async function signAsFound(
  tx: Tx,
  workspaceId: string,
  keys: WorkspaceKeys,
  { sequence, hash }: ChainEnd,
  frontier: Frontier,
  now: Date,
): Promise<Checkpoint> {
  const before = await checkpointBefore(tx, workspaceId, sequence)
  const fields = {
    object: 'audit_checkpoint',
    workspace_id: workspaceId,
    size: sequence,
    hash: hash.toString('hex'),
    root: frontier.root().toString('hex'),
    created_at: now.toISOString(),
  } as const
  const checkpoint = signCheckpoint(fields, frontier, keys.sign, before ? checkpointHash(before) : NO_CHECKPOINT)
  await insertCheckpoint(tx, checkpoint)
  return checkpoint
}

/** What had been found stands in the record: an acceptance is never silent. */
async function recordResumption(tx: Tx, workspaceId: string, keys: WorkspaceKeys, bad: Bad, now: Date): Promise<string> {
  const id = newId('aud')
  const place = bad.through === undefined ? `${bad.sequence}` : `${bad.sequence}-${bad.through}`
  const change = { action: 'audit.resume', object_type: 'audit_record', object_id: place, fields: [bad.reason] }
  await appendInTransaction(tx, workspaceId, [changeDraft({ id, workspaceId, at: now, actor: null, change })], keys.hasher)
  return id
}
