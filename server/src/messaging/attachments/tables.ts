import type { CreatedAt } from '../../db/columns.ts'

declare module '../../db/schema.ts' {
  interface Schema {
    message_attachment: MessageAttachmentTable
    removed_file: RemovedFileTable
  }
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
