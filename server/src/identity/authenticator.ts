import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../db/database.ts'
import type { Signal } from '../db/signal.ts'
import type { Application } from '../domain/principal.ts'
import type { CacheStatistics } from '../lib/cache-statistics.ts'
import { readBearer } from '../lib/credential.ts'
import { CredentialCache, type CredentialCacheOptions } from '../lib/credential-cache.ts'
import { findKeyByHash, recordKeyUse } from './api-key-store.ts'

/** Topics of db/signal.ts: a key or an Application has changed. The key is its id. */
export const KEYS_TOPIC = 'keys'
export const APPLICATIONS_TOPIC = 'applications'

export type Authentication =
  /** `keyId`: `key_…`. `keyIssuer`: see `ApiKey.issuedBy`. */
  | { readonly ok: true; readonly application: Application; readonly keyId: string; readonly keyIssuer: string | null }
  | { readonly ok: false; readonly code: 'AUTH_INVALID_KEY' | 'AUTH_KEY_REVOKED' }

const INVALID: Authentication = { ok: false, code: 'AUTH_INVALID_KEY' }
const REVOKED: Authentication = { ok: false, code: 'AUTH_KEY_REVOKED' }

/** Finds the Application of an API key (GW-AUTH-1). Keys are found by their SHA-256, and the hashes are compared in constant time. */
export class Authenticator {
  readonly #cache: CredentialCache<Authentication>
  readonly #unsubscribe: readonly (() => void)[]

  constructor({ db, signal }: { db: Db; signal: Signal }, options?: CredentialCacheOptions) {
    this.#cache = new CredentialCache((hash) => findAuthentication(db, Buffer.from(hash, 'hex')), options)
    const forget = () => this.#cache.forget()
    this.#unsubscribe = [signal.subscribe(KEYS_TOPIC, forget), signal.subscribe(APPLICATIONS_TOPIC, forget)]
  }

  get statistics(): CacheStatistics {
    return this.#cache.statistics
  }

  /** `authorization`: the header. Throws if the database does not respond, so that the client gets 503 and not 401. */
  async authenticate(authorization: string | undefined): Promise<Authentication> {
    const hash = readBearer(authorization, 'gk_')
    return (hash === undefined ? undefined : await this.#cache.get(hash)) ?? INVALID
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
  }
}

async function findAuthentication(db: Db, hash: Buffer): Promise<Authentication | undefined> {
  const key = await findKeyByHash(db, hash)
  if (!key || !timingSafeEqual(key.hash, hash)) return undefined
  if (key.revokedAt) return REVOKED
  const { application, keyId, issuedBy: keyIssuer, isUseOutdated } = key
  // A failure must not refuse the request.
  if (isUseOutdated) recordKeyUse(db, application.workspaceId, keyId).catch(() => {})
  return { ok: true, application, keyId, keyIssuer }
}
