import { elapsed } from './clock.ts'

/** A task computes for this time before other tasks and new requests get the event loop. */
const SLICE_MS = 5

/** Await it between two pieces of work: it yields the event loop when the slice is used up. */
export type Pause = () => Promise<void>

/** Shares the event loop among long computations: one continues in each iteration, so a new request waits for two slices at most (next-turn.ts). */
export class TimeSlices {
  readonly #waiting: (() => void)[] = []

  /** For one task. */
  pauses(): Pause {
    let resumedAt = elapsed()
    return async () => {
      if (elapsed() - resumedAt < SLICE_MS) return
      await this.#next()
      resumedAt = elapsed()
    }
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setImmediate(this.#resumeOne)
    })
  }

  // An immediate that is set here runs in the next iteration, after the events that have arrived.
  readonly #resumeOne = (): void => {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) setImmediate(this.#resumeOne)
  }
}
