declare module '../../../platform/db/schema.ts' {
  interface Schema {
    user_erasure: UserErasureTable
  }
}

export interface UserErasureTable {
  workspace_id: string
  user_id: string
  erased_at: Date
}
