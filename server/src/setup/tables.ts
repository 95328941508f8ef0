declare module '../db/schema.ts' {
  interface Schema {
    applied_declaration: AppliedDeclarationTable
  }
}

/** What the configuration file declared of a thing when it was last applied (setup/ledger.ts). */
export interface AppliedDeclarationTable {
  /** The nil UUID: of the whole server. */
  workspace_id: string
  object: string
  /** Hashed for users. */
  name: string
  /** SHA-256 of what was declared; of a policy set: of its text. */
  hash: string
  applied_at: Date
}
