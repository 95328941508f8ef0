import type { ColumnType } from 'kysely'
import type { Bytes, CreatedAt, Json, NullableJson } from '../db/columns.ts'

declare module '../db/schema.ts' {
  interface Schema {
    review_item: ReviewItemTable
  }
}

export interface ReviewItemTable {
  id: string
  workspace_id: string
  /** null: a message of the messaging API, which no Application sends. */
  application_id: string | null
  /** The message that it is about; null: an exchange of the gateway. */
  message_id: string | null
  /** hold: something waits for it. escalation: nothing waits. */
  kind: string
  /** pending, approved, released, denied; escalations: pending, acknowledged. Expiry is read from the clock. */
  state: string
  point: string
  endpoint: string
  user_id: string
  session_id: string | null
  /** Keyed hash of the canonical request: what the item is bound to. */
  request_hash: Bytes
  rules: Json<readonly unknown[]>
  findings: Json<Record<string, number>>
  classification: string
  risk_level: string
  policy: NullableJson<unknown>
  model: string | null
  /** Sealed: messages and, for an output hold, the provider's answer. Erased on denial and at expiry. */
  content: Bytes | null
  /** Sealed: what was released, so that a repeated resubmission gets the same. Erased at expiry. */
  result: Bytes | null
  /** Record of the execution that opened the item. */
  audit_id: string
  /** Record of the execution that released it. */
  released_audit_id: string | null
  /** The item that this one's release was held as in turn (input approved, then the output held). */
  successor_id: string | null
  /** The API key that opened it; null: none did. */
  key_id: ColumnType<string | null, string | null | undefined, never>
  /** Operators who issued a key with which it was asked for: they may not decide on it. */
  key_issuers: ColumnType<readonly string[], readonly string[] | undefined, readonly string[]>
  created_at: CreatedAt
  expires_at: Date
  decided_by: string | null
  decided_at: Date | null
  comment: string | null
  /** Set, and committed, before the provider is called for a release: after a crash it tells that the call may have happened. */
  release_started_at: Date | null
  released_at: Date | null
}
