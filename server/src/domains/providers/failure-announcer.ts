import type { Database } from '../../platform/db/database.ts'
import type { Signal } from '../../platform/db/signal.ts'
import { uuidOfWorkspace } from '../../platform/db/values.ts'
import type { BackgroundWork } from '../../platform/lib/background-work.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { announce } from '../../platform/queue/outbox.ts'
import type { ProviderPayload } from '../../shared/governance-event.ts'
import type { Provider } from './provider.ts'
import { PROVIDERS_TOPIC } from './provider-store.ts'

interface Deps extends Pick<Database, 'db'> {
  readonly clock: Clock
  readonly signal: Signal
  readonly background: BackgroundWork
}

type Reason = ProviderPayload['reason']

/** A provider can refuse one model or key permission and serve others, so a success does not count as a recovery for this time. */
const RECOVERY_MS = 15 * 60_000

/**
 * Announces a provider that fails, once until a request succeeds again at least 15 minutes later, over all nodes and restarts (decision 0036).
 * Requests do not wait for it.
 */
export class FailureAnnouncer {
  readonly #deps: Deps
  /** Providers of which a change is being written. */
  readonly #writing = new Set<string>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  readonly onFailing = (provider: Provider, reason: Reason): void => {
    if (!provider.failingSince) this.#write(provider, (now) => this.#announce(provider, reason, now))
  }

  readonly onRecovered = (provider: Provider): void => {
    const { failingSince } = provider
    if (!failingSince || this.#deps.clock.now().getTime() - failingSince.getTime() < RECOVERY_MS) return
    this.#write(provider, () => this.#clear(provider))
  }

  #write(provider: Provider, work: (now: Date) => Promise<void>): void {
    const { background, clock, signal } = this.#deps
    const key = `${provider.workspaceId}/${provider.id}`
    if (this.#writing.has(key)) return
    this.#writing.add(key)
    void background
      .start(async () => {
        await work(clock.now())
        // All nodes read the state again.
        await signal.publish(PROVIDERS_TOPIC, provider.workspaceId)
      })
      .finally(() => this.#writing.delete(key))
  }

  /** Another node may have announced it already. */
  async #announce({ workspaceId, id }: Provider, reason: Reason, now: Date): Promise<void> {
    await this.#deps.db.transaction().execute(async (tx) => {
      const { numUpdatedRows } = await tx
        .updateTable('provider')
        .set({ failing_since: now })
        .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
        .where('id', '=', id)
        .where('failing_since', 'is', null)
        .executeTakeFirst()
      if (numUpdatedRows === 0n) return
      const payload = { id, object: 'provider', reason, failing_since: now.toISOString() } as const
      await announce(tx, workspaceId, 'provider.failing', payload)
    })
  }

  async #clear({ workspaceId, id }: Provider): Promise<void> {
    await this.#deps.db
      .updateTable('provider')
      .set({ failing_since: null })
      .where('workspace_id', '=', uuidOfWorkspace(workspaceId))
      .where('id', '=', id)
      .execute()
  }
}
