import type { Selectable } from 'kysely'
import { Type } from 'typebox'
import { toId } from '../../../platform/lib/id.ts'
import { nullable } from '../../../shared/schemas.ts'
import { AttachmentView } from '../attachments/attachment.ts'
import { ContactView } from '../people/contact.ts'
import { Seconds, seconds, secondsOrNull } from '../timestamps.ts'
import type { MessageTable } from './tables.ts'

export interface Message {
  /** `msg_…` */
  readonly id: string
  readonly workspaceId: string
  readonly conversationId: string
  /** Number in its conversation: 1, 2, 3 … */
  readonly sequence: number
  readonly senderId: string
  readonly text: string
  /** `aud_…` of the last decision on the text. */
  readonly auditId: string | null
  /** Policies escalated the text. */
  readonly flagged: boolean
  /** `msg_…` of the message that an assistant's message answers. */
  readonly replyTo: string | null
  readonly createdAt: Date
  readonly updatedAt: Date | null
  readonly readAt: Date | null
}

export const MESSAGE_COLUMNS = [
  'message.id',
  'message.workspace_id',
  'message.conversation_id',
  'message.sequence',
  'message.sender_id',
  'message.text',
  'message.audit_id',
  'message.flagged',
  'message.reply_to',
  'message.created_at',
  'message.updated_at',
  'message.read_at',
] as const

export type MessageRow = Omit<Selectable<MessageTable>, 'words' | 'tokenizer'>

export const toMessage = (row: MessageRow): Message => ({
  id: toId('msg', row.id),
  workspaceId: toId('ws', row.workspace_id),
  conversationId: toId('conv', row.conversation_id),
  sequence: row.sequence,
  senderId: row.sender_id,
  text: row.text,
  auditId: row.audit_id && toId('aud', row.audit_id),
  flagged: row.flagged,
  replyTo: row.reply_to && toId('msg', row.reply_to),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  readAt: row.read_at,
})

/** One entry for each name, in the order in which members added them. */
export type Reactions = readonly Readonly<Record<string, readonly string[]>>[]

export const MessageView = Type.Object({
  id: Type.String(),
  object: Type.Literal('message'),
  conversation_id: Type.String(),
  contact: { ...ContactView, description: 'Id of the sender.' },
  message: Type.String(),
  reactions: Type.Array(Type.Record(Type.String(), Type.Array(Type.String()))),
  attachments: Type.Array(AttachmentView),
  reply_to: nullable(Type.String({ description: 'The message that this message of an assistant answers.' })),
  governance: Type.Union([Type.Object({ audit_id: Type.String() }), Type.Null()], {
    description: 'Audit record of the last decision on the text. null: no policy decision.',
  }),
  read_at: nullable(Seconds),
  created_at: Seconds,
  updated_at: nullable(Seconds),
})

/** Fields that responses and events show in the same way. */
const sharedFields = (message: Message) => ({
  reply_to: message.replyTo,
  governance: message.auditId === null ? null : { audit_id: message.auditId },
  read_at: secondsOrNull(message.readAt),
  created_at: seconds(message.createdAt),
  updated_at: secondsOrNull(message.updatedAt),
})

export const messageView = <C, A>(message: Message, contact: C, reactions: Reactions, attachments: readonly A[]) => ({
  id: message.id,
  object: 'message' as const,
  conversation_id: message.conversationId,
  contact,
  message: message.text,
  reactions,
  attachments,
  ...sharedFields(message),
})

/** The message in events. It has ids of the contact and of attachments, because the base of their URLs is not known. */
export const messageEvent = (message: Message, reactions: Reactions, attachmentIds: readonly string[]) => ({
  id: message.id,
  object: 'message' as const,
  conversation_id: message.conversationId,
  contact_id: message.senderId,
  message: message.text,
  reactions,
  attachments: attachmentIds,
  ...sharedFields(message),
})
