import { sql } from 'kysely'
import type { Db } from '../../../platform/db/database.ts'
import { uuidOfWorkspace } from '../../../platform/db/values.ts'
import { toId } from '../../../platform/lib/id.ts'
import type { LoggedEvent } from './event.ts'

/** Key of pg_advisory_xact_lock: one relay of all nodes assigns sequences at a time. */
const RELAY_LOCK = 7_241_002

export async function moveOutboxToLog(
  db: Db,
  most: number,
): Promise<{ readonly moved: number; readonly workspaceIds: string[] }> {
  const { rows: waiting } = await sql`select 1 from event_outbox limit 1`.execute(db)
  if (waiting.length === 0) return { moved: 0, workspaceIds: [] }
  const { rows } = await db.transaction().execute(async (tx) => {
    // The lock is a separate statement, so that the next statement sees all that the previous relay has committed.
    await sql`select pg_advisory_xact_lock(${RELAY_LOCK})`.execute(tx)
    return sql<{ workspace_id: string; moved: number }>`
      with taken as (
        delete from event_outbox where id in (select id from event_outbox order by id limit ${most}) returning *
      ), grown as (
        insert into event_position as held (workspace_id, last, pruned)
        select workspace_id, count(*), 0 from taken group by workspace_id
        on conflict (workspace_id) do update set last = held.last + excluded.last
        returning workspace_id, last
      ), logged as (
        insert into event_log (workspace_id, sequence, type, audience, object_id, conversation_id, payload, traceparent, created_at)
        select workspace_id,
          last - count(*) over workspace + row_number() over (workspace order by id),
          type, audience, object_id, conversation_id, payload, traceparent, created_at
        from taken join grown using (workspace_id)
        window workspace as (partition by workspace_id)
        returning workspace_id
      )
      select workspace_id, count(*) as moved from logged group by workspace_id`.execute(tx)
  })
  return {
    moved: rows.reduce((sum, { moved }) => sum + moved, 0),
    workspaceIds: rows.map(({ workspace_id }) => toId('ws', workspace_id)),
  }
}

/** Sequences of the newest event of a log, and of the newest one that was removed because of its age. */
export interface LogPosition {
  readonly last: number
  readonly pruned: number
}

export async function findLogPosition(db: Db, workspaceId: string): Promise<LogPosition> {
  const row = await db
    .selectFrom('event_position')
    .select(['last', 'pruned'])
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .executeTakeFirst()
  return row ?? { last: 0, pruned: 0 }
}

export interface SequenceRange {
  readonly after: number
  readonly upTo?: number
}

/** The first `most` events of a range, in order. With `userId`: only events whose audience contains that user. */
export async function readEventLog(
  db: Db,
  workspaceId: string,
  { after, upTo }: SequenceRange,
  { most, userId }: { readonly most: number; readonly userId?: string },
): Promise<LoggedEvent[]> {
  return db
    .selectFrom('event_log')
    .select(['sequence', 'type', 'audience', sql<string>`payload::text`.as('payload')])
    .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
    .where('sequence', '>', after)
    .$if(upTo !== undefined, (query) => query.where('sequence', '<=', upTo as number))
    .$if(userId !== undefined, (query) => query.where(sql<boolean>`${userId} = any(audience)`))
    .orderBy('sequence')
    .limit(most)
    .execute()
}

export async function pruneEventLog(db: Db, before: Date, most: number): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    with old as (
      select workspace_id, sequence from event_log where created_at < ${before} order by created_at limit ${most}
    ), gone as (
      delete from event_log where (workspace_id, sequence) in (select workspace_id, sequence from old)
      returning workspace_id, sequence
    ), ends as (
      select workspace_id, count(*) as removed, max(sequence) as pruned from gone group by workspace_id
    ), moved as (
      update event_position set pruned = greatest(event_position.pruned, ends.pruned) from ends
      where event_position.workspace_id = ends.workspace_id
    )
    select coalesce(sum(removed), 0)::bigint as removed from ends`.execute(db)
  return rows[0]?.removed ?? 0
}
