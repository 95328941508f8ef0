import { elapsed } from '../../platform/lib/clock.ts'
import { pendingReason } from './release-store.ts'
import type { ReviewDeps } from './resubmission.ts'
import type { ReviewOwner } from './review.ts'

type Deps = Omit<ReviewDeps, 'reviewBox'>

/** Maximum wait for a release that another request has claimed: its provider may take that long. */
const MAX_RELEASE_WAIT_MS = 600_000

/**
 * A chat that waits for its reviewer (GW-REV-8). `running` is a run through the stages. Both waits end in another run, because
 * a key may have been revoked or a policy published during the wait (GW-REV-12).
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
  /** From the first run: the limit of all waits together. */
  #waitSeconds: number | undefined
  readonly #startedMs = elapsed()
  #recordStartedMs = this.#startedMs
  readonly #clientSignal: () => AbortSignal
  readonly #deps: Deps

  constructor(clientSignal: () => AbortSignal, deps: Deps) {
    this.#clientSignal = clientSignal
    this.#deps = deps
  }

  /** running → suspended → running (true) or finished (false). `waitSeconds`: of the resubmission. */
  suspend(owner: ReviewOwner, itemId: string, waitSeconds: number): Promise<boolean> {
    this.#state = 'suspended'
    return this.#awaitDecision(owner, itemId, waitSeconds, this.#recordStartedMs)
  }

  /** running → waiting → running (true) or finished (false). `waitSeconds`: of the request; 0: it does not wait. */
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
    const signal = this.#clientSignal()
    const waitedMs = elapsed() - sinceMs
    const reason = await waiters.waitUntil(itemId, {
      read: () => pendingReason(db, owner, itemId, { ...lease, now: clock.now() }),
      isDone: (found) => found === undefined,
      wakeAt: (found) => found?.wakeAt,
      maxWaitMs: (found) => (found?.kind === 'busy' ? MAX_RELEASE_WAIT_MS : waitSeconds * 1_000) - waitedMs,
      signal,
    })
    const isDecided = reason === undefined && !signal.aborted
    this.#state = isDecided ? 'running' : 'finished'
    return isDecided
  }
}
