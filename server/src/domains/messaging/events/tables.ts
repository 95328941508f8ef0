import type { GeneratedAlways } from 'kysely'
import type { CreatedAt, Json } from '../../../platform/db/columns.ts'
import type { EventType } from './event.ts'
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
  traceparent: string | null
  created_at: CreatedAt
}

export interface EventOutboxTable extends EventColumns {
  id: GeneratedAlways<number>
  audience: string[]
}

export interface EventLogTable extends EventColumns {
  sequence: number
  audience: string[]
}

export interface EventPositionTable {
  workspace_id: string
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
  /** null: all, in a chat format all but those of messaging. */
  types: readonly EventType[] | null
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
  ended_at: Date | null
}
