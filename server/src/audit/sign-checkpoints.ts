import { sql } from 'kysely'
import type { Db, Tx } from '../db/database.ts'
import { toId } from '../lib/id.ts'
import { type AdoptedLog, adoptLog } from './adopt-log.ts'
import { findChainEnd, findFirstSequence, readSealedLinkPages, type SealedLink } from './audit-store.ts'
import { type ChainEnd, GENESIS } from './chain.ts'
import { type Checkpoint, checkpointHash, describeEnd, NO_CHECKPOINT_HASH, parseFrontier, signCheckpoint } from './checkpoint.ts'
import { insertCheckpoint } from './checkpoint-store.ts'
import { GroupChecker } from './group-checker.ts'
import { firstSequenceRequiringSeal, writeSeal } from './log-seal.ts'
import { Frontier, leafHash } from './merkle.ts'
import { isLinkSealed } from './record-check.ts'
import { AuditTamperedError, lockVerifiedSeal } from './verified-seal.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** A checkpoint is due after this many records, or once the last checkpoint is this old and there are newer records. */
const DUE_AFTER_RECORDS = 1_000
const DUE_AFTER_MS = 60_000

/**
 * Finds the Workspaces whose next checkpoint is due; every node may sign it. A last checkpoint with a future time was signed
 * before the clock was set back: the next one is due at once and has the current time.
 */
export async function findWorkspacesDue(db: Db, now: Date): Promise<string[]> {
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
 * Signs the current chain, reading only the records since the last checkpoint, and updates the Workspace's seal. Returns
 * undefined if there are none. A log of an older version is adopted first (`onAdopted` is called).
 *
 * Throws AuditTamperedError, and signs nothing, if the seal does not confirm the last checkpoint or a later record has no valid
 * seal.
 */
export async function makeCheckpoint(
  db: Db,
  workspaceId: string,
  keys: WorkspaceKeys,
  now: Date,
  onAdopted: (adopted: AdoptedLog) => void = () => {},
): Promise<Checkpoint | undefined> {
  const adopted = await adoptLog(db, workspaceId, keys, now)
  if (adopted) onAdopted(adopted)
  return db.transaction().execute(async (tx) => {
    const verified = await lockVerifiedSeal(tx, workspaceId, keys)
    if (!verified) throw new Error(`the audit log of ${workspaceId} has no seal`)
    const { seal, last } = verified
    const frontier = last ? parseFrontier(last) : new Frontier()
    if (!frontier) throw new Error(`checkpoint ${last?.size} of ${workspaceId} has no frontier`)
    const head = await findChainEnd(tx, workspaceId)
    const size = frontier.size
    if (head.sequence < size) {
      throw new AuditTamperedError(workspaceId, { sequence: head.sequence + 1, through: size, id: null, reason: 'missing' })
    }
    if (head.sequence === size) return undefined
    const sealed_from = firstSequenceRequiringSeal(seal, size + 1, now)
    const start = last ? { sequence: size, hash: Buffer.from(last.hash, 'hex') } : GENESIS
    const first = (await findFirstSequence(tx, workspaceId)) ?? 1
    const comparableFrom = Math.max(first, (seal.accepted?.through ?? 0) + 1)
    const range = { keys, start, head, firstSequenceRequiringSeal: sealed_from, comparableFrom, frontier }
    await appendVerifiedLinks(tx, workspaceId, range)
    const checkpoint = signCheckpoint(
      describeEnd(workspaceId, head, frontier, now),
      frontier,
      keys.sign,
      last ? checkpointHash(last) : NO_CHECKPOINT_HASH,
    )
    // A node of an older version does not take the lock; its checkpoint of the same size is equivalent.
    if (!(await insertCheckpoint(tx, checkpoint))) return undefined
    const sealedEnd = { size: checkpoint.size, hash: checkpoint.hash, checkpoint: checkpointHash(checkpoint) }
    // Nodes of older versions no longer write here, so they no longer remove records either.
    const pruned = seal.pruned ?? (sealed_from === null ? null : first - 1)
    await writeSeal(tx, { ...seal, ...sealedEnd, sealed_from, pruned }, keys.hasher)
    return checkpoint
  })
}

interface Range {
  readonly keys: WorkspaceKeys
  /** The predecessor of the first record, and the stored end of the chain. */
  readonly start: ChainEnd
  readonly head: ChainEnd
  readonly firstSequenceRequiringSeal: number | null
  /** Records before this one are not compared with what groups are sealed behind, see GroupChecker. */
  readonly comparableFrom: number
  readonly frontier: Frontier
}

/** Adds the records after `start` to the tree. Throws at the first record that is missing, not linked or not sealed. */
async function appendVerifiedLinks(
  tx: Tx,
  workspaceId: string,
  { keys, start, head, firstSequenceRequiringSeal, comparableFrom, frontier }: Range,
): Promise<void> {
  const { seals } = keys.hasher
  let end = start
  const groups = new GroupChecker(tx, workspaceId, comparableFrom)
  const isSealed = (link: SealedLink): boolean => {
    if (!groups.fits(link) || !link.prev_hash.equals(end.hash)) return false
    if (link.seal) return isLinkSealed(seals, link.seal, link)
    return firstSequenceRequiringSeal === null || link.sequence < firstSequenceRequiringSeal
  }
  for await (const links of readSealedLinkPages(tx, workspaceId, { after: start.sequence, through: head.sequence })) {
    await groups.load(links)
    for (const link of links) {
      if (link.sequence !== end.sequence + 1) throw tamperedError('missing', end.sequence + 1)
      if (!isSealed(link)) throw tamperedError('unsealed', link.sequence)
      frontier.append(leafHash(link.hash))
      end = link
    }
  }
  if (end.sequence < head.sequence || !groups.isComplete) throw tamperedError('missing', end.sequence + 1)
  if (!end.hash.equals(head.hash)) throw tamperedError('replaced', end.sequence)

  function tamperedError(reason: 'missing' | 'unsealed' | 'replaced', sequence: number): AuditTamperedError {
    return new AuditTamperedError(workspaceId, { sequence, id: null, reason })
  }
}
