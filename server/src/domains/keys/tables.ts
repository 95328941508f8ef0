declare module '../../platform/db/schema.ts' {
  interface Schema {
    /** How many values each secret key has sealed, as the last complete count found it. */
    sealed_value_count: {
      table_name: string
      column_name: string
      /** Empty: values that no configured key opens. */
      key_id: string
      total: number
      counted_at: Date
    }
  }
}
