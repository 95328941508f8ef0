import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOf, uuidOfWorkspace } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import { findHashes, streamRecords } from '../audit-store.ts'
import type { ChainEnd } from '../chain/chain.ts'
import type { AuditRecord } from '../record/record.ts'
import { type FeedPlace, type FeedPosition, feedPlace } from './cursor.ts'

/** The log does not have the last record that was read: it was cut off, or an older copy of the database was restored. */
export class LogRewoundError extends Error {
  constructor(workspaceId: string) {
    super(
      `the audit log of ${workspaceId} went back behind the position of the reader, so it may have records that were not read. ` +
        'Remove the position and read all records again: their ids show which are known',
    )
  }
}

/** Misses no record but those that retention removed. Throws a LogRewoundError if the log does not continue from the position. */
export async function readFeed(
  db: Db,
  after: FeedPosition,
  { limit, workspaceIds }: { readonly limit: number; readonly workspaceIds?: readonly string[] | undefined },
) {
  /** Oldest first within each Workspace. */
  const records: AuditRecord[] = []
  const position: Record<string, FeedPlace> = { ...after }
  const unread: UnreadLog[] = []
  for (const { id, end } of await listChainEnds(db, workspaceIds)) {
    const place = position[id]
    if (place) await requireContinued(db, id, place, end)
    const start = place?.[0] ?? 0
    if (start !== end.sequence) unread.push({ id, after: start, through: end.sequence })
  }
  for (const { id, ...range } of await oldestFirst(db, unread)) {
    if (records.length === limit) return { records, position, hasMore: true }
    for await (const record of streamRecords(db, id, range)) {
      if (records.length === limit) return { records, position, hasMore: true }
      records.push(record)
      position[id] = feedPlace(record.integrity.sequence, record.integrity.hash)
    }
  }
  return { records, position, hasMore: false }
}

interface UnreadLog {
  readonly id: string
  readonly after: number
  readonly through: number
}

/** The Workspace whose next record is the oldest comes first, so that one that writes faster than the reader reads holds up no other. */
async function oldestFirst(db: Db, logs: readonly UnreadLog[]): Promise<readonly UnreadLog[]> {
  if (logs.length < 2) return logs
  const ids = logs.map(({ id }) => uuidOf('ws', id))
  const { rows } = await sql<{ workspace: string }>`
    select reader.workspace from unnest(${ids}::uuid[], ${logs.map(({ after }) => after)}::bigint[]) as reader (workspace, after)
    left join lateral (
      select created_at from audit_record where workspace_id = reader.workspace and sequence > reader.after order by sequence limit 1
    ) as next on true
    order by next.created_at, reader.workspace`.execute(db)
  const order = new Map(rows.map(({ workspace }, index) => [toId('ws', workspace), index]))
  return logs.toSorted((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
}

/** A record that retention has removed is not compared. */
async function requireContinued(db: Db, id: string, [sequence, digits]: FeedPlace, end: ChainEnd): Promise<void> {
  const hash = sequence === end.sequence ? end.hash : (await findHashes(db, id, [sequence])).get(sequence)
  const differs = hash && sequence > 0 && !hash.toString('hex').startsWith(digits)
  if (sequence > end.sequence || differs) throw new LogRewoundError(id)
}

async function listChainEnds(db: Db, workspaceIds: readonly string[] | undefined): Promise<{ id: string; end: ChainEnd }[]> {
  let query = db.selectFrom('audit_head').select(['workspace_id', 'sequence', 'hash']).orderBy('workspace_id')
  if (workspaceIds) query = query.where(sql<boolean>`workspace_id = any(${workspaceIds.map(uuidOfWorkspace)}::uuid[])`)
  const rows = await query.execute()
  return rows.map(({ workspace_id, ...end }) => ({ id: toId('ws', workspace_id), end }))
}
