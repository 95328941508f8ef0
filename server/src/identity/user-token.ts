import type { Db } from '../db/database.ts'
import type { Signal } from '../db/signal.ts'
import { GatehouseError } from '../errors.ts'
import { Cache } from '../lib/cache.ts'
import type { Clock } from '../lib/clock.ts'
import { type KeyFetch, KeysUnavailableError } from './remote-keys.ts'
import { DEFAULT_WORKSPACE_SETTINGS } from './workspace.ts'
import { findWorkspace } from './workspace-store.ts'
import { type TokenVerdict, WorkspaceTokenVerifier } from './workspace-token-verifier.ts'

/** Topic of db/signal.ts: a Workspace's settings have changed. The key is its id (`ws_…`). */
export const WORKSPACES_TOPIC = 'workspaces'

interface Trusted {
  /** The settings as text: what is remembered goes when they change, and stays when they were only read again. */
  readonly settings: string
  readonly trust: WorkspaceTokenVerifier
}

interface UserTokenDeps {
  readonly db: Db
  readonly signal: Signal
  readonly clock: Clock
  readonly fetch: KeyFetch
  /** Longest time of reading a Workspace's settings. */
  readonly loadMs?: number
}

/**
 * Verifies `X-Gateway-User-Token` against the Workspace's keys (GW-AUTH-6, GW-AUTH-8).
 *
 * A token that is not good is a refusal, whatever is wrong with it. Keys that cannot be read are no fault of the token:
 * that is a breakdown, and the caller is told to come back.
 */
export class UserTokenVerifier {
  readonly #db: Db
  readonly #clock: Clock
  readonly #fetch: KeyFetch
  readonly #trusted = new Map<string, Trusted>()
  readonly #current: Cache<WorkspaceTokenVerifier>
  readonly #unsubscribe: () => void

  /** `fetch` reads sets of keys; it keeps private addresses out of reach. */
  constructor({ db, signal, clock, fetch, loadMs }: UserTokenDeps) {
    this.#db = db
    this.#clock = clock
    this.#fetch = fetch
    this.#current = new Cache((workspaceId) => this.#read(workspaceId), { loadMs })
    this.#unsubscribe = signal.subscribe(WORKSPACES_TOPIC, (workspaceId) => this.#current.forget(workspaceId))
  }

  /** Throws UNAVAILABLE when the keys cannot be read; as the database does when it does not answer. */
  async verify(workspaceId: string, token: string): Promise<TokenVerdict> {
    const trust = await this.#current.get(workspaceId)
    try {
      return await trust.verify(token, this.#clock.now())
    } catch (cause) {
      if (!(cause instanceof KeysUnavailableError)) throw cause
      throw new GatehouseError('UNAVAILABLE', { message: 'User tokens cannot be verified right now; try again.' }, cause)
    }
  }

  close(): void {
    this.#unsubscribe()
  }

  async #read(workspaceId: string): Promise<WorkspaceTokenVerifier> {
    const found = (await findWorkspace(this.#db, workspaceId))?.settings ?? DEFAULT_WORKSPACE_SETTINGS
    const settings = JSON.stringify(found)
    const before = this.#trusted.get(workspaceId)
    if (before?.settings === settings) return before.trust
    const trust = new WorkspaceTokenVerifier(found, this.#fetch)
    this.#trusted.set(workspaceId, { settings, trust })
    return trust
  }
}
