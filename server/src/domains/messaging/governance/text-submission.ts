import type { User } from '../../../shared/principal.ts'
import type { Unread } from '../../../shared/unread.ts'

/** The conversation of the texts. */
export interface TextPlace {
  /** `conv_…`; empty: no conversation, for the fields of a user or group. */
  readonly id: string
  /** `grp_…`; null: no group. */
  readonly groupId: string | null
}

export interface FileContents {
  /** Policies read them, and cannot change them. */
  readonly texts: readonly string[]
  /** Pictures, sounds and files that are not text, or only in part. */
  readonly unread: Unread
}

/** Texts that a user submits and that are not governed yet. */
export interface TextSubmission {
  readonly workspaceId: string
  readonly sender: User
  readonly place: TextPlace
  /** Id of the message that the texts belong to (`msg_…`), which may not be stored yet. Empty: they belong to no message. */
  readonly messageId: string
  readonly change: 'create' | 'update' | 'react' | 'profile'
  /** The text of the message, if there is one; then the texts that other users see with it, such as names of files. */
  readonly texts: readonly string[]
  /** Reads the files that are sent with the texts. It is called only if the Workspace has policies for messages. */
  readonly readFiles?: (() => Promise<FileContents>) | undefined
  /** `aud_…`: the request whose completion the text is. */
  readonly requestAuditId?: string | undefined
  readonly now: Date
}
