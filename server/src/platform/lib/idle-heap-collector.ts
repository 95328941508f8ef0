import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'

/** An interval is idle if the event loop was busy for at most this share of it. */
const IDLE_SHARE = 0.05
/** Minimum growth of the heap since the last collection. */
const WORTHWHILE_BYTES = 16 * 2 ** 20
/** Five minutes. A collection also discards compiled code, and requests after a shorter pause would be slow until it is compiled again. */
const IDLE_INTERVALS = 60
/** A larger heap is not collected, because that would delay the next request by more than 0.2 s. */
const MAX_LIVE_BYTES = 192 * 2 ** 20

/** Limits the space for young objects in threads started from now on: 64 MB (scripts/gatehouse) in each only serve the event loop. */
export function limitThreadMemory(): void {
  setFlagsFromString('--max-semi-space-size=4')
}

/**
 * Returns memory to the operating system after the start and while the server is idle: V8 keeps the pages that a start or a burst of
 * requests has filled, 60 MB, until memory runs out. Needs `--expose-gc`; without it nothing happens.
 */
export class IdleHeapCollector {
  readonly #collect: typeof globalThis.gc
  readonly #busyShare: () => number
  #heapBytes = 0
  /** Idle intervals until the next collection. */
  #intervalsLeft = IDLE_INTERVALS

  /** `busyShare` returns the share of the time since its last call in which the event loop was busy. */
  constructor({ collect = globalThis.gc, busyShare = eventLoopShare() } = {}) {
    this.#collect = collect
    this.#busyShare = busyShare
  }

  /** Call it every 5 seconds. Returns true if memory was collected. */
  check(): boolean {
    if (this.#busyShare() > IDLE_SHARE) this.#intervalsLeft = IDLE_INTERVALS
    else if (--this.#intervalsLeft <= 0) return this.collect()
    return false
  }

  /** Call it at the end of the start as well, before the first request: what the start has compiled is not needed again. */
  collect(): boolean {
    const { heapTotal, heapUsed } = process.memoryUsage()
    if (!this.#collect || heapUsed > MAX_LIVE_BYTES || heapTotal - this.#heapBytes < WORTHWHILE_BYTES) return false
    this.#collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    this.#heapBytes = process.memoryUsage().heapTotal
    this.#intervalsLeft = IDLE_INTERVALS
    return true
  }
}

function eventLoopShare(): () => number {
  let before = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    return utilization
  }
}
