import type { Signal } from '../db/signal.ts'
import { OPERATORS_TOPIC, type Operator } from '../domain/operator.ts'
import { ROLE_SCOPES, roleOf } from '../domain/roles.ts'
import { GatehouseError } from '../errors.ts'
import { Cache } from '../lib/cache.ts'
import { type Acceptance, type Accepted, acceptInvitation } from './accept-invitation.ts'
import type { BetterAuth, BetterAuthDeps } from './better-auth.ts'

export interface SignInDeps extends BetterAuthDeps {
  readonly signal: Signal
}

/**
 * The session's cookie as better-auth names it. By https it has a name that a page without https cannot set, and the other name is
 * not read: somebody on the network could plant a session of their own under it.
 */
const SESSION_COOKIE = /(?:^|;\s*)gatehouse\.session_token=([^;]+)/
const SECURE_SESSION_COOKIE = /(?:^|;\s*)__Secure-gatehouse\.session_token=([^;]+)/

/** Signing in, and who has. The library behind it is loaded when it is first needed: a gateway may run without for ever. */
export class SignIn {
  readonly #deps: SignInDeps
  readonly #people: Cache<Operator | undefined>
  readonly #unsubscribe: () => void
  #library: Promise<BetterAuth> | undefined

  constructor(deps: SignInDeps) {
    this.#deps = deps
    // Not for longer than lib/cache.ts keeps anything: a session that is over ends within a second.
    this.#people = new Cache((cookie) => this.#lookUp(cookie), { maxEntries: 1_000 })
    this.#unsubscribe = deps.signal.subscribe(OPERATORS_TOPIC, () => this.#people.forget())
  }

  get origin(): string | undefined {
    return this.#deps.publicUrl
  }

  get trustsProxies(): boolean {
    return this.#deps.trustedProxies.length > 0
  }

  /** What the sign-in page may offer beside a password. */
  get singleSignOn(): string | undefined {
    return this.#deps.oidc?.name
  }

  library(): Promise<BetterAuth> {
    this.#library ??= import('./better-auth.ts').then(({ openBetterAuth }) => openBetterAuth(this.#deps))
    this.#library.catch(() => {
      this.#library = undefined
    })
    return this.#library
  }

  /** Redeems an invitation; whoever has done so can sign in with the password. */
  async accept(acceptance: Acceptance): Promise<Accepted> {
    const { password } = await (await this.library()).$context
    return acceptInvitation(this.#deps, acceptance, password.hash)
  }

  /** Whose session the cookies of a request name. Throws when the database does not answer: 503, never 401. */
  async authenticate(cookies: string | undefined): Promise<Operator | undefined> {
    const cookie = this.#deps.publicUrl?.startsWith('https:') ? SECURE_SESSION_COOKIE : SESSION_COOKIE
    const [, value] = cookie.exec(cookies ?? '') ?? []
    return value === undefined ? undefined : this.#people.get(value)
  }

  /** To be called once something of a session has changed: every node forgets whom it knows. */
  async changed(): Promise<void> {
    await this.#deps.signal.publish(OPERATORS_TOPIC, '')
  }

  close(): void {
    this.#unsubscribe()
  }

  async #lookUp(value: string): Promise<Operator | undefined> {
    const { api, $context } = await this.library()
    const { name } = (await $context).authCookies.sessionToken
    const headers = new Headers({ cookie: `${name}=${value}` })
    // It answers null for a session that is not there, and throws in words of its own when it could not look.
    const found = await api.getSession({ headers }).catch((cause: unknown) => {
      throw new GatehouseError('UNAVAILABLE', { message: 'The session could not be read. Try again.' }, cause)
    })
    if (!found || found.user.suspendedAt) return undefined
    const { id, name: called, role } = found.user
    return { id, name: called, kind: 'person', scopes: ROLE_SCOPES[roleOf(role ?? '')] }
  }
}
