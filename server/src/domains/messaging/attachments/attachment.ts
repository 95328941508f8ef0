import { Type } from 'typebox'
import type { Entity } from '../../../platform/db/from-row.ts'
import type { EventPayload } from '../events/event.ts'
import { Seconds, seconds } from '../timestamps.ts'

export type Attachment = Entity<'message_attachment'>

export const AttachmentView = Type.Object({
  id: Type.String(),
  object: Type.Literal('attachment'),
  message_id: Type.Union([Type.String(), Type.Null()], {
    description: 'null: not sent yet. Unsent uploads are deleted after a day.',
  }),
  filename: Type.String(),
  file_url: Type.String({ format: 'uri', description: 'URL of the content, for members who can see the message.' }),
  file_type: Type.String({ description: 'Media type, detected from the content.' }),
  file_size: Type.Integer(),
  created_at: Seconds,
})

type ShownFields = Pick<Attachment, 'id' | 'messageId' | 'filename' | 'mediaType' | 'bytes' | 'createdAt'>

/** `base`: `http://host`, for the URL of the content. */
export const attachmentView = ({ id, messageId, filename, mediaType, bytes, createdAt }: ShownFields, base: string) => ({
  id,
  object: 'attachment' as const,
  message_id: messageId,
  filename,
  file_url: `${base}/v1/attachments/${id}/content`,
  file_type: mediaType,
  file_size: bytes,
  created_at: seconds(createdAt),
})

/** The attachment in events. The name is missing, because the event log would keep it after the file is deleted. */
export const attachmentEvent = ({ id, messageId, mediaType, bytes, createdAt }: Omit<ShownFields, 'filename'>): EventPayload => ({
  id,
  object: 'attachment',
  message_id: messageId,
  file_type: mediaType,
  file_size: bytes,
  created_at: seconds(createdAt),
})
