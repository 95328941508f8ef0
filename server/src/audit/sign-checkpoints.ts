import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { toId } from '../lib/id.ts'
import { type Adopted, adoptLog } from './adopt-log.ts'
import { findHead, firstSequence, type Link, linkPages } from './audit-store.ts'
import { type ChainEnd, GENESIS } from './chain.ts'
import { type Checkpoint, checkpointHash, frontierOf, NO_CHECKPOINT, signCheckpoint } from './checkpoint.ts'
import { insertCheckpoint } from './checkpoint-store.ts'
import { sealedFrom, writeSeal } from './log-seal.ts'
import { Frontier, leafHash } from './merkle.ts'
import { AuditTampered, lockVouching } from './vouching.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** A checkpoint is due after so many records, or with fewer once the last one is that old. */
const DUE_AFTER_RECORDS = 1_000
const DUE_AFTER_MS = 60_000

/**
 * Workspaces whose next checkpoint is due. Every node may ask and sign. A last checkpoint from the future was signed before the
 * clock was set back: it is due as well, and the next one carries the time of the clock as it is.
 */
export async function checkpointsDue(db: Db, now: Date): Promise<string[]> {
  const from = new Date(now.getTime() - DUE_AFTER_MS)
  const to = new Date(now.getTime() + DUE_AFTER_MS)
  const { rows } = await sql<{ workspace_id: string }>`
    select head.workspace_id
    from audit_head as head
    left join lateral (
      select size, created_at from audit_checkpoint
      where workspace_id = head.workspace_id order by size desc limit 1
    ) as last on true
    where head.sequence - coalesce(last.size, 0) >= ${DUE_AFTER_RECORDS}
      or (head.sequence > coalesce(last.size, 0)
        and coalesce(last.created_at <= ${from}::timestamptz or last.created_at > ${to}::timestamptz, true))
  `.execute(db)
  return rows.map(({ workspace_id }) => toId('ws', workspace_id))
}

/**
 * Signs the chain as it stands, reading only what was added since the last checkpoint, and moves the Workspace's seal with it.
 * Undefined when that is nothing. A log of an older version is taken over first (`onAdopted` is told).
 *
 * Throws AuditTampered where the seal does not vouch for the last checkpoint, or a record since then does not carry its own seal:
 * nothing is signed on top of that.
 */
export async function makeCheckpoint(
  db: Db,
  workspaceId: string,
  keys: WorkspaceKeys,
  now: Date,
  onAdopted: (adopted: Adopted) => void = () => {},
): Promise<Checkpoint | undefined> {
  const adopted = await adoptLog(db, workspaceId, keys, now)
  if (adopted) onAdopted(adopted)
  return db.transaction().execute(async (tx) => {
    const vouching = await lockVouching(tx, workspaceId, keys)
    if (!vouching) throw new Error(`the audit log of ${workspaceId} has no seal`)
    const { seal, last } = vouching
    const frontier = last ? frontierOf(last) : new Frontier()
    if (!frontier) throw new Error(`checkpoint ${last?.size} of ${workspaceId} has no frontier`)
    const head = await findHead(tx, workspaceId)
    const size = frontier.size
    if (head.sequence < size) {
      throw new AuditTampered(workspaceId, { sequence: head.sequence + 1, through: size, id: null, reason: 'missing' })
    }
    if (head.sequence === size) return undefined
    const sealed_from = sealedFrom(seal, size + 1, now)
    const start = last ? { sequence: size, hash: Buffer.from(last.hash, 'hex') } : GENESIS
    await appendSealed(tx, workspaceId, { keys, start, head, sealedFrom: sealed_from, frontier })
    const fields = {
      object: 'audit_checkpoint',
      workspace_id: workspaceId,
      size: head.sequence,
      hash: head.hash.toString('hex'),
      root: frontier.root().toString('hex'),
      created_at: now.toISOString(),
    } as const
    const checkpoint = signCheckpoint(fields, frontier, keys.sign, last ? checkpointHash(last) : NO_CHECKPOINT)
    // An older node does not take the lock. Its checkpoint of the same size is as good.
    if (!(await insertCheckpoint(tx, checkpoint))) return undefined
    const vouched = { size: checkpoint.size, hash: checkpoint.hash, checkpoint: checkpointHash(checkpoint) }
    // Older nodes no longer write here, so they no longer remove records either.
    const pruned = seal.pruned ?? (sealed_from === null ? null : ((await firstSequence(tx, workspaceId)) ?? 1) - 1)
    await writeSeal(tx, { ...seal, ...vouched, sealed_from, pruned }, keys.hasher)
    return checkpoint
  })
}

interface Range {
  readonly keys: WorkspaceKeys
  /** What the first record follows, and where the chain says it ends. */
  readonly start: ChainEnd
  readonly head: ChainEnd
  readonly sealedFrom: number | null
  readonly frontier: Frontier
}

/** Adds the records behind `start` to the tree. Throws at the first that is missing, not linked or not sealed. */
async function appendSealed(tx: Tx, workspaceId: string, { keys, start, head, sealedFrom, frontier }: Range): Promise<void> {
  const { seals } = keys.hasher
  let end = start
  const isGood = ({ sequence, prev_hash: prevHash, hash, seal }: Link): boolean => {
    if (seal) return prevHash.equals(end.hash) && seals.isRecord({ sequence, prevHash, hash }, seal)
    return (sealedFrom === null || sequence < sealedFrom) && prevHash.equals(end.hash)
  }
  for await (const links of linkPages(tx, workspaceId, start.sequence, head.sequence)) {
    for (const link of links) {
      if (link.sequence !== end.sequence + 1) throw fault('missing', end.sequence + 1)
      if (!isGood(link)) throw fault('unsealed', link.sequence)
      frontier.append(leafHash(link.hash))
      end = link
    }
  }
  if (end.sequence < head.sequence) throw fault('missing', end.sequence + 1)
  if (!end.hash.equals(head.hash)) throw fault('replaced', end.sequence)

  function fault(reason: 'missing' | 'unsealed' | 'replaced', sequence: number): AuditTampered {
    return new AuditTampered(workspaceId, { sequence, id: null, reason })
  }
}
