import { Bucket } from './bucket.ts'
import type { Counters, SlotCounter } from './counters.ts'

/** Concurrency slots that only this process uses. */
class LocalSlots implements SlotCounter {
  inFlight = 0
  #capacity: number
  readonly #onFree: () => void

  constructor(capacity: number, onFree: () => void) {
    this.#capacity = capacity
    this.#onFree = onFree
  }

  adjust(capacity: number): void {
    this.#capacity = capacity
    this.#onFree()
  }

  hasFree(): boolean {
    return this.inFlight < this.#capacity
  }

  take(): void {
    this.inFlight += 1
  }

  release(): void {
    this.inFlight -= 1
    this.#onFree()
  }

  left(): number {
    return Math.max(0, this.#capacity - this.inFlight)
  }

  expect(): void {}

  isIdle(): boolean {
    return this.inFlight === 0
  }

  ask(): undefined {
    return undefined
  }
}

/** Counters in the memory of this process, for the embedded database: no other process uses it. */
export const LOCAL_COUNTERS: Counters = {
  rate: (_key, rate, now) => new Bucket(rate, now),
  slots: (_key, capacity, onFree) => new LocalSlots(capacity, onFree),
}
