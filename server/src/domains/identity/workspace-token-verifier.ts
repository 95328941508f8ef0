import { hash } from 'node:crypto'
import { createLocalJWKSet, errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { isStorable } from '../../platform/lib/fields.ts'
import { isObject } from '../../platform/lib/untrusted-json.ts'
import type { User } from '../../shared/principal.ts'
import { hasTooManyProjects } from '../../shared/viewer.ts'
import { createRemoteKeySet, type KeyFetch, KeysUnavailableError } from './remote-keys.ts'
import type { ClaimNames, WorkspaceSettings } from './workspace.ts'

/** Only asymmetric algorithms: with `none` or HMAC anyone could forge tokens (RFC 8725 §3.1, §3.2). */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA']
const TOLERANCE_SECONDS = 30
const MAX_TOKEN = 16_384
/** Of the id, and of each role, department and group. */
const MAX_TEXT = 200
/** How long a verified token is cached, at most until its expiry. */
const CACHE_MS = 60_000
const MAX_CACHED = 5_000
/** Longer tokens are not cached, to limit memory. */
const MAX_CACHED_TOKEN = 4_096

export type TokenVerdict =
  | { readonly ok: true; readonly user: User }
  /** `reason`: a fixed word for the log, never a part of the token. */
  | { readonly ok: false; readonly reason: string }

const refuse = (reason: string): TokenVerdict => ({ ok: false, reason })

export class WorkspaceTokenVerifier {
  readonly #settings: WorkspaceSettings
  readonly #keys: JWTVerifyGetKey | undefined
  readonly #cached = new Map<string, { readonly user: User; readonly until: number }>()

  constructor(settings: WorkspaceSettings, fetch: KeyFetch) {
    this.#settings = settings
    const { jwks } = settings
    this.#keys = jwks ? ('url' in jwks ? createRemoteKeySet(jwks.url, fetch) : createLocalJWKSet(jwks)) : undefined
  }

  /** Throws KeysUnavailableError if the keys cannot be read. */
  async verify(token: string, now: Date): Promise<TokenVerdict> {
    if (token.length > MAX_TOKEN) return refuse('too_long')
    if (!this.#keys) return refuse('no_keys_configured')
    const digest = hash('sha256', token, 'base64url')
    const cached = this.#cached.get(digest)
    if (cached && now.getTime() < cached.until) return { ok: true, user: cached.user }
    try {
      const { payload } = await jwtVerify(token, this.#keys, this.#options(now))
      const user = userOfClaims(payload, this.#settings.claims)
      if (!user) return refuse('claims')
      if (token.length <= MAX_CACHED_TOKEN) this.#cache(digest, user, (payload.exp as number) * 1_000, now)
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

  #cache(digest: string, user: User, expiresAt: number, now: Date): void {
    this.#cached.delete(digest)
    this.#cached.set(digest, { user, until: Math.min(expiresAt, now.getTime() + CACHE_MS) })
    if (this.#cached.size <= MAX_CACHED) return
    const oldest = this.#cached.keys().next()
    if (!oldest.done) this.#cached.delete(oldest.value)
  }
}

/** Undefined: invalid. An unreadable role must not become an empty role, because a policy may restrict that role. */
function userOfClaims(claims: Readonly<Record<string, unknown>>, names: ClaimNames): User | undefined {
  const id = readText(claims, names.id)
  const roles = readTexts(claims, names.role)
  const departments = readTexts(claims, names.department)
  const groups = readTexts(claims, names.groups)
  const attributes = readClaim(claims, names.attributes) ?? {}
  if (!id || !roles || !departments || !groups || !isObject(attributes)) return undefined
  if (hasTooManyProjects(attributes)) return undefined
  return {
    ...{ id, role: roles[0] ?? '', department: departments[0] ?? '', attributes, verified: true },
    ...(roles.length > 1 && { roles }),
    ...(departments.length > 1 && { departments }),
    ...(groups.length > 0 && { groups }),
  }
}

const readText = (claims: Readonly<Record<string, unknown>>, name: string): string | undefined =>
  textOf(readClaim(claims, name) ?? '')

/** The distinct texts of a claim that is a text or a list of texts. */
function readTexts(claims: Readonly<Record<string, unknown>>, name: string): readonly string[] | undefined {
  const value = readClaim(claims, name) ?? []
  const texts = (Array.isArray(value) ? value : [value]).map(textOf)
  return texts.every((text) => text !== undefined) ? [...new Set(texts)].filter(Boolean) : undefined
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= MAX_TEXT && isStorable(value) ? value : undefined

/** Ignores inherited properties such as `constructor`. */
const readClaim = (claims: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(claims, name) ? claims[name] : undefined
