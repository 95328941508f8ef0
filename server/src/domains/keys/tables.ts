declare module '../../platform/db/schema.ts' {
  interface Schema {
    sealed_value_count: SealedValueCountTable
  }
}

/** How many values each secret key has sealed, as the last complete count found it. */
export interface SealedValueCountTable {
  table_name: string
  column_name: string
  /** Empty: values that no configured key opens. */
  key_id: string
  total: number
  counted_at: Date
}
