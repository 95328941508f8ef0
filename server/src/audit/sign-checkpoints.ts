import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { toId } from '../lib/id.ts'
import { findHead, hashPages } from './audit-store.ts'
import { GENESIS } from './chain.ts'
import { type Checkpoint, frontierOf, isGenuine, signCheckpoint } from './checkpoint.ts'
import { insertCheckpoint, latestCheckpoint } from './checkpoint-store.ts'
import { Frontier, leafHash } from './merkle.ts'
import type { WorkspaceKeys } from './workspace-keys.ts'

/** A checkpoint is due after so many records, or with fewer once the last one is that old. */
const DUE_AFTER_RECORDS = 1_000
const DUE_AFTER_MS = 60_000

/** Workspaces whose next checkpoint is due. Every node may ask and sign. */
export async function checkpointsDue(db: Db, now: Date): Promise<string[]> {
  const { rows } = await sql<{ workspace_id: string }>`
    select head.workspace_id
    from audit_head as head
    left join lateral (
      select size, created_at from audit_checkpoint
      where workspace_id = head.workspace_id order by size desc limit 1
    ) as last on true
    where head.sequence - coalesce(last.size, 0) >= ${DUE_AFTER_RECORDS}
      or (head.sequence > coalesce(last.size, 0)
        and coalesce(last.created_at <= ${new Date(now.getTime() - DUE_AFTER_MS)}::timestamptz, true))
  `.execute(db)
  return rows.map(({ workspace_id }) => toId('ws', workspace_id))
}

/**
 * Signs the chain as it stands, reading only what was added since the last checkpoint. Undefined when that is nothing.
 * Throws when records are missing, or when the last checkpoint is not what was signed: nothing is signed on top of that.
 */
export async function makeCheckpoint(
  db: Db,
  workspaceId: string,
  keys: Pick<WorkspaceKeys, 'sign' | 'publicKey'>,
  now: Date,
): Promise<Checkpoint | undefined> {
  const last = await latestCheckpoint(db, workspaceId)
  const frontier = last ? frontierOf(last) : new Frontier()
  if (!frontier || (last && !isGenuine(last, keys.publicKey)))
    throw new Error(`checkpoint ${last?.size} of ${workspaceId} was altered`)
  const head = await findHead(db, workspaceId)
  if (head.sequence <= frontier.size) return undefined

  let end = GENESIS.hash
  for await (const hashes of hashPages(db, workspaceId, frontier.size, head.sequence)) {
    for (const hash of hashes) frontier.append(leafHash(hash))
    end = hashes.at(-1) ?? end
  }
  if (!end.equals(head.hash)) throw new Error(`the audit chain of ${workspaceId} does not end where it should`)
  const fields = {
    object: 'audit_checkpoint',
    workspace_id: workspaceId,
    size: head.sequence,
    hash: head.hash.toString('hex'),
    root: frontier.root().toString('hex'),
    created_at: now.toISOString(),
  } as const
  const checkpoint = signCheckpoint(fields, frontier, keys.sign)
  await insertCheckpoint(db, checkpoint)
  return checkpoint
}
