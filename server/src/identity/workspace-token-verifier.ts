import { hash } from 'node:crypto'
import { createLocalJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { User } from '../domain/principal.ts'
import { createRemoteKeySet, type KeyFetch, KeysUnavailableError } from './remote-keys.ts'
import { userOfClaims } from './token-claims.ts'
import type { WorkspaceSettings } from './workspace.ts'

/** Asymmetric only: `none` and HMAC, where a public key would double as the secret, are no choice (RFC 8725 §3.1, §3.2). */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA']
const TOLERANCE_SECONDS = 30
const MAX_TOKEN = 16_384
/** How long a verified token is taken on sight, at most and never beyond its expiry. */
const REMEMBER_MS = 60_000
const MAX_REMEMBERED = 5_000
/** Longer tokens are verified each time: the memory that remembered ones take stays bounded. */
const MAX_REMEMBERED_TOKEN = 4_096

export type TokenVerdict =
  | { readonly ok: true; readonly user: User }
  /** `reason` is a fixed word for the log, never a part of the token. */
  | { readonly ok: false; readonly reason: string }

const refuse = (reason: string): TokenVerdict => ({ ok: false, reason })

/** Whom one Workspace trusts to vouch for its users, and the tokens that have been found good under exactly these settings. */
export class WorkspaceTokenVerifier {
  readonly #settings: WorkspaceSettings
  readonly #keys: JWTVerifyGetKey | undefined
  readonly #remembered = new Map<string, { readonly user: User; readonly until: number }>()

  constructor(settings: WorkspaceSettings, fetch: KeyFetch) {
    this.#settings = settings
    const { jwks } = settings
    this.#keys = jwks ? ('url' in jwks ? createRemoteKeySet(jwks.url, fetch) : createLocalJWKSet(jwks)) : undefined
  }

  /** Throws KeysUnavailableError when the keys cannot be read. */
  async verify(token: string, now: Date): Promise<TokenVerdict> {
    if (token.length > MAX_TOKEN) return refuse('too_long')
    if (!this.#keys) return refuse('no_keys_configured')
    const digest = hash('sha256', token, 'base64url')
    const known = this.#remembered.get(digest)
    if (known && now.getTime() < known.until) return { ok: true, user: known.user }
    try {
      const { payload } = await jwtVerify(token, this.#keys, this.#options(now))
      const user = userOfClaims(payload, this.#settings.claims)
      if (!user) return refuse('claims')
      if (token.length <= MAX_REMEMBERED_TOKEN) this.#remember(digest, user, (payload.exp as number) * 1_000, now)
      return { ok: true, user }
    } catch (error) {
      if (error instanceof KeysUnavailableError) throw error
      return refuse(error instanceof errors.JOSEError ? error.code : 'unusable_key')
    }
  }

  #options(currentDate: Date) {
    const { issuer, audience } = this.#settings
    return {
      algorithms: ALGORITHMS,
      clockTolerance: TOLERANCE_SECONDS,
      currentDate,
      requiredClaims: ['exp'],
      ...(issuer !== null && { issuer }),
      ...(audience !== null && { audience: typeof audience === 'string' ? audience : [...audience] }),
    }
  }

  #remember(digest: string, user: User, expiresAt: number, now: Date): void {
    this.#remembered.delete(digest)
    this.#remembered.set(digest, { user, until: Math.min(expiresAt, now.getTime() + REMEMBER_MS) })
    if (this.#remembered.size <= MAX_REMEMBERED) return
    const oldest = this.#remembered.keys().next()
    if (!oldest.done) this.#remembered.delete(oldest.value)
  }
}
