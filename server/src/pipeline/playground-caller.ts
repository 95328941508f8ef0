import type { Application, User } from '../domain/principal.ts'

type Fields = Pick<PlaygroundCaller, 'application' | 'operatorId' | 'user' | 'remembers'>

/**
 * An operator who tries an Application out: instead of its key, the right to the playground. As `TrustedCaller`, code makes one
 * (`new`), and nothing that is read from a request can be one.
 */
export class PlaygroundCaller {
  readonly application: Application
  /** Whose playing it is: recorded, and kept from deciding on what is held. */
  readonly operatorId: string
  /** Somebody of the directory, as if a token vouched for them; undefined: whom the request asserts, if anybody. */
  readonly user: User | undefined
  /** Whether the operator may write memories: in the name of others, that is. */
  readonly remembers: boolean

  /** The Application is to be of the operator's Workspace: whoever makes one has looked it up there. */
  constructor({ application, operatorId, user, remembers }: Fields) {
    if (operatorId === '') throw new TypeError('somebody must be playing')
    this.application = application
    this.operatorId = operatorId
    this.user = user
    this.remembers = remembers
  }
}
