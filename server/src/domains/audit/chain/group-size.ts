import { elapsed } from '../../../platform/lib/clock.ts'
import { nextTurn } from '../../../platform/lib/next-turn.ts'

/** Twice as many would save a quarter of the CPU of a record, and less with the embedded database, but records would wait longer. */
const MOST_AWAITED = 16
const LONGEST_WAIT_MS = 10
/** A shorter wait brought no work. */
const IDLE_TURN_MS = 0.05

/** A statement costs as much CPU as ten of its records, so under load a group waits for more of them; a lone request never waits. */
export class GroupSize {
  awaited = 1

  /** `count`: the number of queued records, the first of which waits since `since`. */
  async wait(count: () => number, since: number): Promise<void> {
    for (let turn = elapsed(); count() < this.awaited && turn - since < LONGEST_WAIT_MS; ) {
      await nextTurn()
      const now = elapsed()
      if (now - turn < IDLE_TURN_MS) return
      turn = now
    }
  }

  /** Call it after each commit. `waiting`: records that were queued during the commit. If there are none, the event loop was idle, and smaller groups use that time. */
  adapt(waiting: number): void {
    this.awaited = waiting > 0 ? Math.min(this.awaited + 1, MOST_AWAITED) : Math.ceil(this.awaited / 2)
  }
}
