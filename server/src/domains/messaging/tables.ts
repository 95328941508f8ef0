import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { CreatedAt, Json, NullableJson, OrNull } from '../../platform/db/columns.ts'
import type { GovernedString } from '../../shared/governed.ts'
import type { User } from '../../shared/principal.ts'
import type { EventType } from './events/event.ts'
import type { DeliveryState, WebhookFormat } from './events/webhook.ts'

declare module '../../platform/db/schema.ts' {
  interface Schema {
    access_token: {
      id: string
      workspace_id: string
      user_id: string
      name: string
      /** SHA-256 of the token; the token itself is never stored. */
      hash: Buffer
      issued_by: ColumnType<string | null, string | null | undefined, never>
      created_at: CreatedAt
      revoked_at: Date | null
    }
    contact_profile: {
      workspace_id: string
      user_id: string
      display_name: OrNull<GovernedString>
      phone_number: ColumnType<string, GovernedString | '', GovernedString | ''>
      avatar_url: OrNull<GovernedString>
      /** The Application that writes an assistant's messages. null: not an assistant. */
      application_id: string | null
      last_active_at: Date | null
    }
    group_member: {
      workspace_id: string
      group_id: string
      user_id: string
      joined_at: CreatedAt
    }
    messaging_group: {
      id: string
      workspace_id: string
      name: ColumnType<string, GovernedString, GovernedString>
      description: ColumnType<string, GovernedString | '', GovernedString | ''>
      avatar_url: OrNull<GovernedString>
      owner_id: string
      created_at: CreatedAt
      updated_at: Date
    }
    conversation: {
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
    conversation_member: {
      workspace_id: string
      conversation_id: string
      user_id: string
      /** The conversation's last_active_at, or created_at. The index on it sorts a member's list. */
      sort_at: Date
      is_pinned: boolean
      is_muted: boolean
      archived_at: Date | null
      last_opened_at: Date | null
      read_sequence: number
      read_at: Date | null
    }
    message: {
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
      read_at: Date | null
    }
    message_reaction: {
      id: GeneratedAlways<number>
      workspace_id: string
      message_id: string
      name: string
      user_id: string
      /** The text under the name: the member's own id, or any text. */
      value: string
      created_at: CreatedAt
    }
    held_message: {
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
    message_attachment: {
      id: string
      workspace_id: string
      /** null: not sent yet. */
      message_id: string | null
      uploaded_by: string
      filename: string
      media_type: string
      bytes: number
      sha256: Buffer
      place: string
      created_at: CreatedAt
    }
    removed_file: {
      place: string
      removed_at: Date
    }
    event_outbox: EventColumns & {
      id: GeneratedAlways<number>
      audience: string[]
    }
    event_log: EventColumns & {
      sequence: number
      audience: string[]
    }
    event_position: {
      workspace_id: string
      last: number
      /** Sequence of the newest event that was removed because of its age. */
      pruned: number
    }
    webhook: {
      id: string
      workspace_id: string
      url: string
      /** Sealed (platform/lib/secret-box.ts). */
      secret: Buffer
      format: WebhookFormat
      /** null: all, in a chat format all but those of messaging. */
      types: readonly EventType[] | null
      enabled: boolean
      /** Sequence of the last event that has become deliveries. */
      position: number
      created_at: CreatedAt
      updated_at: Date
    }
    webhook_delivery: EventColumns & {
      id: string
      webhook_id: string
      happened_at: Date
      state: DeliveryState
      attempts: number
      give_up_at: Date
      next_attempt_at: Date | null
      last_status: number | null
      last_failure: string | null
      ended_at: Date | null
    }
    assistant_turn: {
      message_id: string
      workspace_id: string
      conversation_id: string
      assistant_id: string
      /** The author as the user token describes it, if that differs from the stored user; null: the stored user. */
      author: NullableJson<User>
      /** held: a reviewer decides. refused: the message gets no answer. */
      state: 'waiting' | 'held' | 'refused'
      /** Number of claims, without those that ended because of limits or a hold. */
      attempts: number
      /** Id of the latest claim; null: released. */
      claim: string | null
      claimed_until: Date | null
      review_item_id: string | null
      traceparent: string | null
      created_at: CreatedAt
    }
    idempotency_key: {
      workspace_id: string
      user_id: string
      key: string
      /** SHA-256 of method, path and body. */
      fingerprint: Buffer
      status: number
      body: string
      /** Ids of the objects in the response. null: no objects, or an erased response. */
      object_ids: ColumnType<readonly string[] | null, readonly string[] | null | undefined, readonly string[] | null>
      created_at: CreatedAt
    }
    user_erasure: {
      workspace_id: string
      user_id: string
      erased_at: Date
    }
  }
}

interface EventColumns {
  workspace_id: string
  type: string
  /** The object that changed, and its conversation: TypeIDs, the same as in the payload. */
  object_id: string | null
  conversation_id: string | null
  payload: Json<unknown>
  traceparent: string | null
  created_at: CreatedAt
}
