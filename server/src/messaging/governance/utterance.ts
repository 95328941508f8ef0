import type { User } from '../../domain/principal.ts'

/** Where something is said. */
export interface Place {
  /** `conv_…`; empty: nowhere in particular, as a profile or a group's name. */
  readonly id: string
  /** `grp_…`; null: a direct conversation. */
  readonly groupId: string | null
}

/** What somebody wants to say, before anybody has looked at it. */
export interface Utterance {
  readonly workspaceId: string
  readonly sender: User
  readonly place: Place
  /** `msg_…`: of the message that this will be, or belongs to; empty: of none. */
  readonly messageId: string
  readonly change: 'create' | 'update' | 'react' | 'profile'
  /** The message, if it is one; then what others will read with it: names of files, reactions. */
  readonly texts: readonly string[]
  /** `aud_…`: of what an assistant says, the record of the exchange that it comes from. */
  readonly exchange?: string | undefined
  readonly now: Date
}
