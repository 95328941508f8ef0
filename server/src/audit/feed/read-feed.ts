import type { Db } from '../../db/database.ts'
import { uuidOf } from '../../db/values.ts'
import { toId } from '../../lib/id.ts'
import { streamRecords } from '../audit-store.ts'
import type { AuditRecord } from '../record.ts'
import type { FeedPosition } from './cursor.ts'

interface FeedPage {
  /** Oldest first within each Workspace. */
  readonly records: readonly AuditRecord[]
  /** The position after these records. */
  readonly position: FeedPosition
  readonly hasMore: boolean
}

/**
 * The first `limit` records after the position, of one Workspace or of all. Records have sequences without gaps, and a record becomes
 * visible after all earlier ones, so a reader that continues from the position misses none. Records that retention removed are skipped.
 */
export async function readFeed(
  db: Db,
  after: FeedPosition,
  { limit, workspaceId }: { readonly limit: number; readonly workspaceId?: string | undefined },
): Promise<FeedPage> {
  const records: AuditRecord[] = []
  const position: Record<string, number> = { ...after }
  for (const { id, end } of await listChainEnds(db, workspaceId)) {
    const start = position[id] ?? 0
    if (start >= end) continue
    if (records.length === limit) return { records, position, hasMore: true }
    for await (const record of streamRecords(db, id, { after: start, through: end })) {
      if (records.length === limit) return { records, position, hasMore: true }
      records.push(record)
      position[id] = record.integrity.sequence
    }
  }
  return { records, position, hasMore: false }
}

/** The sequence of the last record of each Workspace, oldest Workspace first. */
async function listChainEnds(db: Db, workspaceId: string | undefined): Promise<{ id: string; end: number }[]> {
  let query = db.selectFrom('audit_head').select(['workspace_id', 'sequence']).orderBy('workspace_id')
  if (workspaceId !== undefined) query = query.where('workspace_id', '=', uuidOf('ws', workspaceId))
  const rows = await query.execute()
  return rows.map(({ workspace_id, sequence }) => ({ id: toId('ws', workspace_id), end: sequence }))
}
