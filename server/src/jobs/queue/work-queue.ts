import type { Signal } from '../../db/signal.ts'
import { BackgroundWork } from '../../lib/background-work.ts'
import { Loop } from './loop.ts'

export interface WorkQueueOptions<Item> {
  /** Claims up to `most` items for this node; fewer than `most` means that no others are due. */
  readonly claim: (most: number) => Promise<readonly Item[]>
  /** Works on one item, and ends soon after `cut` is aborted. Resolves to whether another item may now be due. */
  readonly work: (item: Item, cut: AbortSignal) => Promise<boolean>
  /** Items that this node works on at once. */
  readonly concurrency: number
  readonly onError: (error: Error) => void
  /** Topics of `signal` that wake the queue: something became due, here or on another node. */
  readonly signal: Signal
  readonly topics: readonly string[]
  /** How long `close` lets items run before it cuts them. */
  readonly graceMs?: number
  /** How long cut items have to end; what they leave undone is claimed again when their lease is over. */
  readonly cutMs?: number
}

/**
 * Claims items from the database and works on them. The table holds the queue: an item stays due until its work has changed it,
 * so a node that dies loses nothing. Code that makes an item due wakes the queue; a recurring job wakes it as well.
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

  /** Returns at once; a fault is reported. */
  wake(): void {
    this.#claims.wake()
  }

  /** Resolves when every due item is claimed, as far as concurrency allows. */
  run(): Promise<void> {
    return this.#claims.run()
  }

  /** Resolves when no item is due and none is worked on: for tests. */
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
    // After a fault the recurring job wakes the queue: an item that always fails must not be claimed without a pause.
    let mayBeMore = false
    const working = this.#working.start(async (cut) => {
      mayBeMore = await this.#options.work(item, cut)
    })
    void working.then(() => {
      if (mayBeMore) this.wake()
    })
  }
}
