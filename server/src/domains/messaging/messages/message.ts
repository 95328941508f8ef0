import { type Static, Type } from 'typebox'
import { type Entity, fromRow, type RowOf } from '../../../platform/db/from-row.ts'
import type { Schema } from '../../../platform/db/schema.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { nullable } from '../../../shared/schemas.ts'
import { AttachmentView } from '../attachments/attachment.ts'
import { ContactView } from '../people/contact.ts'
import { Seconds, seconds, secondsOrNull } from '../timestamps.ts'
import { ReactionsBody } from './reaction.ts'

export type Message = Entity<'message', Exclude<keyof Schema['message'], 'words' | 'tokenizer'>>

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

export type MessageRow = Omit<RowOf<'message'>, 'words' | 'tokenizer'>

export const toMessage = (row: MessageRow): Message =>
  fromRow(row, { id: 'msg', workspace_id: 'ws', conversation_id: 'conv', audit_id: 'aud', reply_to: 'msg' })

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

const viewWith = <S extends object, A>(message: Message, sender: S, reactions: Reactions, attachments: readonly A[]) => ({
  id: message.id,
  object: 'message' as const,
  conversation_id: message.conversationId,
  ...sender,
  message: message.text,
  reactions,
  attachments,
  reply_to: message.replyTo,
  governance: message.auditId === null ? null : { audit_id: message.auditId },
  read_at: secondsOrNull(message.readAt),
  created_at: seconds(message.createdAt),
  updated_at: secondsOrNull(message.updatedAt),
})

export const messageView = <C, A>(message: Message, contact: C, reactions: Reactions, attachments: readonly A[]) =>
  viewWith(message, { contact }, reactions, attachments)

/** The message in events. It has ids of the contact and of attachments, because the base of their URLs is not known. */
export const messageEvent = (message: Message, reactions: Reactions, attachmentIds: readonly string[]) =>
  viewWith(message, { contact_id: message.senderId }, reactions, attachmentIds)

const MAX_BYTES = 32 * 1_024
const MAX_ATTACHMENTS = 20

const Id = Type.String({ minLength: 1, maxLength: 200 })
const Text = Type.String({ minLength: 1, maxLength: MAX_BYTES, description: 'At most 32 KiB.' })
const Attachments = Type.Array(Type.Union([Id, Type.Object({ id: Id }, { title: 'AttachmentReference' })]), {
  maxItems: MAX_ATTACHMENTS,
  description: "Ids of the caller's uploads, or objects with an `id`.",
})

export const MessageCreate = Type.Object({
  conversation_id: Id,
  message: Text,
  attachments: Type.Optional(Type.Union([Attachments, Type.Null()])),
})

export const MessageUpdate = Type.Object({
  message: Type.Optional(Text),
  reactions: Type.Optional({
    ...ReactionsBody,
    description: "The caller's reactions: text by name. Reactions of other members stay unchanged.",
  }),
  attachments: Type.Optional({ ...Attachments, description: 'All attachments of the message after the change.' }),
})

export const parseAttachmentIds = (attachments: Static<typeof Attachments> | null | undefined): string[] => [
  ...new Set((attachments ?? []).map((item) => (typeof item === 'string' ? item : item.id))),
]

export const checkText = (text: string): string | Refusal =>
  Buffer.byteLength(text) <= MAX_BYTES
    ? text
    : new Refusal('PAYLOAD_TOO_LARGE', { message: 'message: must not have more than 32 KiB.', param: 'message' })
