declare module '../../../platform/db/schema.ts' {
  interface Schema {
    /** The state of a limit that nodes share. Only the function of migration 0004 reads and writes it. */
    quota: {
      /** Hash of the limit's owner and name. */
      key: string
      used: number
      capacity: number
      at: number
      idle_at: number
      holders: unknown
    }
  }
}
