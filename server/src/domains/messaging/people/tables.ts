import type { ColumnType } from 'kysely'
import type { CreatedAt, OrNull } from '../../../platform/db/columns.ts'
import type { GovernedString } from '../../../shared/governed.ts'

declare module '../../../platform/db/schema.ts' {
  interface Schema {
    access_token: AccessTokenTable
    contact_profile: ContactProfileTable
    group_member: GroupMemberTable
  }
}

export interface AccessTokenTable {
  id: string
  workspace_id: string
  user_id: string
  name: string
  /** SHA-256 of the token; the token itself is never stored. */
  hash: Buffer
  /** As in `api_key`. */
  issued_by: ColumnType<string | null, string | null | undefined, never>
  created_at: CreatedAt
  revoked_at: Date | null
}

export interface ContactProfileTable {
  workspace_id: string
  user_id: string
  display_name: OrNull<GovernedString>
  phone_number: ColumnType<string, GovernedString | '', GovernedString | ''>
  avatar_url: OrNull<GovernedString>
  /** The Application that writes an assistant's messages. null: not an assistant. */
  application_id: string | null
  last_active_at: Date | null
}

export interface GroupMemberTable {
  workspace_id: string
  group_id: string
  user_id: string
  joined_at: CreatedAt
}
