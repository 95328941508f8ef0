import type { ColumnType, GeneratedAlways } from 'kysely'
import type { GovernedString } from '../domain/governed.ts'

type Json<T> = ColumnType<T, string, string>
/** What other users read is written only as policies let it pass. */
type OrNull<T extends string> = ColumnType<string | null, T | null, T | null>
type CreatedAt = ColumnType<Date, Date, never>

/** Tables of messaging. Users are named by their own ids, everything else by UUIDv7. */
export interface MessagingTables {
  access_token: AccessTokenTable
  contact_profile: ContactProfileTable
  messaging_group: MessagingGroupTable
  group_member: GroupMemberTable
  conversation: ConversationTable
  conversation_member: ConversationMemberTable
  message: MessageTable
  message_reaction: MessageReactionTable
  held_message: HeldMessageTable
  message_attachment: MessageAttachmentTable
  removed_file: RemovedFileTable
  user_erasure: UserErasureTable
  event_outbox: EventOutboxTable
  event_log: EventLogTable
  event_position: EventPositionTable
  webhook: WebhookTable
  webhook_delivery: WebhookDeliveryTable
  idempotency_key: IdempotencyKeyTable
  assistant_turn: AssistantTurnTable
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
  /** Set for an assistant: the Application that answers for it. */
  application_id: string | null
  last_active_at: Date | null
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

export interface GroupMemberTable {
  workspace_id: string
  group_id: string
  user_id: string
  joined_at: CreatedAt
}

export interface ConversationTable {
  id: string
  workspace_id: string
  /** null: a direct conversation. */
  group_id: string | null
  /** Both user ids of a direct conversation, sorted, as JSON. */
  direct_key: string | null
  pinned_message_id: string | null
  /** Of the last message that was ever stored in it. */
  last_sequence: number
  last_active_at: Date | null
  /** null: the Workspace's. */
  retention_days: number | null
  created_by: string
  created_at: CreatedAt
}

export interface ConversationMemberTable {
  workspace_id: string
  conversation_id: string
  user_id: string
  /** The conversation's last_active_at, else its created_at: one's list is an index range. */
  sort_at: Date
  is_pinned: boolean
  is_muted: boolean
  archived_at: Date | null
  last_opened_at: Date | null
  /** Up to where the member has read. */
  read_sequence: number
  read_at: Date | null
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

export interface MessageAttachmentTable {
  id: string
  workspace_id: string
  /** null: not sent yet. */
  message_id: string | null
  uploaded_by: string
  filename: string
  media_type: string
  bytes: number
  sha256: Buffer
  /** Where its bytes are: a key of the file store. */
  place: string
  created_at: CreatedAt
}

export interface RemovedFileTable {
  place: string
  /** From when on its file is not needed. */
  removed_at: Date
}

export interface UserErasureTable {
  workspace_id: string
  user_id: string
  erased_at: Date
}

export interface EventOutboxTable {
  id: GeneratedAlways<number>
  workspace_id: string
  type: string
  /** Ids of the users who may know. */
  audience: string[]
  /** What it tells of, and the conversation that this is in: both as in the payload. */
  object_id: string | null
  conversation_id: string | null
  payload: Json<unknown>
  /** W3C traceparent of the request that caused it. */
  traceparent: string | null
  created_at: CreatedAt
}

export interface EventLogTable {
  workspace_id: string
  sequence: number
  type: string
  audience: string[]
  /** What it tells of, and the conversation that this is in: both as in the payload. */
  object_id: string | null
  conversation_id: string | null
  payload: Json<unknown>
  /** W3C traceparent of the request that caused it. */
  traceparent: string | null
  created_at: CreatedAt
}

export interface EventPositionTable {
  workspace_id: string
  /** Of the newest event of the log. */
  last: number
  /** Of the newest event that was removed for its age. */
  pruned: number
}

export interface WebhookTable {
  id: string
  workspace_id: string
  url: string
  /** Sealed (lib/secret-box.ts). */
  secret: Buffer
  /** null: all. */
  types: string[] | null
  enabled: boolean
  /** Up to which event of the log it has deliveries. */
  position: number
  created_at: CreatedAt
  updated_at: Date
}

export interface WebhookDeliveryTable {
  id: string
  workspace_id: string
  webhook_id: string
  type: string
  object_id: string | null
  conversation_id: string | null
  payload: Json<unknown>
  /** When what it tells of happened. */
  happened_at: Date
  /** pending, delivered or dead. */
  state: string
  attempts: number
  give_up_at: Date
  next_attempt_at: Date | null
  last_status: number | null
  last_failure: string | null
  /** W3C traceparent of the request that caused it. */
  traceparent: string | null
  created_at: CreatedAt
  /** When it was delivered, or given up. */
  ended_at: Date | null
}

export interface IdempotencyKeyTable {
  workspace_id: string
  user_id: string
  key: string
  /** SHA-256 of method, path and body. */
  fingerprint: Buffer
  status: number
  /** The answer, byte for byte. */
  body: string
  /** What the answer is about; null: nothing that could be deleted, forgotten, or kept by an older version. */
  object_ids: ColumnType<readonly string[] | null, readonly string[] | null | undefined, readonly string[] | null>
  created_at: CreatedAt
}

export interface AssistantTurnTable {
  message_id: string
  workspace_id: string
  conversation_id: string
  assistant_id: string
  /** Who asks, as a token of the Workspace's own says; null: as the directory has them. */
  author: Json<unknown> | null
  /** waiting, held (a reviewer decides), or refused: there is no answer to it. */
  state: string
  /** How often it failed. */
  attempts: number
  /** Of the one who works on it, or did last. */
  claim: string | null
  /** Nobody else takes it up before. */
  claimed_until: Date | null
  review_item_id: string | null
  /** W3C traceparent of the request that caused it. */
  traceparent: string | null
  created_at: CreatedAt
}
