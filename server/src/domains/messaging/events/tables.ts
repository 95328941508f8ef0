import type { GeneratedAlways } from 'kysely'
import type { CreatedAt, Json } from '../../../platform/db/columns.ts'
import type { DeliveryState, WebhookFormat } from './webhook.ts'

declare module '../../../platform/db/schema.ts' {
  interface Schema {
    event_outbox: EventOutboxTable
    event_log: EventLogTable
    event_position: EventPositionTable
    webhook: WebhookTable
    webhook_delivery: WebhookDeliveryTable
  }
}

interface EventColumns {
  workspace_id: string
  type: string
  /** The object that changed, and its conversation: TypeIDs, the same as in the payload. */
  object_id: string | null
  conversation_id: string | null
  payload: Json<unknown>
  /** W3C traceparent of the request that caused the event. */
  traceparent: string | null
  created_at: CreatedAt
}

export interface EventOutboxTable extends EventColumns {
  id: GeneratedAlways<number>
  /** Ids of the users who receive the event. */
  audience: string[]
}

export interface EventLogTable extends EventColumns {
  sequence: number
  /** Ids of the users who receive the event. */
  audience: string[]
}

export interface EventPositionTable {
  workspace_id: string
  /** Sequence of the newest event of the log. */
  last: number
  /** Sequence of the newest event that was removed because of its age. */
  pruned: number
}

export interface WebhookTable {
  id: string
  workspace_id: string
  url: string
  /** Sealed (platform/lib/secret-box.ts). */
  secret: Buffer
  format: WebhookFormat
  /** null: all. */
  types: string[] | null
  enabled: boolean
  /** Sequence of the last event that has become deliveries. */
  position: number
  created_at: CreatedAt
  updated_at: Date
}

export interface WebhookDeliveryTable extends EventColumns {
  id: string
  webhook_id: string
  /** When the event was emitted. */
  happened_at: Date
  state: DeliveryState
  attempts: number
  give_up_at: Date
  next_attempt_at: Date | null
  last_status: number | null
  last_failure: string | null
  /** When the delivery became delivered or dead. */
  ended_at: Date | null
}
