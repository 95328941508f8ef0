/** Units per minute, and the most units that can be taken at once. Both are positive integers. */
export interface Rate {
  readonly perMinute: number
  readonly capacity: number
}

/** Units that were taken by an estimate. Settled once, with the actual cost. */
export interface Reservation {
  settle(actual: number): void
}

/** The units of one limit per minute. Times are milliseconds of a monotonic clock. */
export interface RateCounter {
  adjust(rate: Rate, now: number): void
  /** Milliseconds until `cost` units can be taken. 0: now. Infinity: never, because `cost` exceeds the capacity. */
  waitMs(cost: number, now: number): number
  /** Takes units. Call it only when `waitMs` is 0. */
  take(cost: number): void
  /** Takes units by an estimate; the result settles them. Call it only when `waitMs` is 0. */
  reserve(cost: number, clock: () => number): Reservation
  /** Whole units that can be taken, and the milliseconds until one more is available. */
  left(now: number): { units: number; nextMs: number }
  /** True if a new counter would have the same state, so that this one can be dropped. */
  isIdle(now: number): boolean
  /**
   * Asks the other nodes for `cost` units. Resolves when the answer is there; `waitMs` may be 0 then. undefined: `waitMs` is final.
   * Rejects if the store of the counters does not respond.
   */
  ask(cost: number, now: number): Promise<void> | undefined
}

/** The concurrency slots of one limit. */
export interface SlotCounter {
  readonly inFlight: number
  adjust(capacity: number): void
  hasFree(now: number): boolean
  /** Call it only when `hasFree` is true. */
  take(): void
  release(): void
  /** Free slots of the whole limit. */
  left(now: number): number
  /** Number of requests that queue for a slot. */
  expect(waiting: number): void
  isIdle(now: number): boolean
  /** As `RateCounter.ask`, for one slot. */
  ask(now: number): Promise<void> | undefined
}

/** Creates the counters of limits, in the memory of this node or shared with other nodes. */
export interface Counters {
  /** `key` names the limit on all nodes. */
  rate(key: string, rate: Rate, now: number): RateCounter
  /** `onFree` is called when a slot becomes free for requests that queue. */
  slots(key: string, capacity: number, onFree: () => void): SlotCounter
}
