import type { Db } from '../../../platform/db/database.ts'
import { type RowOf, takeFirst } from '../../../platform/db/from-row.ts'
import { type Page, readPage } from '../../../platform/db/page.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import type { Checkpoint } from './checkpoint.ts'

/** Upper bound for the commit delay plus the clock difference between a record's time and its position. */
export const CLOCK_TOLERANCE_MS = 3_600_000

export const findLatestCheckpoint = (db: Db, workspaceId: string) =>
  findOne(selectCheckpoints(db, workspaceId).orderBy('size', 'desc'))

export const findCheckpointAt = (db: Db, workspaceId: string, size: number) =>
  findOne(selectCheckpoints(db, workspaceId).where('size', '=', size))

export const findCheckpointCovering = (db: Db, workspaceId: string, sequence: number) =>
  findOne(selectCheckpoints(db, workspaceId).where('size', '>=', sequence).orderBy('size'))

export const findCheckpointBefore = (db: Db, workspaceId: string, sequence: number) =>
  findOne(selectCheckpoints(db, workspaceId).where('size', '<', sequence).orderBy('size', 'desc'))

/** Covers only records created before `time`. All checkpoints up to it are older, even if the clock was set back in between. */
export async function findCheckpointOlderThan(db: Db, workspaceId: string, time: Date): Promise<Checkpoint | undefined> {
  const before = new Date(time.getTime() - CLOCK_TOLERANCE_MS)
  const { first } = await selectCheckpoints(db, workspaceId)
    .where('created_at', '>=', before)
    .clearSelect()
    .select(({ fn }) => fn.min<number | null>('size').as('first'))
    .executeTakeFirstOrThrow()
  return first === null ? findLatestCheckpoint(db, workspaceId) : findCheckpointBefore(db, workspaceId, first)
}

/** Covers all records created before `time`. No later checkpoint is older. */
export async function findCheckpointNewerThan(db: Db, workspaceId: string, time: Date): Promise<Checkpoint | undefined> {
  const after = new Date(time.getTime() + CLOCK_TOLERANCE_MS)
  const { last } = await selectCheckpoints(db, workspaceId)
    .where('created_at', '<=', after)
    .clearSelect()
    .select(({ fn }) => fn.max<number | null>('size').as('last'))
    .executeTakeFirstOrThrow()
  return findCheckpointCovering(db, workspaceId, (last ?? 0) + 1)
}

/** Checkpoints with `after` < size ≤ `through`, smallest first. */
export async function findCheckpointsBetween(db: Db, workspaceId: string, after: number, through: number): Promise<Checkpoint[]> {
  const rows = await selectCheckpoints(db, workspaceId)
    .where('size', '>', after)
    .where('size', '<=', through)
    .orderBy('size')
    .execute()
  return rows.map(toCheckpoint)
}

export async function countCheckpointsAfter(db: Db, workspaceId: string, after: number): Promise<number> {
  const later = selectCheckpoints(db, workspaceId).where('size', '>', after).clearSelect()
  const { count } = await later.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
  return Number(count)
}

/** Newest first. `below`: size of the last checkpoint of the previous page. */
export const listCheckpoints = (
  db: Db,
  workspaceId: string,
  { limit, below = Number.MAX_SAFE_INTEGER }: { limit: number; below?: number | undefined },
): Promise<Page<Checkpoint>> =>
  readPage(selectCheckpoints(db, workspaceId), { limit }, { by: ['size'], order: 'desc', place: [below] }, toCheckpoint)

/** Call it in the transaction that has locked the seal. */
export async function insertCheckpoint(db: Db, checkpoint: Checkpoint): Promise<void> {
  const { previous } = checkpoint
  await db
    .insertInto('audit_checkpoint')
    .values({
      workspace_id: uuidOf('ws', checkpoint.workspace_id),
      size: checkpoint.size,
      head_hash: Buffer.from(checkpoint.hash, 'hex'),
      root: Buffer.from(checkpoint.root, 'hex'),
      frontier: Buffer.from(checkpoint.frontier.join(''), 'hex'),
      signature: Buffer.from(checkpoint.signature, 'base64'),
      created_at: new Date(checkpoint.created_at),
      previous: Buffer.from(previous.hash, 'hex'),
      previous_signature: Buffer.from(previous.signature, 'base64'),
    })
    .execute()
}

const selectCheckpoints = (db: Db, workspaceId: string) =>
  db.selectFrom('audit_checkpoint').selectAll().where('workspace_id', '=', uuidOf('ws', workspaceId))

const findOne = (query: ReturnType<typeof selectCheckpoints>): Promise<Checkpoint | undefined> =>
  query.limit(1).$call(takeFirst(toCheckpoint))

function toCheckpoint(row: RowOf<'audit_checkpoint'>): Checkpoint {
  return {
    object: 'audit_checkpoint',
    workspace_id: toId('ws', row.workspace_id),
    size: row.size,
    hash: row.head_hash.toString('hex'),
    root: row.root.toString('hex'),
    created_at: formatTime(row.created_at),
    signature: row.signature.toString('base64'),
    frontier: row.frontier.toString('hex').match(/.{1,64}/g) ?? [],
    // A removed link is an empty one, which no signature confirms.
    previous: { hash: row.previous?.toString('hex') ?? '', signature: row.previous_signature?.toString('base64') ?? '' },
  }
}

/** PostgreSQL's `infinity` is not a Date. The text then differs from the signed time, so the checkpoint counts as altered. */
const formatTime = (time: Date | number): string => (time instanceof Date ? time.toISOString() : String(time))
