import type { Generated } from 'kysely'
import type { Bytes, CreatedAt } from '../../platform/db/columns.ts'
import type { RiskLevel } from '../../shared/classification.ts'
import type { Verdict } from '../../shared/decision.ts'
import type { AuditEndpoint } from './record/record.ts'
import type { UsageSums } from './statistics/usage-sums.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    audit_record: {
      id: string
      workspace_id: string
      /** null: a message or an operator's change. */
      application_id: string | null
      sequence: number
      created_at: CreatedAt
      endpoint: AuditEndpoint
      verdict: Verdict | null
      risk_level: RiskLevel | null
      status: number
      user_hash: string | null
      duration_ms: number
      tokens: number
      /** Part of `tokens` that providers read from their caches; null: none. */
      cache_read_tokens: Generated<number | null>
      /** Cost of all attempts; null: no model has a price. */
      cost: number | null
      /** The record in RFC 8785 form without its own hash: exactly the hashed bytes. */
      body: string
      prev_hash: Bytes
      hash: Bytes
      /** Seal of the position, or of the place in a group (domains/audit/record/record-seals.ts); null: it was removed. */
      seal: Generated<Bytes | null>
    }
    audit_head: {
      workspace_id: string
      sequence: number
      hash: Bytes
      /** New groups must be sealed behind this record or a later one: that of the last resumption by an operator. */
      anchored_from: Generated<number>
    }
    /** A record that its transaction has committed and that has no position in the chain yet. */
    audit_pending: {
      id: string
      workspace_id: string
      before_integrity: string
      after_integrity: string
      seal: Bytes
      created_at: Generated<Date>
    }
    audit_checkpoint: {
      workspace_id: string
      /** Number of covered records: sequences up to and including this one. */
      size: number
      /** Hash of the last covered record; the chain continues from it after retention has removed that record. */
      head_hash: Bytes
      root: Bytes
      /** Roots of the perfect subtrees, largest first: later roots and proofs need them instead of the covered records. */
      frontier: Bytes
      signature: Bytes
      created_at: CreatedAt
      /** Hash of the previous checkpoint, and the signature over both; null: they were removed. */
      previous: Generated<Bytes | null>
      previous_signature: Generated<Bytes | null>
    }
    audit_delivery: {
      workspace_id: string
      target: string
      size: number
      /** Keyed hash of the row: after a forged update all checkpoints are delivered again. */
      seal: string
    }
    audit_usage_position: {
      workspace_id: string
      /** Sequence of the last record that is counted. */
      through: number
      kept_from: Generated<Date>
    }
    audit_usage: AuditUsageTable
    audit_usage_user: AuditUsageUserTable
    audit_usage_value: AuditUsageValueTable
  }
}

/** Counts of one minute, hour or day (UTC), without operators' changes. Empty texts: the record has no such value. */
export interface AuditUsageTable extends UsageSums {
  workspace_id: string
  span: 'minute' | 'hour' | 'day'
  at: Date
  application_id: string
  key_id: string
  provider: string
  model: string
  verdict: Verdict | ''
}

/** The same by user: hours and days only, because they have more rows than all the others. */
export interface AuditUsageUserTable extends AuditUsageTable {
  user_hash: string
}

/** Counts by one property of the requests, with the verdicts as columns. */
export interface AuditUsageValueTable
  extends Omit<AuditUsageTable, 'span' | 'application_id' | 'key_id' | 'provider' | 'model' | 'verdict'> {
  dimension: 'all' | 'application' | 'provider' | 'model' | 'user' | 'key'
  /** A week begins on Monday. */
  span: 'hour' | 'day' | 'week'
  value: string
  allow: number
  escalate: number
  require_approval: number
  deny: number
  /** Requests by duration (usage-sums.ts): of the whole request, of the gateway alone, of the providers. null for users and keys. */
  total_durations: string[] | null
  gateway_durations: string[] | null
  provider_durations: string[] | null
}
