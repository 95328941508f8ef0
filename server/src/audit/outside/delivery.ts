import type { Logger } from 'pino'
import type { Db } from '../../db/database.ts'
import { type Clock, elapsed } from '../../lib/clock.ts'
import { DeadlineError, within } from '../../lib/deadline.ts'
import { type Checkpoint, isGenuine } from '../checkpoint.ts'
import { checkpointCovering, countAfter } from '../checkpoint-store.ts'
import type { WorkspaceKeys } from '../workspace-keys.ts'
import { deliveredThrough, setDelivered } from './delivery-store.ts'
import type { OutsidePlace } from './place.ts'

interface Deps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Logger
}

/** How one place is doing, for the metrics. */
export interface DeliveryState {
  readonly place: OutsidePlace['kind']
  readonly failures: number
  /** Checkpoints that it does not have yet, as far as the last attempt has counted. */
  readonly waiting: number
  /** Age of the oldest of them. */
  readonly lagSeconds: number
}

/** In one round; the others are for the next one, a few seconds later. */
const PER_ROUND = 1_000
const ATTEMPTS = 3
const FIRST_PAUSE_MS = 5_000
const LAST_PAUSE_MS = 300_000
/** Longer than the places take themselves where they can tell: a file system that hangs cannot. */
const WRITE_MS = 20_000

/**
 * Writes a Workspace's checkpoints to one place, in their order and without a gap: the next one only when the place has the one
 * before. What it has is remembered in the database; after a crash the last one may be written twice.
 */
export class CheckpointDelivery {
  readonly #place: OutsidePlace
  readonly #deps: Deps
  readonly #waiting = new Map<string, { count: number; since: number }>()
  readonly #writeMs: number
  #failures = 0
  #inARow = 0
  #notBefore = 0
  #hanging = false

  /** `writeMs`: for tests. */
  constructor(place: OutsidePlace, deps: Deps, writeMs = WRITE_MS) {
    this.#place = place
    this.#deps = deps
    this.#writeMs = writeMs
  }

  get state(): DeliveryState {
    const all = [...this.#waiting.values()]
    const oldest = Math.min(...all.map(({ since }) => since))
    return {
      place: this.#place.kind,
      failures: this.#failures,
      waiting: all.reduce((sum, { count }) => sum + count, 0),
      lagSeconds: all.length === 0 ? 0 : Math.max(0, (this.#deps.clock.now().getTime() - oldest) / 1_000),
    }
  }

  /** Never throws for the place's faults: they are logged and counted, and it is left alone for a while, at most five minutes. */
  async run(workspaceId: string, keys: WorkspaceKeys): Promise<void> {
    const { db } = this.#deps
    const { seals } = keys.hasher
    let size = await deliveredThrough(db, workspaceId, this.#place.key, seals)
    for (let count = 0; count < PER_ROUND; count++) {
      const next = await checkpointCovering(db, workspaceId, size + 1)
      if (!next) {
        this.#waiting.delete(workspaceId)
        return
      }
      // Sent, it would spoil the file that has to convict: the one after it covers the same records.
      if (!isGenuine(next, keys.publicKey)) {
        this.#failures += 1
        const about = { workspace_id: workspaceId, size: next.size, place: this.#place.kind }
        this.#deps.log.error(about, 'an audit checkpoint was altered, and is not written outside')
        if (!Number.isSafeInteger(next.size)) return
        size = next.size
        continue
      }
      if (elapsed() < this.#notBefore || !(await this.#written(workspaceId, next))) {
        const waiting = await countAfter(db, workspaceId, size)
        this.#waiting.set(workspaceId, { count: waiting, since: Date.parse(next.created_at) })
        return
      }
      size = next.size
      await setDelivered(db, workspaceId, this.#place.key, size, seals)
    }
  }

  async #written(workspaceId: string, checkpoint: Checkpoint): Promise<boolean> {
    const { clock, log } = this.#deps
    try {
      await this.#writeInTime(checkpoint, clock.now())
      this.#inARow = 0
      return true
    } catch (err) {
      this.#failures += 1
      this.#inARow += 1
      // A few times at once, then in ever longer intervals: the next round asks again.
      if (this.#inARow >= ATTEMPTS) this.#notBefore = elapsed() + pauseAfter(this.#inARow - ATTEMPTS)
      const about = { err, workspace_id: workspaceId, size: checkpoint.size, place: this.#place.kind }
      log.error(about, 'an audit checkpoint could not be written outside')
      return false
    }
  }

  /** A place that hangs counts as one that fails, and is not written to again before it has come back. */
  async #writeInTime(checkpoint: Checkpoint, now: Date): Promise<void> {
    if (this.#hanging) throw new DeadlineError('the last attempt has not come back yet')
    this.#hanging = true
    const writing = this.#place.write(checkpoint, now).finally(() => {
      this.#hanging = false
    })
    await within(this.#writeMs, writing, 'not written')
  }

  close(): Promise<void> {
    return this.#place.close()
  }
}

const pauseAfter = (failures: number): number => Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 10), LAST_PAUSE_MS)
