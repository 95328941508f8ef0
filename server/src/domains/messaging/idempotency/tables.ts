import type { ColumnType } from 'kysely'
import type { CreatedAt } from '../../../platform/db/columns.ts'

declare module '../../../platform/db/schema.ts' {
  interface Schema {
    idempotency_key: IdempotencyKeyTable
  }
}

export interface IdempotencyKeyTable {
  workspace_id: string
  user_id: string
  key: string
  /** SHA-256 of method, path and body. */
  fingerprint: Buffer
  status: number
  /** The response, byte for byte. */
  body: string
  /** Ids of the objects in the response. null: no objects, or an erased response. */
  object_ids: ColumnType<readonly string[] | null, readonly string[] | null | undefined, readonly string[] | null>
  created_at: CreatedAt
}
