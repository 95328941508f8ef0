import type { Change } from './change.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    applied_declaration: AppliedDeclarationTable
  }
}

/** Hash of each declared item as it was last applied (tools/setup/ledger.ts). */
export interface AppliedDeclarationTable {
  /** The nil UUID for items of the whole server. */
  workspace_id: string
  /** Kind of the item, or `field` for one field of an item. */
  object: Change['object'] | 'field'
  /** A hash for users. */
  name: string
  /** SHA-256 of the declaration; for a policy set, of its text. */
  hash: string
  applied_at: Date
}
