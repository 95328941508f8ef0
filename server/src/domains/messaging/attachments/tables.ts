import type { CreatedAt } from '../../../platform/db/columns.ts'

declare module '../../../platform/db/schema.ts' {
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
  place: string
  created_at: CreatedAt
}

export interface RemovedFileTable {
  /** Key of the bytes in the file store. */
  place: string
  removed_at: Date
}
