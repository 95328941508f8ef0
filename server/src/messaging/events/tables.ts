import type { GeneratedAlways } from 'kysely'
import type { CreatedAt, Json } from '../../db/columns.ts'

declare module '../../db/schema.ts' {
  interface Schema {
    event_outbox: EventOutboxTable
    event_log: EventLogTable
    event_position: EventPositionTable
    webhook: WebhookTable
    webhook_delivery: WebhookDeliveryTable
  }
}

export interface EventOutboxTable {
  id: GeneratedAlways<number>
  workspace_id: string
  type: string
  /** Ids of the users who may know. */
  audience: string[]
  /** What it tells of, and the conversation that this is in: both as in the payload. */
  object_id: string | null
  conversation_id: string | null
  payload: Json<unknown>
  /** W3C traceparent of the request that caused it. */
  traceparent: string | null
  created_at: CreatedAt
}

export interface EventLogTable {
  workspace_id: string
  sequence: number
  type: string
  audience: string[]
  /** What it tells of, and the conversation that this is in: both as in the payload. */
  object_id: string | null
  conversation_id: string | null
  payload: Json<unknown>
  /** W3C traceparent of the request that caused it. */
  traceparent: string | null
  created_at: CreatedAt
}

export interface EventPositionTable {
  workspace_id: string
  /** Of the newest event of the log. */
  last: number
  /** Of the newest event that was removed for its age. */
  pruned: number
}

export interface WebhookTable {
  id: string
  workspace_id: string
  url: string
  /** Sealed (lib/secret-box.ts). */
  secret: Buffer
  /** null: all. */
  types: string[] | null
  enabled: boolean
  /** Up to which event of the log it has deliveries. */
  position: number
  created_at: CreatedAt
  updated_at: Date
}

export interface WebhookDeliveryTable {
  id: string
  workspace_id: string
  webhook_id: string
  type: string
  object_id: string | null
  conversation_id: string | null
  payload: Json<unknown>
  /** When what it tells of happened. */
  happened_at: Date
  /** pending, delivered or dead. */
  state: string
  attempts: number
  give_up_at: Date
  next_attempt_at: Date | null
  last_status: number | null
  last_failure: string | null
  /** W3C traceparent of the request that caused it. */
  traceparent: string | null
  created_at: CreatedAt
  /** When it was delivered, or given up. */
  ended_at: Date | null
}
