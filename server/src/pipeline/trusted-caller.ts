import type { Application, User } from '../domain/principal.ts'

/** For whom code of this server runs the pipeline, without a key and without a token. */
interface Trusted {
  /** As the database has it now. */
  readonly application: Application
  /** In whose name: somebody whom a token or the directory vouches for. */
  readonly user: User
  /** Everybody who will read the answer, if that is not the user alone; the user is one of them. */
  readonly readers?: readonly User[]
  /** `msg_…` that is answered: reviews of it are withdrawn when it is erased. */
  readonly messageId?: string
}

/**
 * A caller inside this process, whom the stages take at its word. Code makes one (`new`); nothing that is read from a request,
 * whatever its fields, can be one: the doors leave it out of the exchanges that they make.
 */
export class TrustedCaller {
  readonly #trusted: Trusted

  constructor(trusted: Trusted) {
    const readers = trusted.readers ?? [trusted.user]
    if (!trusted.user.verified || trusted.user.id === '') throw new TypeError('a trusted caller needs a verified user')
    if (!readers.some(({ id }) => id === trusted.user.id)) throw new TypeError('the user reads the answer, too')
    this.#trusted = { ...trusted, readers }
  }

  get application(): Application {
    return this.#trusted.application
  }

  get user(): User {
    return this.#trusted.user
  }

  get messageId(): string | undefined {
    return this.#trusted.messageId
  }

  get readers(): readonly User[] {
    return this.#trusted.readers ?? [this.#trusted.user]
  }
}
