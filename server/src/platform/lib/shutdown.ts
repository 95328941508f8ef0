import { setMaxListeners } from 'node:events'

/** The two phases of the server's stop, as signals. */
export class Shutdown {
  readonly #stopping = new AbortController()
  readonly #aborting = new AbortController()

  constructor() {
    // Each request in flight adds a listener.
    setMaxListeners(0, this.#stopping.signal, this.#aborting.signal)
  }

  /** Aborted when the stop begins. Requests in flight still get their responses; clients should use another node. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  /** Aborted when requests in flight must end with an error. */
  get aborting(): AbortSignal {
    return this.#aborting.signal
  }

  stop(): void {
    this.#stopping.abort()
  }

  abort(): void {
    this.#aborting.abort()
  }
}
