import type { Application, User } from '../shared/principal.ts'

/** A caller inside this process, without key and token. Only code creates one, no route makes one from a request. */
export class TrustedCaller {
  /** As currently stored in the database. */
  readonly application: Application
  /** A user proven by a token or by the directory. */
  readonly user: User
  /** All users who will read the completion; `user` is one of them. */
  readonly readers: readonly User[]
  /** The message that the request answers (`msg_…`): its review items are withdrawn when it is erased. */
  readonly messageId: string | undefined
  readonly keyId: string

  constructor({ application, user, readers = [user], messageId, keyId = '' }: TrustedFields) {
    if (!user.verified || user.id === '') throw new TypeError('a trusted caller needs a verified user')
    if (!readers.some(({ id }) => id === user.id)) throw new TypeError('the user must be one of the readers')
    this.application = application
    this.user = user
    this.readers = readers
    this.messageId = messageId
    this.keyId = keyId
  }
}

type TrustedFields = Pick<TrustedCaller, 'application' | 'user'> & Partial<Pick<TrustedCaller, 'readers' | 'messageId' | 'keyId'>>

type PlaygroundFields = Pick<PlaygroundCaller, 'application' | 'operatorId' | 'user' | 'mayStoreMemories'>

/** An operator who uses an Application in the playground: the operator's scope replaces the key. Only code creates one, as with `TrustedCaller`. */
export class PlaygroundCaller {
  readonly application: Application
  /** Recorded, and excluded from deciding on a hold of the request. */
  readonly operatorId: string
  /** A user of the directory, treated as verified by a token; undefined: the user that the request asserts, if any. */
  readonly user: User | undefined
  readonly mayStoreMemories: boolean

  /** The Application must be of the operator's Workspace; the caller of this constructor has checked that. */
  constructor({ application, operatorId, user, mayStoreMemories }: PlaygroundFields) {
    if (operatorId === '') throw new TypeError('a playground caller needs an operator id')
    this.application = application
    this.operatorId = operatorId
    this.user = user
    this.mayStoreMemories = mayStoreMemories
  }
}
