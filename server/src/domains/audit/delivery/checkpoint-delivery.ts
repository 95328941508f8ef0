import type { Logger } from 'pino'
import type { Db } from '../../../platform/db/database.ts'
import type { Clock } from '../../../platform/lib/clock.ts'
import { DeadlineError, withDeadline } from '../../../platform/lib/deadline.ts'
import { RETRY_DELAYS, RetryPause } from '../../../platform/queue/retry-delays.ts'
import { type Checkpoint, isGenuine } from '../checkpoints/checkpoint.ts'
import { countCheckpointsAfter, findCheckpointCovering } from '../checkpoints/checkpoint-store.ts'
import type { WorkspaceKeys } from '../workspace-keys.ts'
import { findPosition, movePosition } from './delivery-store.ts'
import type { CheckpointDestination } from './open-destinations.ts'

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
}

const MAX_CHECKPOINTS_PER_RUN = 1_000
/** Consecutive failures after which the next run still tries again at once. */
const TOLERATED_FAILURES = 2
/** Longer than the time limit of each destination; a file system that hangs has none. */
const WRITE_MS = 20_000

/** Delivers checkpoints to one destination in order, each after the previous one was stored. After a crash the last one may be delivered twice. */
export class CheckpointDelivery {
  readonly #destination: CheckpointDestination
  readonly #deps: Deps
  readonly #waiting = new Map<string, { count: number; since: number }>()
  readonly #writeMs: number
  readonly #pause = new RetryPause(RETRY_DELAYS.checkpointDelivery, TOLERATED_FAILURES)
  #failures = 0
  #isWriting = false

  constructor(destination: CheckpointDestination, deps: Deps, writeMs = WRITE_MS) {
    this.#destination = destination
    this.#deps = deps
    this.#writeMs = writeMs
  }

  get state() {
    const all = [...this.#waiting.values()]
    const oldest = Math.min(...all.map(({ since }) => since))
    return {
      place: this.#destination.kind,
      failures: this.#failures,
      waiting: all.reduce((sum, { count }) => sum + count, 0),
      lagSeconds: all.length === 0 ? 0 : Math.max(0, (this.#deps.clock.now().getTime() - oldest) / 1_000),
    }
  }

  /** Failures of the destination are not thrown, but logged, counted and followed by a pause of at most five minutes. */
  async run(workspaceId: string, keys: WorkspaceKeys): Promise<void> {
    const { db } = this.#deps
    const { seals } = keys.hasher
    let position = await findPosition(db, workspaceId, this.#destination.key, seals)
    let { size } = position
    for (let count = 0; count < MAX_CHECKPOINTS_PER_RUN; count++) {
      const next = await findCheckpointCovering(db, workspaceId, size + 1)
      if (!next) {
        this.#waiting.delete(workspaceId)
        return
      }
      // An altered checkpoint would damage the evidence; the next one covers the same records.
      if (!isGenuine(next, keys.publicKey)) {
        this.#failures += 1
        const about = { workspace_id: workspaceId, size: next.size, place: this.#destination.kind }
        this.#deps.log.error(about, 'an audit checkpoint was altered; it is not delivered')
        if (!Number.isSafeInteger(next.size)) return
        size = next.size
        continue
      }
      if (this.#pause.isActive || !(await this.#writeCheckpoint(workspaceId, next))) {
        const waiting = await countCheckpointsAfter(db, workspaceId, size)
        this.#waiting.set(workspaceId, { count: waiting, since: Date.parse(next.created_at) })
        return
      }
      size = next.size
      const moved = await movePosition(db, workspaceId, this.#destination.key, { from: position, size, seals })
      if (!moved) return
      position = moved
    }
  }

  async #writeCheckpoint(workspaceId: string, checkpoint: Checkpoint): Promise<boolean> {
    const { clock, log } = this.#deps
    try {
      await this.#writeInTime(checkpoint, clock.now())
      this.#pause.succeeded()
      return true
    } catch (err) {
      this.#failures += 1
      this.#pause.failed()
      const about = { err, workspace_id: workspaceId, size: checkpoint.size, place: this.#destination.kind }
      log.error(about, 'could not deliver an audit checkpoint')
      return false
    }
  }

  /** A write that exceeds the time limit counts as a failure; no other write starts before it has ended. */
  async #writeInTime(checkpoint: Checkpoint, now: Date): Promise<void> {
    if (this.#isWriting) throw new DeadlineError('the previous write has not ended yet')
    this.#isWriting = true
    const writing = this.#destination.write(checkpoint, now).finally(() => {
      this.#isWriting = false
    })
    await withDeadline(this.#writeMs, writing, 'the write timed out')
  }

  close(): Promise<void> {
    return this.#destination.close()
  }
}
