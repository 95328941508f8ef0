import type { CreatedAt, Json, NullableJson } from '../../platform/db/columns.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    saved_view: {
      id: string
      workspace_id: string
      page: string
      name: string
      /** The query of the page's URL. */
      query: Json<Readonly<Record<string, string>>>
      /** Ids of the shown columns; null: the list's own choice. */
      columns: NullableJson<readonly string[]>
      shared: boolean
      /** Operator (`opr_…`) or admin token (`adm_…`). */
      owner: string
      /** The operator who sees a private view; null: a shared view, or one of an admin token. */
      private_to: string | null
      created_at: CreatedAt
      updated_at: Date
    }
  }
}
