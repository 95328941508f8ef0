import { CompiledQuery } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { newId } from '../../../platform/lib/id.ts'
import { findFirstSequence, readLinkPages, recordsOf } from '../audit-store.ts'
import { appendUnderLock } from '../chain/append-in-transaction.ts'
import { LOCK_CHAIN_END } from '../chain/append-statement.ts'
import { type ChainEnd, GENESIS } from '../chain/chain.ts'
import { removeForgedPending } from '../chain/pending-store.ts'
import { createChangeDraft } from '../record/record.ts'
import type { AuditFault } from '../verify/chain-checker.ts'
import { verifyWorkspace } from '../verify/verify.ts'
import type { WorkspaceKeys } from '../workspace-keys.ts'
import { type Checkpoint, checkpointHash, isGenuine, parseFrontier, signEnd } from './checkpoint.ts'
import {
  findCheckpointAt,
  findCheckpointBefore,
  findCheckpointsBetween,
  findLatestCheckpoint,
  insertCheckpoint,
} from './checkpoint-store.ts'
import { createFirstSeal, type LogSeal, readSeal, writeSeal } from './log-seal.ts'
import { Frontier, leafHash } from './merkle.ts'
import { MAX_RECORDS } from './sign-checkpoints.ts'

export type Resumption =
  | { readonly done: 'nothing' }
  | { readonly done: 'resumed'; readonly auditId: string }
  | { readonly done: 'refused'; readonly fault: AuditFault }
  | { readonly done: 'accepted'; readonly auditId: string; readonly through: number; readonly removed: readonly Checkpoint[] }

/** `accept`: a log that does not verify is signed as it is; its records are no longer checked, and verification reports that. */
export async function resumeSigning(
  db: Db,
  workspaceId: string,
  keys: WorkspaceKeys,
  { accept, clock, maxRecords = MAX_RECORDS }: { readonly accept: boolean; readonly clock: Clock; readonly maxRecords?: number },
): Promise<Resumption> {
  const { firstFault } = await verifyWorkspace(db, workspaceId, keys, { resuming: true })
  if (firstFault && !accept) return { done: 'refused', fault: firstFault }
  return db.transaction().execute(async (tx) => {
    const { seal = createFirstSeal(workspaceId) } = await readSeal(tx, workspaceId, keys, { lock: true })
    // Reading the whole log may have taken hours.
    const now = clock.now()
    // The value must increase even if the previous seal is lost.
    const resumed = Math.max(seal.resumed + 1, now.getTime())
    if (firstFault) return acceptLog(tx, { ...seal, resumed }, keys, firstFault, { now, maxRecords })
    if (!seal.stopped) return { done: 'nothing' }
    await writeSeal(tx, { ...seal, resumed, stopped: null }, keys.hasher)
    return { done: 'resumed', auditId: await recordResumption(tx, workspaceId, keys, seal.stopped, now) }
  })
}

async function acceptLog(
  tx: Tx,
  seal: LogSeal,
  keys: WorkspaceKeys,
  fault: AuditFault,
  { now, maxRecords }: { readonly now: Date; readonly maxRecords: number },
): Promise<Resumption> {
  const { workspace_id: workspaceId } = seal
  const workspace = uuidOf('ws', workspaceId)
  const { end, frontier, parts } = await readCurrentState(tx, workspaceId, keys, { now, maxRecords })
  await removeForgedPending(tx, workspaceId, keys)
  const { sequence: through, hash } = end
  await tx.updateTable('audit_head').set({ sequence: through, hash }).where('workspace_id', '=', workspace).execute()
  const removed = await findCheckpointsBetween(tx, workspaceId, through - 1, Number.MAX_SAFE_INTEGER)
  await tx.deleteFrom('audit_checkpoint').where('workspace_id', '=', workspace).where('size', '>=', through).execute()
  await tx.deleteFrom('audit_delivery').where('workspace_id', '=', workspace).execute()
  // Otherwise the next records would not be counted if the end went back.
  const counted = tx.updateTable('audit_usage_position').where('workspace_id', '=', workspace).where('through', '>', through)
  await counted.set({ through }).execute()
  for (const part of parts) if (part.size < through) await insertCheckpoint(tx, part)
  const before = await findCheckpointBefore(tx, workspaceId, through)
  const checkpoint = through > 0 ? signEnd(workspaceId, end, frontier, { now, sign: keys.sign, before }) : undefined
  if (checkpoint) await insertCheckpoint(tx, checkpoint)
  await tx.updateTable('workspace').set({ signing_public_key: keys.publicKey }).where('id', '=', workspace).execute()
  const sealedEnd = { size: through, hash: hash.toString('hex'), checkpoint: checkpoint ? checkpointHash(checkpoint) : null }
  const accepted = { through, at: now.toISOString() }
  // Accepted records are no longer checked, so they may be missing.
  await writeSeal(tx, { ...seal, ...sealedEnd, stopped: null, accepted, pruned: through }, keys.hasher)
  return { done: 'accepted', auditId: await recordResumption(tx, workspaceId, keys, fault, now), through, removed }
}

