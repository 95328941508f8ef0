import { setMaxListeners } from 'node:events'

/** How far the server's end has come. What has to end with it listens to one of the two signals. */
export class Shutdown {
  readonly #leaving = new AbortController()
  readonly #cutting = new AbortController()

  constructor() {
    // One listener for each exchange that runs.
    setMaxListeners(0, this.#leaving.signal, this.#cutting.signal)
  }

  /** Aborted when the server has been told to stop: it still answers, and no longer wants new work. */
  get leaving(): AbortSignal {
    return this.#leaving.signal
  }

  /** Aborted when exchanges that still run must end now, with an error. */
  get cutting(): AbortSignal {
    return this.#cutting.signal
  }

  leave(): void {
    this.#leaving.abort()
  }

  cut(): void {
    this.#cutting.abort()
  }
}
