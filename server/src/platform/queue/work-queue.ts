import type { Signal } from '../db/signal.ts'
import { BackgroundWork } from '../lib/background-work.ts'
import { Loop } from './loop.ts'

export interface WorkQueueOptions<Item> {
  /** Claims up to `most` items for this node. Returns fewer only if no others are due. */
  readonly claim: (most: number) => Promise<readonly Item[]>
  /** Works on one item; ends soon after `signal` is aborted. Returns whether another item may now be due. */
  readonly work: (item: Item, signal: AbortSignal) => Promise<boolean>
  readonly concurrency: number
  readonly onError: (error: Error) => void
  /** Topics of `signal` that wake the queue: an item became due, on this node or another. */
  readonly signal: Signal
  readonly topics: readonly string[]
  /** How long `close` waits before it aborts running items. */
  readonly graceMs?: number
  /** How long `close` waits for aborted items. An item that does not end is claimed again after its lease. */
  readonly cutMs?: number
}

/**
 * Claims items from a table and works on them. An item stays due until its work has changed it, so no item is lost when a node stops.
 * Code that makes an item due wakes the queue; a recurring job wakes it as well (docs/decisions/0023-jobs.md).
 */
export class WorkQueue<Item> {
  readonly #options: WorkQueueOptions<Item>
  readonly #claims: Loop
  readonly #working: BackgroundWork
  readonly #unsubscribe: readonly (() => void)[]

  constructor(options: WorkQueueOptions<Item>) {
    this.#options = options
    this.#claims = new Loop(() => this.#claim(), options)
    this.#working = new BackgroundWork(options.onError)
    this.#unsubscribe = options.topics.map((topic) => options.signal.subscribe(topic, () => this.wake()))
  }

  get size(): number {
    return this.#working.size
  }

  wake(): void {
    this.#claims.wake()
  }

  /** Resolves when all due items are claimed, within the limit of concurrent items. */
  run(): Promise<void> {
    return this.#claims.run()
  }

  /** For tests: resolves when no item is due or in work. */
  async idle(): Promise<void> {
    do {
      await this.run()
      await this.#working.idle()
    } while (this.#working.size > 0 || this.#claims.isRunning)
  }

  async close(): Promise<void> {
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    await this.#claims.close()
    await this.#working.close(this.#options)
  }

  async #claim(): Promise<void> {
    const free = this.#options.concurrency - this.#working.size
    if (free <= 0) return
    for (const item of await this.#options.claim(free)) this.#start(item)
  }

  #start(item: Item): void {
    // After an error only the recurring job wakes the queue, so that an item that always fails is claimed with a pause.
    let mayBeMore = false
    const working = this.#working.start(async (signal) => {
      mayBeMore = await this.#options.work(item, signal)
    })
    void working.then(() => {
      if (mayBeMore) this.wake()
    })
  }
}
