declare module '../../db/schema.ts' {
  interface Schema {
    audit_rollup_position: AuditRollupPositionTable
    audit_rollup: AuditRollupTable
    audit_rollup_duration: AuditRollupDurationTable
  }
}

export interface AuditRollupPositionTable {
  workspace_id: string
  /** Sequence of the last record that the roll-ups count. */
  through: number
}

/** Counts of one hour and one Application, without operators' changes. */
export interface AuditRollupTable {
  workspace_id: string
  /** Or ALL_APPLICATIONS. */
  application_id: string
  hour: Date
  requests: number
  allow: number
  escalate: number
  require_approval: number
  deny: number
  errors: number
  tokens: number
  cached_tokens: number
  /** null: no record had a cost. */
  cost: number | null
}

export interface AuditRollupDurationTable {
  workspace_id: string
  application_id: string
  hour: Date
  /** See duration-buckets.ts. */
  bucket: number
  requests: number
}
