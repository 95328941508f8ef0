import { GatehouseError } from '../../errors.ts'
import type { Db } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import { Cache, type CacheStatistics } from '../../platform/lib/cache.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { type KeyFetch, KeysUnavailableError } from './remote-keys.ts'
import { DEFAULT_WORKSPACE_SETTINGS } from './workspace.ts'
import { findWorkspace } from './workspace-store.ts'
import { type TokenVerdict, WorkspaceTokenVerifier } from './workspace-token-verifier.ts'

export const WORKSPACES_TOPIC = 'workspaces'

interface UserTokenDeps {
  readonly db: Db
  readonly signal: Signal
  readonly clock: Clock
  /** Reads key sets and must refuse private addresses. */
  readonly fetch: KeyFetch
  readonly loadMs?: number
}

/** Verifies the user token of `X-Gateway-User-Token` with the keys of the Workspace (GW-AUTH-6, GW-AUTH-8). */
export class UserTokenVerifier {
  readonly #deps: UserTokenDeps
  /** A verifier, with its verified tokens, is used until the settings change, which are compared as JSON. */
  readonly #verifiers = new Map<string, { readonly settings: string; readonly verifier: WorkspaceTokenVerifier }>()
  readonly #current: Cache<WorkspaceTokenVerifier>

  constructor(deps: UserTokenDeps) {
    const { signal, loadMs } = deps
    this.#deps = deps
    this.#current = new Cache((workspaceId) => this.#read(workspaceId), { loadMs, renews: true })
    signal.subscribe(WORKSPACES_TOPIC, (workspaceId) => this.#current.forget(workspaceId))
  }

  get statistics(): CacheStatistics {
    return this.#current.statistics
  }

  /** An invalid token is a verdict. Throws UNAVAILABLE if the keys or the settings cannot be read. */
  async verify(workspaceId: string, token: string): Promise<TokenVerdict> {
    const verifier = await this.#current.get(workspaceId)
    try {
      return await verifier.verify(token, this.#deps.clock.now())
    } catch (cause) {
      if (!(cause instanceof KeysUnavailableError)) throw cause
      throw new GatehouseError('UNAVAILABLE', { message: 'User tokens cannot be verified now. Try again.' }, cause)
    }
  }

  async #read(workspaceId: string): Promise<WorkspaceTokenVerifier> {
    const current = (await findWorkspace(this.#deps.db, workspaceId))?.settings ?? DEFAULT_WORKSPACE_SETTINGS
    const settings = JSON.stringify(current)
    const cached = this.#verifiers.get(workspaceId)
    if (cached?.settings === settings) return cached.verifier
    const verifier = new WorkspaceTokenVerifier(current, this.#deps.fetch)
    this.#verifiers.set(workspaceId, { settings, verifier })
    return verifier
  }
}
