import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../db/database.ts'
import type { Signal } from '../db/signal.ts'
import type { Application } from '../domain/principal.ts'
import { readBearer } from '../lib/credential.ts'
import { CredentialCache, type CredentialCacheOptions } from '../lib/credential-cache.ts'
import { findKeyByHash, recordKeyUse } from './api-key-store.ts'

/** Topics of db/signal.ts that make every node look again: a key or an Application has changed. */
export const KEYS_TOPIC = 'keys'
export const APPLICATIONS_TOPIC = 'applications'

export type Authentication =
  /** `keyId` is `key_…`; `keyIssuer` the operator who issued it, if one did. */
  | { readonly ok: true; readonly application: Application; readonly keyId: string; readonly keyIssuer: string | null }
  | { readonly ok: false; readonly code: 'AUTH_INVALID_KEY' | 'AUTH_KEY_REVOKED' }

const INVALID: Authentication = { ok: false, code: 'AUTH_INVALID_KEY' }
const REVOKED: Authentication = { ok: false, code: 'AUTH_KEY_REVOKED' }

/**
 * API key → Application (GW-AUTH-1). For a key in use it costs a SHA-256 and a look into a Map.
 *
 * Keys are found by their hash. An attacker who measures how long that takes learns about hashes of guesses, which lead to
 * no key; the last comparison takes the same time for every hash all the same.
 */
export class Authenticator {
  readonly #cache: CredentialCache<Authentication>
  readonly #unsubscribe: readonly (() => void)[]

  constructor({ db, signal }: { db: Db; signal: Signal }, options?: CredentialCacheOptions) {
    this.#cache = new CredentialCache((hash) => lookUp(db, Buffer.from(hash, 'hex')), options)
    const forget = () => this.#cache.forget()
    this.#unsubscribe = [signal.subscribe(KEYS_TOPIC, forget), signal.subscribe(APPLICATIONS_TOPIC, forget)]
  }

  /** `authorization`: the header as it came. Throws when the database does not answer: 503, never 401. */
  async authenticate(authorization: string | undefined): Promise<Authentication> {
    const hash = readBearer(authorization, 'gk_')
    return (hash === undefined ? undefined : await this.#cache.get(hash)) ?? INVALID
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
  }
}

async function lookUp(db: Db, hash: Buffer): Promise<Authentication | undefined> {
  const holder = await findKeyByHash(db, hash)
  if (!holder || !timingSafeEqual(holder.hash, hash)) return undefined
  if (holder.revokedAt) return REVOKED
  const { application, keyId, issuedBy: keyIssuer, isUseOutdated } = holder
  // Nobody waits for it, and it keeps nobody out.
  if (isUseOutdated) recordKeyUse(db, application.workspaceId, keyId).catch(() => {})
  return { ok: true, application, keyId, keyIssuer }
}
