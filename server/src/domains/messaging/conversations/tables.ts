import type { CreatedAt } from '../../../platform/db/columns.ts'

declare module '../../../platform/db/schema.ts' {
  interface Schema {
    conversation: ConversationTable
    conversation_member: ConversationMemberTable
  }
}

export interface ConversationTable {
  id: string
  workspace_id: string
  /** null: a direct conversation. */
  group_id: string | null
  /** Both user ids of a direct conversation, sorted, as JSON. */
  direct_key: string | null
  pinned_message_id: string | null
  /** Sequence number of the newest message that was ever stored, also if it was deleted. */
  last_sequence: number
  last_active_at: Date | null
  /** null: the Workspace's retention applies. */
  retention_days: number | null
  created_by: string
  created_at: CreatedAt
}

export interface ConversationMemberTable {
  workspace_id: string
  conversation_id: string
  user_id: string
  /** The conversation's last_active_at, or created_at. The index on it sorts a member's list. */
  sort_at: Date
  is_pinned: boolean
  is_muted: boolean
  archived_at: Date | null
  last_opened_at: Date | null
  /** Sequence number of the last message that the member has read. */
  read_sequence: number
  read_at: Date | null
}
