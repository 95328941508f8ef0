import type { Db } from '../db/database.ts'
import { type Clock, elapsed } from '../lib/clock.ts'
import { pendingReason } from './release-store.ts'
import type { Lease, ReviewOwner } from './review.ts'
import type { ReviewWaiters } from './waiting.ts'

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly waiters: ReviewWaiters
  readonly lease: Omit<Lease, 'now'>
}

/** Wait for a release in progress on another node, whatever the client asked for: as long as its provider may take. */
const BUSY_PATIENCE_MS = 600_000

/**
 * One chat that waits for its reviewer (GW-REV-8). `running` is a run through the stages; both waits end in another run, because
 * a key may have been revoked meanwhile, a model withdrawn, or a policy published (GW-REV-12).
 *
 *              the hold is pending, or its release is in progress: not recorded yet
 *             ┌───────────────────────────────────────────────────► suspended
 *             │ ┌──────────────── decided: same audit record ─────────┘  │
 *             │ ▼                                                        │ time is up, client gone,
 *   ────────► running ── answered, refused, failed ─► finished ◄─────────┤ server stops
 *             │ ▲                                                        │
 *             │ └──────────────── decided: run as resubmission ───────┐  │
 *             └───────────────────────────────────────────────────► waiting
 *              a hold was opened and recorded, and the client waits
 */
export class ApprovalWait {
  #state: 'running' | 'suspended' | 'waiting' | 'finished' = 'running'
  /** Of the first run: the client waits that long in all, however many holds there are. */
  #waitSeconds: number | undefined
  readonly #startedMs = elapsed()
  #recordStartedMs = this.#startedMs
  readonly #callerGone: () => AbortSignal
  readonly #deps: Deps

  constructor(callerGone: () => AbortSignal, deps: Deps) {
    this.#callerGone = callerGone
    this.#deps = deps
  }

  /** running → suspended → running (true) or finished. `waitSeconds`: of the resubmission. */
  suspend(owner: ReviewOwner, itemId: string, waitSeconds: number): Promise<boolean> {
    this.#state = 'suspended'
    return this.#awaitDecision(owner, itemId, waitSeconds, this.#recordStartedMs)
  }

  /** running → waiting → running (true) or finished. `waitSeconds`: of the request; 0: it does not wait. */
  async wait(owner: ReviewOwner, itemId: string, waitSeconds: number): Promise<boolean> {
    this.#waitSeconds ??= waitSeconds
    if (this.#state === 'finished' || this.#waitSeconds === 0) return false
    this.#state = 'waiting'
    const isDecided = await this.#awaitDecision(owner, itemId, this.#waitSeconds, this.#startedMs)
    this.#recordStartedMs = elapsed()
    return isDecided
  }

  async #awaitDecision(owner: ReviewOwner, itemId: string, waitSeconds: number, sinceMs: number): Promise<boolean> {
    const { db, clock, waiters, lease } = this.#deps
    const callerGone = this.#callerGone()
    const waitedMs = elapsed() - sinceMs
    const reason = await waiters.waitUntil(itemId, {
      read: () => pendingReason(db, owner, itemId, { ...lease, now: clock.now() }),
      done: (found) => found === undefined,
      wakeAt: (found) => found?.wakeAt,
      patienceMs: (found) => (found?.kind === 'busy' ? BUSY_PATIENCE_MS : waitSeconds * 1_000) - waitedMs,
      signal: callerGone,
    })
    const isDecided = reason === undefined && !callerGone.aborted
    this.#state = isDecided ? 'running' : 'finished'
    return isDecided
  }
}
