import type { GeneratedAlways } from 'kysely'
import type { CreatedAt } from '../../db/columns.ts'

declare module '../../db/schema.ts' {
  interface Schema {
    message: MessageTable
    message_reaction: MessageReactionTable
    held_message: HeldMessageTable
  }
}

export interface MessageTable {
  id: string
  workspace_id: string
  conversation_id: string
  /** 1, 2, 3 … without gaps as they were stored. */
  sequence: number
  sender_id: string
  text: string
  /** Its words, for search. */
  language_vector: GeneratedAlways<string>
  /** The record of the last decision on its text; null: nobody governs. */
  audit_id: string | null
  /** Policies escalated it. */
  flagged: boolean
  /** The message that an assistant answers with this one. */
  reply_to: string | null
  created_at: CreatedAt
  updated_at: Date | null
  /** When the last member but its sender had read it. */
  read_at: Date | null
}

export interface MessageReactionTable {
  /** Reactions are shown in the order of these. */
  id: GeneratedAlways<number>
  workspace_id: string
  message_id: string
  name: string
  /** Who gave it. */
  user_id: string
  /** What is shown under the name: the giver's own id, or any text. */
  value: string
  created_at: CreatedAt
}

export interface HeldMessageTable {
  /** The id that the message will have, or of the attempt to change one. */
  id: string
  workspace_id: string
  conversation_id: string
  /** The message whose new text it would be; null: a new message. */
  target_id: string | null
  sender_id: string
  /** What it will carry: not to be swept while it waits. null: as it is. */
  attachments: string[] | null
  review_item_id: string
  created_at: CreatedAt
}
