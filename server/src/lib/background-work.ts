import { withDeadline } from './deadline.ts'
import { runOutsideTrace } from './trace-context.ts'

/** Work beside the requests of the server. It ends before the database is closed. */
export class BackgroundWork {
  readonly #ending = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #onError: (error: Error) => void

  constructor(onError: (error: Error) => void) {
    this.#onError = onError
  }

  get size(): number {
    return this.#running.size
  }

  /** `work` ends soon after its signal is aborted; a fault in it is reported. Resolves when it has ended. */
  start(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#ending.signal.aborted) return Promise.resolve()
    const running = runOutsideTrace(() => work(this.#ending.signal))
      .catch((error: Error) => this.#onError(error))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
    return running
  }

  /** Resolves when no work is running. */
  async idle(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Aborts what runs after `graceMs`, and waits for `cutMs` at most. */
  async close({ graceMs = 0, cutMs = 5_000 } = {}): Promise<void> {
    const end = (ms: number) => withDeadline(ms, this.idle(), 'background work did not end').catch(() => {})
    if (graceMs > 0) await end(graceMs)
    this.#ending.abort()
    await end(cutMs)
  }
}
