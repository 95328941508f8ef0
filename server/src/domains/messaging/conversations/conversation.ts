import { type Static, Type } from 'typebox'
import { nullable, SECONDS } from '../../../shared/schemas.ts'
import { Seconds, seconds, secondsOrNull } from '../timestamps.ts'

/** A conversation as one of its members sees it. */
export interface Conversation {
  /** `conv_…` */
  readonly id: string
  readonly workspaceId: string
  /** User id of the other member of a direct conversation. */
  readonly contactId: string | null
  /** `grp_…`; null: a direct conversation. */
  readonly groupId: string | null
  readonly pinnedMessageId: string | null
  /** Sequence number of the newest message that was ever stored, also if it was deleted. */
  readonly lastSequence: number
  readonly lastActiveAt: Date | null
  readonly createdAt: Date
  /** This field and the following ones are the member's own state. */
  readonly isPinned: boolean
  readonly isMuted: boolean
  readonly archivedAt: Date | null
  readonly lastOpenedAt: Date | null
  /** Sequence number of the last message that the member has read. */
  readonly readSequence: number
}

/** A conversation as responses show it. */
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

export const conversationView = (conversation: CountedConversation): Static<typeof ConversationView> => ({
  id: conversation.id,
  object: 'conversation',
  contact_id: conversation.contactId,
  group_id: conversation.groupId,
  pinned_message_id: conversation.pinnedMessageId,
  is_pinned: conversation.isPinned,
  is_muted: conversation.isMuted,
  last_active_at: secondsOrNull(conversation.lastActiveAt),
  last_opened_at: secondsOrNull(conversation.lastOpenedAt),
  created_at: seconds(conversation.createdAt),
  archived_at: secondsOrNull(conversation.archivedAt),
  unread_count: conversation.unreadCount,
})

/** Body of `POST /v1/conversations`. */
export const ConversationCreate = Type.Object({
  contact_id: Type.Optional(nullable(Id)),
  group_id: Type.Optional(nullable(Id)),
  distinct: Type.Optional(Type.Boolean({ description: 'Return the newest existing conversation, if there is one.' })),
})

/** Body of `PUT /v1/conversations/:id`. */
export const ConversationUpdate = Type.Object({
  pinned_message_id: Type.Optional(Type.Union([Id, Type.Null()], { description: 'null: no pinned message.' })),
  is_pinned: Type.Optional(Type.Boolean()),
  is_muted: Type.Optional(Type.Boolean()),
  archived_at: Type.Optional(Type.Union([Time, Type.Null()], { description: 'null: not archived.' })),
})

/** Body of `POST /v1/conversations/:id/read`. */
export const ReadMarker = Type.Object({
  message_id: Type.Optional(
    Type.Union([Id, Type.Null()], { description: 'The last message that was read. Default: the newest message.' }),
  ),
})
