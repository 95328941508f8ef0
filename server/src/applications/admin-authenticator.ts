import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../db/database.ts'
import type { Signal } from '../db/signal.ts'
import type { Operator } from '../domain/operator.ts'
import { findAdminTokenByHash } from './admin-token-store.ts'
import { readBearer } from './credential.ts'
import { CredentialCache, type CredentialCacheOptions } from './credential-cache.ts'

/** Topic of db/signal.ts: an operator's token has changed. */
export const ADMIN_TOKENS_TOPIC = 'admin_tokens'

export type OperatorAuthentication =
  | { readonly ok: true; readonly operator: Operator }
  | { readonly ok: false; readonly code: 'AUTH_INVALID_KEY' | 'AUTH_KEY_REVOKED' }

const INVALID: OperatorAuthentication = { ok: false, code: 'AUTH_INVALID_KEY' }
const REVOKED: OperatorAuthentication = { ok: false, code: 'AUTH_KEY_REVOKED' }

/** Admin token → operator, under the same rules as authenticator.ts. */
export class AdminAuthenticator {
  readonly #cache: CredentialCache<OperatorAuthentication>
  readonly #unsubscribe: () => void

  constructor({ db, signal }: { db: Db; signal: Signal }, options?: CredentialCacheOptions) {
    this.#cache = new CredentialCache((hash) => lookUp(db, Buffer.from(hash, 'hex')), options)
    this.#unsubscribe = signal.subscribe(ADMIN_TOKENS_TOPIC, () => this.#cache.forget())
  }

  /** Throws when the database does not answer: 503, never 401. */
  async authenticate(authorization: string | undefined): Promise<OperatorAuthentication> {
    const hash = readBearer(authorization, 'ga_')
    return (hash === undefined ? undefined : await this.#cache.get(hash)) ?? INVALID
  }

  close(): void {
    this.#unsubscribe()
  }
}

async function lookUp(db: Db, hash: Buffer): Promise<OperatorAuthentication | undefined> {
  const token = await findAdminTokenByHash(db, hash)
  if (!token || !timingSafeEqual(token.hash, hash)) return undefined
  if (token.revokedAt) return REVOKED
  return { ok: true, operator: { id: token.id, name: token.name, kind: 'token', scopes: token.scopes } }
}
