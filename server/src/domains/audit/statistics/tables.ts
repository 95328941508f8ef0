import type { Generated } from 'kysely'
import type { Verdict } from '../../../shared/decision.ts'
import type { UsageSums } from './usage-sums.ts'

declare module '../../../platform/db/schema.ts' {
  interface Schema {
    audit_usage_position: AuditUsagePositionTable
    audit_usage: AuditUsageTable
    audit_usage_user: AuditUsageUserTable
    audit_usage_value: AuditUsageValueTable
  }
}

export interface AuditUsagePositionTable {
  workspace_id: string
  /** Sequence of the last record that is counted. */
  through: number
  kept_from: Generated<Date>
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
