import type { Generated, GeneratedAlways } from 'kysely'
import type { CreatedAt } from '../../../platform/db/columns.ts'

declare module '../../../platform/db/schema.ts' {
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
  /** Number in its conversation: 1, 2, 3 … without gaps when stored. */
  sequence: number
  sender_id: string
  text: string
  /** Words of the text, and the id of the conversation (message-words.ts). */
  words: Generated<string>
  /** The version of the tokenizer of `words` (domains/retrieval/words.ts). */
  tokenizer: Generated<number>
  /** Audit record of the last decision on the text. null: no policy decision. */
  audit_id: string | null
  flagged: boolean
  reply_to: string | null
  created_at: CreatedAt
  updated_at: Date | null
  /** Time when all members except the sender had read it. */
  read_at: Date | null
}

export interface MessageReactionTable {
  /** Reactions are shown in the order of their ids. */
  id: GeneratedAlways<number>
  workspace_id: string
  message_id: string
  name: string
  user_id: string
  /** The text under the name: the member's own id, or any text. */
  value: string
  created_at: CreatedAt
}

export interface HeldMessageTable {
  /** The id of the new message. For an update, an id of the attempt. */
  id: string
  workspace_id: string
  conversation_id: string
  /** The message that an update changes. null: a new message. */
  target_id: string | null
  sender_id: string
  /** Ids of the attachments after approval. They are not deleted as unsent uploads. null: an update that keeps the attachments. */
  attachments: string[] | null
  review_item_id: string
  created_at: CreatedAt
}
