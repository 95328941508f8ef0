import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import type { CacheStatistics } from '../../platform/lib/cache.ts'
import { readBearer } from '../../platform/lib/credential.ts'
import { CredentialCache, type CredentialCacheOptions } from '../../platform/lib/credential-cache.ts'
import { OPERATORS_TOPIC, type Operator } from '../../shared/operator.ts'
import { findAdminTokenByHash } from './admin-token-store.ts'

export const ADMIN_TOKENS_TOPIC = 'admin_tokens'

export type OperatorAuthentication =
  | { readonly ok: true; readonly operator: Operator }
  | { readonly ok: false; readonly code: 'AUTH_INVALID_KEY' | 'AUTH_KEY_REVOKED'; readonly message: string }

const refusal = (code: 'AUTH_INVALID_KEY' | 'AUTH_KEY_REVOKED', message: string): OperatorAuthentication => ({
  ok: false,
  code,
  message,
})
const INVALID = refusal('AUTH_INVALID_KEY', 'The admin token is missing or not valid.')
const REVOKED = refusal('AUTH_KEY_REVOKED', 'The admin token has been revoked.')
const ENDED = refusal(
  'AUTH_KEY_REVOKED',
  'The operator who issued this admin token was removed or suspended. Use a token of another operator.',
)

/** Finds the operator of an admin token, which has at most the scopes of its issuer's current role. */
export class AdminAuthenticator {
  readonly #cache: CredentialCache<OperatorAuthentication>

  constructor({ db, signal }: { db: Db; signal: Signal }, options?: CredentialCacheOptions) {
    this.#cache = new CredentialCache((hash) => findAuthentication(db, Buffer.from(hash, 'hex')), options)
    for (const topic of [ADMIN_TOKENS_TOPIC, OPERATORS_TOPIC]) signal.subscribe(topic, () => this.#cache.forget())
  }

  get statistics(): CacheStatistics {
    return this.#cache.statistics
  }

  /** `authorization`: the header. Throws if the database does not respond, so that the client gets 503 and not 401. */
  async authenticate(authorization: string | undefined): Promise<OperatorAuthentication> {
    const hash = readBearer(authorization, 'ga_')
    return (hash === undefined ? undefined : await this.#cache.get(hash)) ?? INVALID
  }
}

async function findAuthentication(db: Db, hash: Buffer): Promise<OperatorAuthentication | undefined> {
  const token = await findAdminTokenByHash(db, hash)
  if (!token || !timingSafeEqual(token.hash, hash)) return undefined
  if (token.state === 'revoked') return REVOKED
  if (token.state === 'ended') return ENDED
  const { id, name, access } = token
  return { ok: true, operator: { id, name, kind: 'token', access, scopes: access.all } }
}
