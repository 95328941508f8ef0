import { runOutsideTrace } from './trace-context.ts'

/** Work that goes on beside what the server answers, and ends before what it works on is closed. */
export class Background {
  readonly #ending = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #onError: (error: Error) => void

  constructor(onError: (error: Error) => void) {
    this.#onError = onError
  }

  /** `work` ends soon after its signal; a fault in it is told and harms nobody. */
  start(work: (signal: AbortSignal) => Promise<void>): void {
    if (this.#ending.signal.aborted) return
    const running = runOutsideTrace(() => work(this.#ending.signal))
      .catch((error: Error) => this.#onError(error))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Waits for what is going on, as tests do. */
  async idle(): Promise<void> {
    await Promise.all(this.#running)
  }

  async close(): Promise<void> {
    this.#ending.abort()
    await this.idle()
  }
}
