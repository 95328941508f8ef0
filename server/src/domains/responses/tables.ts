import type { Bytes, CreatedAt } from '../../platform/db/columns.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    stored_response: {
      id: string
      workspace_id: string
      application_id: string
      /** Empty: the request named no user. */
      user_id: string
      user_verified: boolean
      /** The stored response that this one continues. It may have been deleted since. */
      previous_id: string | null
      content: Bytes
      /** Length of the content in bytes, before it was sealed. */
      bytes: number
      created_at: CreatedAt
    }
  }
}
