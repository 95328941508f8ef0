declare module '../../../platform/db/schema.ts' {
  interface Schema {
    setup_dismissal: {
      workspace_id: string
      /** `opr_…` */
      operator_id: string
      dismissed_at: Date
    }
  }
}
