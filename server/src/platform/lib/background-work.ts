import { withDeadline } from './deadline.ts'
import { runOutsideTrace } from './trace-context.ts'

/** Work that belongs to no request. Close it before the database. */
export class BackgroundWork {
  readonly #abort = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #onError: (error: Error) => void

  constructor(onError: (error: Error) => void) {
    this.#onError = onError
  }

  get size(): number {
    return this.#running.size
  }

  /** Starts `work`, which must end soon after its signal is aborted. Errors go to `onError`. Resolves when the work has ended. */
  start(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    if (this.#abort.signal.aborted) return Promise.resolve()
    const running = runOutsideTrace(() => work(this.#abort.signal))
      .catch((error: Error) => this.#onError(error))
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
    return running
  }

  async idle(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Waits at most `graceMs` for running work, then aborts it and waits at most `cutMs`. */
  async close({ graceMs = 0, cutMs = 5_000 } = {}): Promise<void> {
    const waitFor = (ms: number) => withDeadline(ms, this.idle(), 'background work did not end').catch(() => {})
    if (graceMs > 0) await waitFor(graceMs)
    this.#abort.abort()
    await waitFor(cutMs)
  }
}
