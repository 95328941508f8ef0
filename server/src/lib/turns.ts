import { elapsed } from './clock.ts'

/** Computing goes on for this long before other tasks and new requests get the event loop. */
const SLICE_MS = 5

/** To be awaited between two pieces of work; yields when the slice is used up. */
export type Pause = () => Promise<void>

/**
 * Shares the event loop among tasks that compute for long. In each iteration of the loop one of them continues, so the time until a
 * new request is read is that of one slice, however many tasks there are.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []

  /** One per task. */
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
