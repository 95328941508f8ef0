import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import type { CacheStatistics } from '../../platform/lib/cache.ts'
import { type Clock, systemClock } from '../../platform/lib/clock.ts'
import { readBearer } from '../../platform/lib/credential.ts'
import { CredentialCache, type CredentialCacheOptions } from '../../platform/lib/credential-cache.ts'
import { andThen, type MaybePromise } from '../../platform/lib/maybe-promise.ts'
import type { Application } from '../../shared/principal.ts'
import { findKeyByHash, recordKeyUse } from './api-key-store.ts'

export const KEYS_TOPIC = 'keys'
export const APPLICATIONS_TOPIC = 'applications'

export type Authentication =
  | { readonly ok: true; readonly application: Application; readonly keyId: string; readonly keyIssuer: string | null }
  | { readonly ok: false; readonly code: 'AUTH_INVALID_KEY' | 'AUTH_KEY_REVOKED'; readonly message?: string }

/** The expiry is checked for each request. */
interface KnownKey {
  readonly authentication: Authentication
  readonly expiresAt: Date | null
}

const INVALID: Authentication = { ok: false, code: 'AUTH_INVALID_KEY' }
const REVOKED: Authentication = { ok: false, code: 'AUTH_KEY_REVOKED' }
const EXPIRED: Authentication = { ok: false, code: 'AUTH_INVALID_KEY', message: 'The API key has expired. Use a new key.' }

/** Finds the Application of an API key (GW-AUTH-1). Keys are found by their SHA-256, and the hashes are compared in constant time. */
export class Authenticator {
  readonly #cache: CredentialCache<KnownKey>
  readonly #clock: Clock

  constructor({ db, signal, clock = systemClock }: { db: Db; signal: Signal; clock?: Clock }, options?: CredentialCacheOptions) {
    this.#clock = clock
    this.#cache = new CredentialCache((hash) => findAuthentication(db, Buffer.from(hash, 'hex')), options)
    for (const topic of [KEYS_TOPIC, APPLICATIONS_TOPIC]) signal.subscribe(topic, () => this.#cache.forget())
  }

  get statistics(): CacheStatistics {
    return this.#cache.statistics
  }

  /** `authorization`: the header. Throws if the database does not respond, so that the client gets 503 and not 401. */
  authenticate(authorization: string | undefined): MaybePromise<Authentication> {
    const hash = readBearer(authorization, 'gk_')
    return hash === undefined ? INVALID : andThen(this.#cache.get(hash), (known) => this.#current(known))
  }

  #current(known: KnownKey | undefined): Authentication {
    if (!known) return INVALID
    const { authentication, expiresAt } = known
    return authentication.ok && expiresAt && expiresAt <= this.#clock.now() ? EXPIRED : authentication
  }
}

async function findAuthentication(db: Db, hash: Buffer): Promise<KnownKey | undefined> {
  const key = await findKeyByHash(db, hash)
  if (!key || !timingSafeEqual(key.hash, hash)) return undefined
  const { application, keyId, issuedBy: keyIssuer, isUseOutdated, expiresAt } = key
  if (key.revokedAt || application.archivedAt) return { authentication: REVOKED, expiresAt }
  // A failure must not refuse the request.
  if (isUseOutdated) recordKeyUse(db, application.workspaceId, keyId).catch(() => {})
  return { authentication: { ok: true, application, keyId, keyIssuer }, expiresAt }
}
