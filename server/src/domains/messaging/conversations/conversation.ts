import { Type } from 'typebox'
import type { Entity } from '../../../platform/db/from-row.ts'
import { viewOf } from '../../../platform/lib/view.ts'
import { nullable, SECONDS } from '../../../shared/schemas.ts'
import { inSeconds, Seconds } from '../timestamps.ts'

export interface Conversation
  extends Entity<
      'conversation',
      'id' | 'workspace_id' | 'group_id' | 'pinned_message_id' | 'last_sequence' | 'last_active_at' | 'created_at'
    >,
    Entity<'conversation_member', 'is_pinned' | 'is_muted' | 'archived_at' | 'last_opened_at' | 'read_sequence'> {
  readonly contactId: string | null
}

export interface CountedConversation extends Conversation {
  readonly unreadCount: number
}

/** Counting stops here, so that the cost of a page does not grow with the number of unread messages. */
export const MAX_UNREAD_COUNT = 1_000

/** A time that a client sets. Maximum: the end of the year 9999. */
const Time = Type.Integer({
  minimum: 0,
  maximum: 253_402_300_799,
  description: 'Unix time in seconds, or an ISO 8601 date.',
  [SECONDS]: true,
})
const Id = Type.String({ minLength: 1, maxLength: 200 })

export const ConversationView = Type.Object({
  id: Type.String(),
  object: Type.Literal('conversation'),
  contact_id: nullable(Type.String({ description: 'The other member of a direct conversation.' })),
  group_id: nullable(Type.String()),
  pinned_message_id: nullable(Type.String()),
  is_pinned: Type.Boolean({ description: 'Applies to the caller only, like is_muted, archived_at and last_opened_at.' }),
  is_muted: Type.Boolean(),
  last_active_at: nullable(Seconds),
  last_opened_at: nullable(Seconds),
  created_at: Seconds,
  archived_at: nullable(Seconds),
  unread_count: Type.Integer({
    description: `Messages of other members after the caller's read marker, at most ${MAX_UNREAD_COUNT}.`,
  }),
})

export const conversationView = (conversation: CountedConversation) => viewOf(ConversationView, inSeconds(conversation))

export const ConversationCreate = Type.Object({
  contact_id: Type.Optional(nullable(Id)),
  group_id: Type.Optional(nullable(Id)),
  distinct: Type.Optional(Type.Boolean({ description: 'Return the newest existing conversation, if there is one.' })),
})

export const ConversationUpdate = Type.Object({
  pinned_message_id: Type.Optional(Type.Union([Id, Type.Null()], { description: 'null: no pinned message.' })),
  is_pinned: Type.Optional(Type.Boolean()),
  is_muted: Type.Optional(Type.Boolean()),
  archived_at: Type.Optional(Type.Union([Time, Type.Null()], { description: 'null: not archived.' })),
})

export const ReadMarker = Type.Object({
  message_id: Type.Optional(
    Type.Union([Id, Type.Null()], { description: 'The last message that was read. Default: the newest message.' }),
  ),
})
