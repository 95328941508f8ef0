import type { ColumnType } from 'kysely'
import type { Bytes, CreatedAt, Json, NullableJson } from '../../platform/db/columns.ts'
import type { Classification, RiskLevel } from '../../shared/classification.ts'
import type { DecidingRule, PolicyPoint, PolicyVersion } from '../../shared/decision.ts'
import type { Endpoint } from '../../shared/principal.ts'
import type { Approval, HoldContent, ReleaseResult, ReviewKind, ReviewState } from './review.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    review_item: {
      id: string
      workspace_id: string
      /** null: a message of the messaging API. */
      application_id: string | null
      /** The held message; null: a request to the gateway. */
      message_id: string | null
      kind: ReviewKind
      /** Expiry is read from the clock (review.ts, stateAt); `expired` is set later by a job. */
      state: ReviewState
      point: PolicyPoint
      endpoint: Endpoint | 'message'
      /** Empty for a request without a user. */
      user_id: string
      session_id: string | null
      /** Keyed hash of the canonical request (request-hash.ts). */
      request_hash: Bytes
      rules: Json<readonly DecidingRule[]>
      findings: Json<Record<string, number>>
      classification: Classification
      risk_level: RiskLevel
      /** null: a failed detector opened the item. */
      policy: NullableJson<PolicyVersion>
      model: string | null
      /** Sealed {@link HoldContent}. Erased on denial and at expiry. */
      content: Bytes | null
      /** Sealed {@link ReleaseResult}. Erased at expiry. */
      result: Bytes | null
      /** Of the request that opened the item. */
      audit_id: string
      released_audit_id: string | null
      /** The item that holds the completion of this released request. */
      successor_id: string | null
      /** The API key of the request; null: a message, or a request without a key. */
      key_id: ColumnType<string | null, string | null | undefined, never>
      /** Operators who issued a key of the request. They cannot decide on the item. */
      key_issuers: ColumnType<readonly string[], readonly string[] | undefined, readonly string[]>
      created_at: CreatedAt
      expires_at: Date
      decided_by: string | null
      decided_at: Date | null
      comment: string | null
      /** Committed before a release calls the provider. After a crash it shows that the provider may have been called. */
      release_started_at: Date | null
      released_at: Date | null
      /** The operator who is asked to decide (`opr_…`). Others may decide too. */
      assigned_to: ColumnType<string | null, string | null | undefined, string | null>
      /** The absent operator whose delegate is `assigned_to`. */
      assigned_for: ColumnType<string | null, never, string | null>
      required_approvals: ColumnType<number, number | undefined, number>
      approvals: ColumnType<readonly Approval[], string | undefined, string>
      /** The question of a reviewer to the requester; null: none. */
      question: ColumnType<string | null, never, string | null>
      asked_by: ColumnType<string | null, never, string>
      asked_at: ColumnType<Date | null, never, Date>
      /** When `review.overdue` was announced; null: not yet. */
      overdue_announced_at: ColumnType<Date | null, never, Date>
    }
  }
}
