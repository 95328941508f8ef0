import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOf } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import { type CountedRecord, countedOfRow } from './counted-record.ts'
import type { RecordsBySequence } from './recent-records.ts'
import { UsageCounter } from './usage-counter.ts'
import { floorTo, HOUR_MS, MINUTES_KEPT_MS } from './usage-spans.ts'
import { writeCounts } from './write-counts.ts'

/** Uncounted records from which on a reader does not wait for their counts. */
const READER_COUNTS = 5_000
/** Limits of one step. The embedded database runs one statement at a time, and each of a step should take a few milliseconds. */
export const STEP = { recordsRead: 200, records: 2_000, rowsWritten: 400 } as const

const TABLES = ['audit_usage', 'audit_usage_user', 'audit_usage_value'] as const
const COLUMNS = [
  ...([
    'sequence',
    'created_at',
    'endpoint',
    'status',
    'verdict',
    'application_id',
    'user_hash',
    'duration_ms',
    'tokens',
  ] as const),
  ...(['cache_read_tokens', 'cost', 'body'] as const),
] as const

/** Workspaces with records that are not counted yet. */
export async function findWorkspacesToRollUp(db: Db): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('audit_head')
    .leftJoin('audit_usage_position as position', 'position.workspace_id', 'audit_head.workspace_id')
    .select('audit_head.workspace_id')
    .where(({ eb, fn }) => eb('audit_head.sequence', '>', fn.coalesce('position.through', sql<number>`0`)))
    .execute()
  return rows.map(({ workspace_id }) => toId('ws', workspace_id))
}

/**
 * Counts the newest records, so that a reader sees them before the job has run. Returns the number of records that are left for the job:
 * many only after an import.
 */
export async function rollUpNewestRecords(db: Db, workspaceId: string, now: Date): Promise<number> {
  const { head, through } = await findPosition(db, workspaceId)
  if (head - through > READER_COUNTS) return head - through
  await rollUpRecords(db, workspaceId, { now })
  return 0
}

interface RollUp {
  readonly now: Date
  /** Records that need not be read from the log. */
  readonly recent?: RecordsBySequence | undefined
}

/** Counts the records that are in the log now. Later ones wait for the next call, so that each row is written for many records. */
export async function rollUpRecords(db: Db, workspaceId: string, options: RollUp): Promise<void> {
  const { head } = await findPosition(db, workspaceId)
  while ((await rollUpNextRecords(db, workspaceId, options)) < head);
}

/**
 * Adds the next records of a Workspace to its counts, in the order of the chain and within the limits of a step. Returns the sequence up to
 * which records are counted. Records of one Workspace become visible in the order of their sequences, so none is passed over.
 */
export async function rollUpNextRecords(db: Db, workspaceId: string, { now, recent = new Map() }: RollUp): Promise<number> {
  const position = await findPosition(db, workspaceId)
  const { head, through } = position
  if (head <= through) return head
  const { records, to } = await findNextRecords(db, workspaceId, { head, through, recent })
  const counter = new UsageCounter(new Date(now.getTime() - MINUTES_KEPT_MS))
  let last: number = through
  for (const record of records) {
    if (counter.size >= STEP.rowsWritten) break
    counter.add(record)
    last = record.sequence
  }
  const counted = { from: through, to: counter.size >= STEP.rowsWritten ? last : to, rows: counter.rows() }
  if (!position.exists) await createPosition(db, workspaceId)
  return (await writeCounts(db, workspaceId, counted)) ? counted.to : through
}

interface Position {
  /** Sequence of the last record. */
  readonly head: number
  /** Sequence of the last record that is counted. */
  readonly through: number
  readonly exists: boolean
}

async function findPosition(db: Db, workspaceId: string): Promise<Position> {
  const row = await db
    .selectFrom('audit_head')
    .leftJoin('audit_usage_position as position', 'position.workspace_id', 'audit_head.workspace_id')
    .select(['audit_head.sequence', 'position.through'])
    .where('audit_head.workspace_id', '=', uuidOf('ws', workspaceId))
    .executeTakeFirst()
  return { head: row?.sequence ?? 0, through: row?.through ?? 0, exists: row?.through != null }
}

const createPosition = (db: Db, workspaceId: string) =>
  db
    .insertInto('audit_usage_position')
    .values({ workspace_id: uuidOf('ws', workspaceId), through: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()

/** The records after `through` up to `to`, in order. Records may be missing, as retention removes them. */
async function findNextRecords(
  db: Db,
  workspaceId: string,
  { head, through, recent }: Omit<Position, 'exists'> & { readonly recent: RecordsBySequence },
): Promise<{ readonly records: readonly CountedRecord[]; readonly to: number }> {
  const to = Math.min(head, through + STEP.records)
  const sequences = Array.from({ length: to - through }, (_, index) => through + 1 + index)
  const unknown = sequences.filter((sequence) => !recent.has(sequence))
  const stored = db
    .selectFrom('audit_record')
    .select(COLUMNS)
    .where('workspace_id', '=', uuidOf('ws', workspaceId))
    .orderBy('sequence')
  if (unknown.length > STEP.recordsRead) {
    const rows = await stored.where('sequence', '>', through).where('sequence', '<=', head).limit(STEP.recordsRead).execute()
    return { records: rows.map(countedOfRow), to: rows.length < STEP.recordsRead ? head : (rows.at(-1)?.sequence ?? head) }
  }
  const rows = unknown.length === 0 ? [] : await stored.where(sql<boolean>`sequence = any(${unknown}::bigint[])`).execute()
  const read = new Map(rows.map((row) => [row.sequence, countedOfRow(row)]))
  return { records: sequences.flatMap((sequence) => recent.get(sequence) ?? read.get(sequence) ?? []), to }
}

/** Removes the counts of hours that ended before `before`, as retention removes their records, and old counts of minutes. */
export async function removeOldRollUps(
  db: Db,
  workspaceId: string,
  { before, now }: { readonly before: Date; readonly now: Date },
): Promise<void> {
  const workspace = uuidOf('ws', workspaceId)
  const keptFrom = floorTo(HOUR_MS, before)
  await db.transaction().execute(async (tx) => {
    // Readers take no day that began before this time from the counts of days.
    await tx
      .updateTable('audit_usage_position')
      .set({ kept_from: keptFrom })
      .where('workspace_id', '=', workspace)
      .where('kept_from', '<', keptFrom)
      .execute()
    for (const table of TABLES) {
      await tx.deleteFrom(table).where('workspace_id', '=', workspace).where('at', '<', keptFrom).execute()
    }
    const oldestMinute = new Date(now.getTime() - MINUTES_KEPT_MS)
    await tx
      .deleteFrom('audit_usage')
      .where('workspace_id', '=', workspace)
      .where('span', '=', 'minute')
      .where('at', '<', oldestMinute)
      .execute()
  })
}
