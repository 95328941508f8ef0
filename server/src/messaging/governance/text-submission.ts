import type { User } from '../../domain/principal.ts'

/** The place of a text. */
export interface TextPlace {
  /** `conv_…`; empty: none, as for a profile or a group's name. */
  readonly id: string
  /** `grp_…`; null: a direct conversation. */
  readonly groupId: string | null
}

/** Texts that a user submits, before they are governed. */
export interface TextSubmission {
  readonly workspaceId: string
  readonly sender: User
  readonly place: TextPlace
  /** `msg_…` of the message that the texts are or belong to; empty: none. */
  readonly messageId: string
  readonly change: 'create' | 'update' | 'react' | 'profile'
  /** The message, if it is one; then the texts that other users read with it: names of files, reactions. */
  readonly texts: readonly string[]
  /** `aud_…` of the request that an assistant's text comes from. */
  readonly requestAuditId?: string | undefined
  readonly now: Date
}
