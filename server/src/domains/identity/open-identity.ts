import type { Db } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import { Cache } from '../../platform/lib/cache.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { allCorsOrigins } from './application-store.ts'
import { APPLICATIONS_TOPIC, Authenticator } from './authenticator.ts'
import { GroupDirectory } from './group-directory.ts'
import { openJwksFetcher } from './remote-keys.ts'
import { UserTokenVerifier } from './user-token.ts'

interface OpenOptions {
  readonly db: Db
  readonly signal: Signal
  readonly clock: Clock
  readonly loadMs: number
  readonly config: { readonly allowPrivateUrls: boolean }
}

/** Finds who sends a request: the Application, the user and the user's groups. */
export function openIdentity(options: OpenOptions) {
  const { db, signal, loadMs, config } = options
  const allowedOrigins = new Cache(() => allCorsOrigins(db), { loadMs, maxEntries: 1 })
  signal.subscribe(APPLICATIONS_TOPIC, () => allowedOrigins.forget())
  const jwksFetcher = openJwksFetcher(config)
  return {
    allowedOrigins,
    jwksFetcher,
    authenticator: new Authenticator(options, { lookUpMs: loadMs }),
    userTokens: new UserTokenVerifier({ ...options, fetch: jwksFetcher.fetch }),
    groups: new GroupDirectory(options),
  }
}
