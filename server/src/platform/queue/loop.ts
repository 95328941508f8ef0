import { setTimeout as sleep } from 'node:timers/promises'
import { runOutsideTrace } from '../lib/trace-context.ts'

interface LoopOptions {
  readonly onError: (error: Error) => void
  /** Pause between two consecutive passes, so that many wake-ups share one pass. */
  readonly lingerMs?: number
}

/** Runs `pass` when woken, never twice at the same time. A wake-up during a pass causes another pass after it. */
export class Loop {
  readonly #pass: () => Promise<void>
  readonly #options: LoopOptions
  #running: Promise<void> | undefined
  #again = false
  #closed = false

  constructor(pass: () => Promise<void>, options: LoopOptions) {
    this.#pass = pass
    this.#options = options
  }

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /** Returns at once; errors go to `onError`. */
  wake(): void {
    if (this.#running) this.#again = true
    else this.run().catch(this.#options.onError)
  }

  /** Resolves after a pass that began after this call. Rejects if a pass fails. */
  run(): Promise<void> {
    this.#again = true
    this.#running ??= runOutsideTrace(() => this.#passes())
    return this.#running
  }

  /** Waits for the current pass. No other pass starts afterwards. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#running?.catch(() => {})
  }

  async #passes(): Promise<void> {
    const { lingerMs = 0 } = this.#options
    try {
      while (this.#again && !this.#closed) {
        this.#again = false
        await this.#pass()
        if (this.#again && lingerMs > 0) await sleep(lingerMs)
      }
    } finally {
      this.#running = undefined
    }
  }
}
