import type { ColumnType } from 'kysely'
import type { CreatedAt, OrNull } from '../../../platform/db/columns.ts'
import type { GovernedString } from '../../../shared/governed.ts'

declare module '../../../platform/db/schema.ts' {
  interface Schema {
    messaging_group: MessagingGroupTable
  }
}

export interface MessagingGroupTable {
  id: string
  workspace_id: string
  name: ColumnType<string, GovernedString, GovernedString>
  description: ColumnType<string, GovernedString | '', GovernedString | ''>
  avatar_url: OrNull<GovernedString>
  owner_id: string
  created_at: CreatedAt
  updated_at: Date
}
