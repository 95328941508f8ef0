import { sql } from 'kysely'
import type { Db } from '../../src/platform/db/database.ts'

export interface EmittedEvent {
  readonly type: string
  /** Ids of the users who receive the event. */
  readonly audience: readonly string[]
  readonly payload: Readonly<Record<string, unknown>>
}

/**
 * The events whose type is like `pattern` of SQL, in the order in which they were emitted, whether the relay has moved them to the
 * log or not. It is one statement, because between two statements the relay may move an event, which would then be read twice.
 */
export async function findEmittedEvents(db: Db, pattern: string): Promise<EmittedEvent[]> {
  const { rows } = await sql<EmittedEvent>`
    select type, audience, payload from (
      select false as is_waiting, sequence as position, type, audience, payload from event_log
      union all
      select true as is_waiting, id as position, type, audience, payload from event_outbox
    ) emitted
    where type like ${pattern}
    order by is_waiting, position`.execute(db)
  return rows
}
