import { GatehouseError } from '../../errors.ts'
import type { Signal } from '../../platform/db/signal.ts'
import { Cache } from '../../platform/lib/cache.ts'
import { accessOf, NO_ROLES } from '../../shared/access.ts'
import { OPERATORS_TOPIC, type Operator } from '../../shared/operator.ts'
import type { BetterAuth, BetterAuthDeps } from './better-auth.ts'
import { findInvitation, takeInvitation } from './invitation-store.ts'
import { IssuerWatch } from './issuer-watch.ts'
import type { OperatorEventDeps } from './operator-event.ts'
import { createPerson, findPerson, hasPeople, setPassword, updatePerson } from './operator-store.ts'

export interface SignInDeps extends BetterAuthDeps {
  readonly signal: Signal
}

interface Acceptance {
  readonly token: string
  readonly password: string
  /** Required for the first owner. Invited operators can correct their names. */
  readonly name?: string | undefined
  readonly email?: string | undefined
}

type AcceptanceResult =
  | { readonly kind: 'accepted'; readonly email: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'missing'; readonly param: 'name' | 'email' }
  | { readonly kind: 'taken' }

/** With https only the `__Secure-` name is read, because an attacker on the network could set the other one over http. */
const SESSION_COOKIE = /(?:^|;\s*)gatehouse\.session_token=([^;]+)/
const SECURE_SESSION_COOKIE = /(?:^|;\s*)__Secure-gatehouse\.session_token=([^;]+)/

/** Sign-in and sessions of operators. better-auth is loaded when it is first needed (docs/decisions/0020-operators.md). */
export class SignIn {
  readonly #deps: SignInDeps
  readonly #operators: Cache<Operator | undefined>
  /** Undefined: sign-in with a password only. */
  readonly issuer: IssuerWatch | undefined
  #library: Promise<BetterAuth> | undefined

  constructor(deps: SignInDeps) {
    this.#deps = deps
    this.issuer = deps.oidc && new IssuerWatch(deps.oidc.issuer, deps.log)
    this.#operators = new Cache((cookie) => this.#findOperator(cookie), { maxEntries: 1_000 })
    deps.signal.subscribe(OPERATORS_TOPIC, () => this.#operators.forget())
  }

  get origin(): string | undefined {
    return this.#deps.publicUrl
  }

  get trustsProxies(): boolean {
    return this.#deps.trustedProxies.length > 0
  }

  /** Undefined: sign-in with a password only. */
  get identityProvider(): string | undefined {
    return this.#deps.oidc?.name
  }

  get singleSignOn(): Omit<NonNullable<SignInDeps['oidc']>, 'clientSecret'> | undefined {
    return this.#deps.oidc
  }

  loadLibrary(): Promise<BetterAuth> {
    this.#library ??= import('./better-auth.ts').then(({ openBetterAuth }) => openBetterAuth(this.#deps))
    this.#library.catch(() => {
      this.#library = undefined
    })
    return this.#library
  }

  async accept(acceptance: Acceptance): Promise<AcceptanceResult> {
    const { password } = await (await this.loadLibrary()).$context
    return acceptInvitation(this.#deps, acceptance, password.hash)
  }

  /** The operator of a request's session cookie. Throws if the session cannot be read, so that the client gets 503 and not 401. */
  async authenticate(cookies: string | undefined): Promise<Operator | undefined> {
    const cookie = this.#deps.publicUrl?.startsWith('https:') ? SECURE_SESSION_COOKIE : SESSION_COOKIE
    const [, value] = cookie.exec(cookies ?? '') ?? []
    return value === undefined ? undefined : this.#operators.get(value)
  }

  async publishChange(): Promise<void> {
    await this.#deps.signal.publish(OPERATORS_TOPIC, '')
  }

  async #findOperator(value: string): Promise<Operator | undefined> {
    const { api, $context } = await this.loadLibrary()
    const cookie = (await $context).authCookies.sessionToken
    const headers = new Headers({ cookie: `${cookie.name}=${value}` })
    const session = await api.getSession({ headers }).catch((cause: unknown) => {
      throw new GatehouseError('UNAVAILABLE', { message: 'The session could not be read. Try again.' }, cause)
    })
    const person = session ? await findPerson(this.#deps.db, session.user.id) : undefined
    if (!person || person.state === 'suspended') return undefined
    const access = accessOf(person.roles)
    return { id: person.id, name: person.name, kind: 'person', access, scopes: access.all }
  }
}

/** Accepts an invitation: creates the first owner, or sets the password of an invited operator. */
export async function acceptInvitation(
  { db, clock, record }: OperatorEventDeps,
  { token, password, name, email }: Acceptance,
  hash: (password: string) => Promise<string>,
): Promise<AcceptanceResult> {
  const now = clock.now()
  const invitation = await findInvitation(db, token, now)
  if (!invitation) return { kind: 'unknown' }
  if (invitation.operatorId === null && name === undefined) return { kind: 'missing', param: 'name' }
  if (invitation.operatorId === null && email === undefined) return { kind: 'missing', param: 'email' }
  // Hashing is slow, so it is done before the transaction.
  const passwordHash = await hash(password)
  return db.transaction().execute(async (tx) => {
    const taken = await takeInvitation(tx, token, now)
    const isFirst = taken?.operatorId === null
    if (!taken || (isFirst && (await hasPeople(tx)))) return { kind: 'unknown' }
    const person =
      taken.operatorId === null
        ? await createPerson(tx, { name: name ?? '', email: email ?? '', roles: { ...NO_ROLES, all: 'owner' } }, now)
        : await (name === undefined ? findPerson(tx, taken.operatorId) : updatePerson(tx, taken.operatorId, { name }, now))
    if (!person) return { kind: 'taken' }
    await setPassword(tx, person.id, passwordHash, taken.issuedBy, now)
    const fields = ['password', ...(name === undefined ? [] : ['name']), ...(isFirst ? ['email', 'role'] : [])]
    await record(tx, { action: 'operator.accept', id: person.id, fields, actor: person.id })
    return { kind: 'accepted', email: person.email }
  })
}
