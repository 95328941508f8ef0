import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'

/** Share of its time that the event loop may work in an interval that counts as idle. */
const IDLE_SHARE = 0.05
/** Growth of the heap since the last collection that is worth another one. */
const WORTHWHILE_BYTES = 16 * 2 ** 20
/** A larger heap is left alone: its collection would delay the next request by more than a fifth of a second. */
const MAX_LIVE_BYTES = 192 * 2 ** 20

/**
 * Limits the space for young objects in every thread started from now on. The flags of scripts/gatehouse reach all threads, and
 * 64 MB in each of them only serve the event loop.
 */
export function limitThreadMemory(): void {
  setFlagsFromString('--max-semi-space-size=4')
}

/**
 * Returns memory to the operating system while the server is idle: V8 keeps the pages that a start or a burst of requests has filled,
 * 60 MB, until memory runs out. Needs `--expose-gc`; without it nothing happens.
 */
export class IdleHeapCollector {
  readonly #collect: typeof globalThis.gc
  readonly #busyShare: () => number
  #heapBytes = 0

  /** `busyShare` answers which share of its time since the last call the event loop has worked. */
  constructor({ collect = globalThis.gc, busyShare = eventLoopShare() }: Partial<Settings> = {}) {
    this.#collect = collect
    this.#busyShare = busyShare
  }

  /** To be called every few seconds. True if memory was collected. */
  check(): boolean {
    const isIdle = this.#busyShare() <= IDLE_SHARE
    const { heapTotal, heapUsed } = process.memoryUsage()
    if (!this.#collect || !isIdle || heapUsed > MAX_LIVE_BYTES || heapTotal - this.#heapBytes < WORTHWHILE_BYTES) return false
    this.#collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    this.#heapBytes = process.memoryUsage().heapTotal
    return true
  }
}

interface Settings {
  readonly collect: typeof globalThis.gc
  readonly busyShare: () => number
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
