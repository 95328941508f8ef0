import type { CreatedAt } from '../db/columns.ts'

declare module '../db/schema.ts' {
  interface Schema {
    policy_set: PolicySetTable
  }
}

export interface PolicySetTable {
  id: string
  workspace_id: string
  name: string
  version: number
  sha256: string
  /** The published YAML document, byte for byte. */
  source: string
  published_by: string
  created_at: CreatedAt
}