/** Maximum number of missing records that can be accepted: each costs one or two hashes while other signers wait. */
const MAX_GAPS = 5_000_000

/** A missing record counts as 32 zero bytes. Requests wait for the lock on the end, so it is taken when few records are left to read. */
async function readCurrentState(
  tx: Tx,
  workspaceId: string,
  keys: WorkspaceKeys,
  { now, maxRecords }: { readonly now: Date; readonly maxRecords: number },
): Promise<{ end: ChainEnd; frontier: Frontier; parts: readonly Checkpoint[] }> {
  const workspace = uuidOf('ws', workspaceId)
  const frontier = await findFirstFrontier(tx, workspaceId, keys)
  const missing = leafHash(GENESIS.hash)
  const parts: Checkpoint[] = []
  let before = await findLatestCheckpoint(tx, workspaceId)
  let gaps = 0
  let last = GENESIS
  await readRecords()
  const { rows } = await tx.executeQuery<ChainEnd>(CompiledQuery.raw(LOCK_CHAIN_END, [workspace]))
  const [head] = rows
  if (!head)
    await tx
      .insertInto('audit_head')
      .values({ workspace_id: workspace, ...GENESIS })
      .execute()
  await readRecords()
  // The next record continues from the last existing one, unless the stored end is later.
  const end = head && head.sequence > last.sequence ? head : last
  fillGaps(end.sequence)
  return { end, frontier, parts }

  async function readRecords(): Promise<void> {
    const kept = recordsOf(tx, workspaceId)
    const { through } = await kept.select(({ fn }) => fn.max<number | null>('sequence').as('through')).executeTakeFirstOrThrow()
    for await (const links of readLinkPages(tx, workspaceId, frontier.size, through ?? 0)) {
      for (const { sequence, hash } of links) {
        fillGaps(sequence - 1)
        frontier.append(leafHash(hash))
        last = { sequence, hash }
        // Retention and archive work from checkpoint to checkpoint.
        if (sequence < (before?.size ?? 0) + maxRecords) continue
        before = signEnd(workspaceId, last, frontier, { now, sign: keys.sign, before })
        parts.push(before)
      }
    }
  }

  function fillGaps(through: number): void {
    gaps += Math.max(0, through - frontier.size)
    if (gaps > MAX_GAPS)
      throw new Error(
        `the log has ${gaps} places without a record up to ${through}: correct audit_head or delete the records after the gap, then try again`,
      )
    while (frontier.size < through) frontier.append(missing)
  }
}

async function findFirstFrontier(tx: Tx, workspaceId: string, keys: WorkspaceKeys): Promise<Frontier> {
  const first = (await findFirstSequence(tx, workspaceId)) ?? 1
  const anchor = first > 1 ? await findCheckpointAt(tx, workspaceId, first - 1) : undefined
  return (anchor && isGenuine(anchor, keys.publicKey) && parseFrontier(anchor)) || new Frontier()
}

/** New groups must be sealed behind the record: so each process reads the end of the chain once more, and learns of the resumption. */
async function recordResumption(tx: Tx, workspaceId: string, keys: WorkspaceKeys, fault: AuditFault, now: Date): Promise<string> {
  const id = newId('aud')
  const place = fault.through === undefined ? `${fault.sequence}` : `${fault.sequence}-${fault.through}`
  const change = { action: 'audit.resume', object_type: 'audit_record', object_id: place, fields: [fault.reason] }
  const draft = createChangeDraft({ id, workspaceId, at: now, actor: null, change })
  const head = tx.updateTable('audit_head').where('workspace_id', '=', uuidOf('ws', workspaceId))
  for (const { integrity } of await appendUnderLock(tx, workspaceId, [draft], keys.hasher))
    await head.set({ anchored_from: integrity.sequence }).execute()
  return id
}
