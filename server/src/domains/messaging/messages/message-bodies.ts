import { type Static, Type } from 'typebox'
import { Refusal } from '../../../shared/refusal.ts'
import { ReactionsBody } from './reaction.ts'

const MAX_BYTES = 32 * 1_024
const MAX_ATTACHMENTS = 20

const Id = Type.String({ minLength: 1, maxLength: 200 })
const Text = Type.String({ minLength: 1, maxLength: MAX_BYTES, description: 'At most 32 KiB.' })
const Attachments = Type.Array(Type.Union([Id, Type.Object({ id: Id }, { title: 'AttachmentReference' })]), {
  maxItems: MAX_ATTACHMENTS,
  description: "Ids of the caller's uploads, or objects with an `id`.",
})

/** Body of `POST /v1/messages`. */
export const MessageCreate = Type.Object({
  conversation_id: Id,
  message: Text,
  attachments: Type.Optional(Type.Union([Attachments, Type.Null()])),
})

/** Body of `PUT /v1/messages/:id`. */
export const MessageUpdate = Type.Object({
  message: Type.Optional(Text),
  reactions: Type.Optional({
    ...ReactionsBody,
    description: "The caller's reactions: text by name. Reactions of other members stay unchanged.",
  }),
  attachments: Type.Optional({ ...Attachments, description: 'All attachments of the message after the change.' }),
})

/** The ids of attachments in a body, each once. */
export const parseAttachmentIds = (attachments: Static<typeof Attachments> | null | undefined): string[] => [
  ...new Set((attachments ?? []).map((item) => (typeof item === 'string' ? item : item.id))),
]

/** The text, or a 413 if it has more than 32 KiB. */
export const checkText = (text: string): string | Refusal =>
  Buffer.byteLength(text) <= MAX_BYTES
    ? text
    : new Refusal('PAYLOAD_TOO_LARGE', { message: 'message: must not have more than 32 KiB.', param: 'message' })
