import { addSpending, NOTHING_SPENT, type Spending } from '../../shared/spending.ts'
import { BUDGET_UNITS } from './budget-words.ts'
import type { CountKey } from './reservation-store.ts'

/** Milliseconds for which a slice admits requests, much less than the database keeps it (reservation-store.ts). */
const SLICE_MS = 2_000
/** A slice holds as many requests as came in this time, and not more than they asked for together. */
const RECENT_MS = 1_000
/** With fewer recent requests, each request makes its own reservation. */
const FEWEST = 4
const MOST = 512
/** After the database has granted no slice, because little is left, requests of that size or more ask for none during this time. */
const SCARCE_MS = 1_000

/**
 * A reservation for several requests of the same counts, which this process admits without asking the database. A reservation for one
 * request has no room for others.
 */
export interface Slice {
  readonly workspaceId: string
  /** UUID of the reservation. */
  readonly id: string
  readonly entries: readonly CountKey[]
  /** Monotonic milliseconds. */
  readonly endsAt: number
  /** `free` as it was at first. */
  readonly granted: Spending
  /** The part that no request has got. */
  free: Spending
}

/** `sentAt`: when the slice was asked for. `windowMs`: from then until the first window of its counts ends. */
export const sliceEnd = (sentAt: number, windowMs: number): number => sentAt + Math.min(SLICE_MS, windowMs)

interface Requests {
  readonly count: number
  readonly sum: Spending
}

const NO_REQUESTS: Requests = { count: 0, sum: NOTHING_SPENT }

/** Whether more than half of it is left. The amount is 0 in a unit that no budget counts. */
function isHardlyUsed({ granted, free }: Slice): boolean {
  const units = BUDGET_UNITS.filter((unit) => granted[unit] > 0)
  return units.length > 0 && units.every((unit) => 2 * free[unit] > granted[unit])
}

/** The requests of this process that the same counts of budgets count, and the slice that they share. Times are monotonic milliseconds. */
export class CountedRequests {
  #slice: Slice | undefined
  #taking: Promise<unknown> | undefined
  /** Requests since `#since`, and in the second before. */
  #recent = NO_REQUESTS
  #before = NO_REQUESTS
  #since = Number.NEGATIVE_INFINITY
  /** A size of requests for which little was left. */
  #scarce: Spending = NOTHING_SPENT
  #scarceUntil = Number.NEGATIVE_INFINITY

  /** Settles when the slice that is being asked for is there. undefined: none is. */
  get taking(): Promise<unknown> | undefined {
    return this.#taking
  }

  /** Counts a request that arrives. */
  count(spending: Spending, now: number): void {
    const passed = now - this.#since
    if (passed >= RECENT_MS) {
      this.#before = passed < 2 * RECENT_MS ? this.#recent : NO_REQUESTS
      this.#recent = NO_REQUESTS
      this.#since = now
    }
    this.#recent = { count: this.#recent.count + 1, sum: addSpending(this.#recent.sum, spending) }
  }

  /** Takes the amount of a request out of the slice; undefined: it does not hold so much. */
  draw(spending: Spending, now: number): Slice | undefined {
    const slice = this.#slice
    if (!slice || now >= slice.endsAt || spending.usd > slice.free.usd || spending.tokens > slice.free.tokens) return undefined
    slice.free = { usd: slice.free.usd - spending.usd, tokens: slice.free.tokens - spending.tokens }
    return slice
  }

  /** For how many requests like this one its reservation should be. One that does not fit into a slice does not end it for the others. */
  times(spending: Spending, now: number): number {
    const { count, sum } = this.#recent.count > this.#before.count ? this.#recent : this.#before
    const current = this.#slice
    const isEnough = current !== undefined && now < current.endsAt && isHardlyUsed(current)
    if (this.#taking || isEnough || count < FEWEST || this.#isScarce(spending, now)) return 1
    const fitting = BUDGET_UNITS.filter((unit) => spending[unit] > 0).map((unit) => Math.floor(sum[unit] / spending[unit]))
    return Math.max(1, Math.min(count, MOST, ...fitting))
  }

  /** Requests that arrive during `taking` wait for it. It does the work of `hold` or `noteScarce`. */
  setTaking(taking: Promise<unknown>): void {
    const ended = taking.finally(() => {
      this.#taking = undefined
    })
    // There may be no request that waits.
    ended.catch(() => {})
    this.#taking = ended
  }

  /** Replaces the slice. Returns the former one. */
  hold(slice: Slice): Slice | undefined {
    const former = this.#slice
    this.#slice = slice
    return former
  }

  /** The database has granted no slice for requests of this size. Smaller requests still ask for slices. */
  noteScarce(spending: Spending, now: number): void {
    this.#scarce = spending
    this.#scarceUntil = now + SCARCE_MS
  }

  /** Removes and returns the slice, if it has ended. */
  end(now: number): Slice | undefined {
    const ended = this.#slice
    if (!ended || now < ended.endsAt) return undefined
    this.#slice = undefined
    return ended
  }

  /** Whether there is nothing to remember. */
  isIdle(now: number): boolean {
    return !this.#slice && !this.#taking && now - this.#since >= 2 * RECENT_MS && now >= this.#scarceUntil
  }

  #isScarce(spending: Spending, now: number): boolean {
    return now < this.#scarceUntil && BUDGET_UNITS.every((unit) => spending[unit] >= this.#scarce[unit])
  }
}
