import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { Meter } from '../../platform/lib/meter.ts'

/** Waiting items are counted up to this number, so that a measurement takes milliseconds also with a long queue. */
const MAX_COUNTED = 10_000

/** The items that wait in each queue, oldest first, as a query for `since`. */
const QUEUES: Readonly<Record<string, RawBuilder<unknown>>> = {
  events: sql`select created_at as since from event_outbox order by id`,
  // The order is that of the index.
  webhook_deliveries: sql`select created_at as since from webhook_delivery where state = 'pending' order by webhook_id, next_attempt_at`,
  document_uploads: sql`select created_at as since from knowledge_upload where failed_at is null order by created_at`,
  assistant_turns: sql`select created_at as since from assistant_turn where state in ('waiting', 'held') order by created_at`,
}

interface Reading {
  readonly queue: string
  readonly waiting: number
  readonly oldestSeconds: number
}

export type QueueMeter = Meter<Reading>

/** Measures the queues in the database. */
export const queueMeter = ({ db, clock }: { readonly db: Db; readonly clock: Clock }): QueueMeter =>
  new Meter(async () => {
    const readings: Reading[] = []
    for (const [queue, items] of Object.entries(QUEUES)) {
      const { rows } = await sql<{ waiting: number; oldest: Date | null }>`
      select count(*) as waiting, min(since) as oldest from (${items} limit ${MAX_COUNTED}) as items`.execute(db)
      const { waiting = 0, oldest = null } = rows[0] ?? {}
      const ageMs = oldest === null ? 0 : clock.now().getTime() - oldest.getTime()
      readings.push({ queue, waiting, oldestSeconds: Math.max(0, ageMs / 1_000) })
    }
    return readings
  })
