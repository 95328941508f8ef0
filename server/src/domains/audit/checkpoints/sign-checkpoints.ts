import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/database.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { toId } from '../../../platform/lib/id.ts'
import { findChainEnd, findFirstSequence, readSealedLinkPages, type SealedLink } from '../audit-store.ts'
import { type ChainEnd, GENESIS } from '../chain/chain.ts'
import { faultAt } from '../verify/chain-checker.ts'
import { type ComparableLog, GroupChecker, isLinkSealed } from '../verify/record-check.ts'
import type { WorkspaceKeys } from '../workspace-keys.ts'
import { type Checkpoint, checkpointHash, parseFrontier, signEnd } from './checkpoint.ts'
import { findCheckpointAt, insertCheckpoint } from './checkpoint-store.ts'
import { writeSeal } from './log-seal.ts'
import { Frontier, leafHash } from './merkle.ts'
import { AuditTamperedError, lockVerifiedSeal } from './verified-seal.ts'

/** A checkpoint is due after this many records, or once the last checkpoint is this old and there are newer records. */
const DUE_AFTER_RECORDS = 1_000
const DUE_AFTER_MS = 60_000
/** Signed in one transaction, which keeps the embedded database from chats. Retention, archive and rereading work from checkpoint to checkpoint. */
export const MAX_RECORDS = 1_000

/** Every node may sign a due checkpoint. If the last one has a future time, the clock was set back since: the next one is due at once. */
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

/** Undefined: no new records. Throws AuditTamperedError if the seal does not confirm the last checkpoint or a record has no valid seal. */
export async function makeCheckpoint(
  db: Db,
  workspaceId: string,
  keys: WorkspaceKeys,
  clock: Clock,
  maxRecords = MAX_RECORDS,
): Promise<Checkpoint | undefined> {
  for (let last: Checkpoint | undefined; ; ) {
    // Checkpoints are a time index, and a backlog may take hours.
    const next = await makeNextCheckpoint(db, workspaceId, keys, { now: clock.now(), maxRecords })
    last = next?.checkpoint ?? last
    if (!next || next.isAtEnd) return last
  }
}

function makeNextCheckpoint(
  db: Db,
  workspaceId: string,
  keys: WorkspaceKeys,
  { now, maxRecords }: { readonly now: Date; readonly maxRecords: number },
): Promise<{ readonly checkpoint: Checkpoint; readonly isAtEnd: boolean } | undefined> {
  return db.transaction().execute(async (tx) => {
    const { seal, last } = await lockVerifiedSeal(tx, workspaceId, keys)
    const frontier = last ? parseFrontier(last) : new Frontier()
    if (!frontier) throw new Error(`checkpoint ${last?.size} of ${workspaceId} has no frontier`)
    const head = await findChainEnd(tx, workspaceId)
    const size = frontier.size
    if (head.sequence < size) throw new AuditTamperedError(workspaceId, faultAt('missing', head.sequence + 1, size))
    if (head.sequence === size) return undefined
    const start = last ? { sequence: size, hash: Buffer.from(last.hash, 'hex') } : GENESIS
    const first = (await findFirstSequence(tx, workspaceId)) ?? 1
    const comparableAfter = Math.max(first - 1, seal.accepted?.through ?? 0)
    const comparable = { start: await findComparableStart(tx, workspaceId, comparableAfter), signedThrough: size }
    const range = { keys, start, head, comparable, frontier, maxRecords }
    const end = await appendVerifiedLinks(tx, workspaceId, range)
    const checkpoint = signEnd(workspaceId, end, frontier, { now, sign: keys.sign, before: last })
    await insertCheckpoint(tx, checkpoint)
    const sealedEnd = { size: checkpoint.size, hash: checkpoint.hash, checkpoint: checkpointHash(checkpoint) }
    await writeSeal(tx, { ...seal, ...sealedEnd }, keys.hasher)
    return { checkpoint, isAtEnd: end.sequence === head.sequence }
  })
}

interface Range {
  readonly keys: WorkspaceKeys
  readonly start: ChainEnd
  readonly head: ChainEnd
  readonly comparable: ComparableLog
  readonly frontier: Frontier
  readonly maxRecords: number
}

async function findComparableStart(tx: Tx, workspaceId: string, sequence: number): Promise<ChainEnd> {
  if (sequence === 0) return GENESIS
  const checkpoint = await findCheckpointAt(tx, workspaceId, sequence)
  // Without the checkpoint no group fits behind this record.
  return { sequence, hash: Buffer.from(checkpoint?.hash ?? '', 'hex') }
}

/** Adds the records after `start` to the tree, up to the end of a group after `maxRecords`, and returns the last one. Throws at the first fault. */
async function appendVerifiedLinks(
  tx: Tx,
  workspaceId: string,
  { keys, start, head, comparable, frontier, maxRecords }: Range,
): Promise<ChainEnd> {
  const { seals } = keys.hasher
  let end = start
  const groups = new GroupChecker(tx, workspaceId, comparable)
  const isSealed = (link: SealedLink): boolean =>
    groups.fits(link) && link.prev_hash.equals(end.hash) && isLinkSealed(seals, link)
  for await (const links of readSealedLinkPages(tx, workspaceId, { after: start.sequence, through: head.sequence })) {
    await groups.load(links)
    for (const link of links) {
      if (link.sequence !== end.sequence + 1) throw tamperedError('missing', end.sequence + 1)
      if (!isSealed(link)) throw tamperedError('unsealed', link.sequence)
      frontier.append(leafHash(link.hash))
      end = link
      if (end.sequence >= start.sequence + maxRecords && groups.isComplete) return end
    }
  }
  if (end.sequence < head.sequence || !groups.isComplete) throw tamperedError('missing', end.sequence + 1)
  if (!end.hash.equals(head.hash)) throw tamperedError('replaced', end.sequence)
  return end

  function tamperedError(...fault: Parameters<typeof faultAt>): AuditTamperedError {
    return new AuditTamperedError(workspaceId, faultAt(...fault))
  }
}
