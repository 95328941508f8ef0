import type { Selectable } from 'kysely'
import type { Db } from '../db/database.ts'
import type { AuditCheckpointTable } from '../db/schema.ts'
import { toId } from '../lib/id.ts'
import { uuidOf } from './chain.ts'
import type { Checkpoint } from './checkpoint.ts'

/** Between a record's time and its place in the chain lie its commit and the difference of two clocks: less than this. */
const SLACK_MS = 3_600_000

export const latestCheckpoint = (db: Db, workspaceId: string) => one(all(db, workspaceId).orderBy('size', 'desc'))

export const checkpointAt = (db: Db, workspaceId: string, size: number) => one(all(db, workspaceId).where('size', '=', size))

/** The first that covers that record. */
export const checkpointCovering = (db: Db, workspaceId: string, sequence: number) =>
  one(all(db, workspaceId).where('size', '>=', sequence).orderBy('size'))

/** The last that does not cover that record. */
export const checkpointBefore = (db: Db, workspaceId: string, sequence: number) =>
  one(all(db, workspaceId).where('size', '<', sequence).orderBy('size', 'desc'))

/**
 * The last that covers only records made before `time`: checkpoints double as the log's index of times. No checkpoint up to it is
 * younger: where the clock was set back, one that looks old covers young records.
 */
export async function checkpointOlderThan(db: Db, workspaceId: string, time: Date): Promise<Checkpoint | undefined> {
  const before = new Date(time.getTime() - SLACK_MS)
  const { first } = await all(db, workspaceId)
    .where('created_at', '>=', before)
    .clearSelect()
    .select(({ fn }) => fn.min<number | null>('size').as('first'))
    .executeTakeFirstOrThrow()
  return first === null ? latestCheckpoint(db, workspaceId) : checkpointBefore(db, workspaceId, first)
}

/** The first that covers all records made before `time`. No checkpoint from it on is older. */
export async function checkpointNewerThan(db: Db, workspaceId: string, time: Date): Promise<Checkpoint | undefined> {
  const after = new Date(time.getTime() + SLACK_MS)
  const { last } = await all(db, workspaceId)
    .where('created_at', '<=', after)
    .clearSelect()
    .select(({ fn }) => fn.max<number | null>('size').as('last'))
    .executeTakeFirstOrThrow()
  return checkpointCovering(db, workspaceId, (last ?? 0) + 1)
}

/** Those with sizes after `after` up to `through`, smallest first. */
export async function checkpointsBetween(db: Db, workspaceId: string, after: number, through: number): Promise<Checkpoint[]> {
  const rows = await all(db, workspaceId).where('size', '>', after).where('size', '<=', through).orderBy('size').execute()
  return rows.map(checkpointOf)
}

/** How many there are with sizes after `after`. */
export async function countAfter(db: Db, workspaceId: string, after: number): Promise<number> {
  const later = all(db, workspaceId).where('size', '>', after).clearSelect()
  const { count } = await later.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return Number(count)
}

/** One page, newest first; `below`: the size of the last one seen. */
export async function listCheckpoints(
  db: Db,
  workspaceId: string,
  { limit, below = Number.MAX_SAFE_INTEGER }: { limit: number; below?: number | undefined },
): Promise<{ data: Checkpoint[]; hasMore: boolean }> {
  const page = all(db, workspaceId).where('size', '<', below).orderBy('size', 'desc')
  const rows = await page.limit(limit + 1).execute()
  return { data: rows.slice(0, limit).map(checkpointOf), hasMore: rows.length > limit }
}

/** False, and nothing is stored, when another node has signed that size already. */
export async function insertCheckpoint(db: Db, checkpoint: Checkpoint): Promise<boolean> {
  const { previous } = checkpoint
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('audit_checkpoint')
    .values({
      workspace_id: uuidOf('ws', checkpoint.workspace_id),
      size: checkpoint.size,
      head_hash: Buffer.from(checkpoint.hash, 'hex'),
      root: Buffer.from(checkpoint.root, 'hex'),
      frontier: Buffer.from(checkpoint.frontier.join(''), 'hex'),
      signature: Buffer.from(checkpoint.signature, 'base64'),
      created_at: new Date(checkpoint.created_at),
      previous: previous ? Buffer.from(previous.hash, 'hex') : null,
      previous_signature: previous ? Buffer.from(previous.signature, 'base64') : null,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'size']).doNothing())
    .executeTakeFirst()
  return Number(numInsertedOrUpdatedRows ?? 0) === 1
}

const all = (db: Db, workspaceId: string) =>
  db.selectFrom('audit_checkpoint').selectAll().where('workspace_id', '=', uuidOf('ws', workspaceId))

async function one(query: ReturnType<typeof all>): Promise<Checkpoint | undefined> {
  const row = await query.limit(1).executeTakeFirst()
  return row && checkpointOf(row)
}

function checkpointOf(row: Selectable<AuditCheckpointTable>): Checkpoint {
  return {
    object: 'audit_checkpoint',
    workspace_id: toId('ws', row.workspace_id),
    size: row.size,
    hash: row.head_hash.toString('hex'),
    root: row.root.toString('hex'),
    created_at: timeText(row.created_at),
    signature: row.signature.toString('base64'),
    frontier: row.frontier.toString('hex').match(/.{1,64}/g) ?? [],
    ...(row.previous &&
      row.previous_signature && {
        previous: { hash: row.previous.toString('hex'), signature: row.previous_signature.toString('base64') },
      }),
  }
}

/** PostgreSQL's `infinity` is no Date. Nothing was signed with such a time, so the checkpoint is found to be altered. */
const timeText = (time: Date | number): string => (time instanceof Date ? time.toISOString() : String(time))
