import { setMaxListeners } from 'node:events'

/** The two phases of the server's stop, as signals. */
export class Shutdown {
  readonly #stopping = new AbortController()
  readonly #aborting = new AbortController()
  /** Aborted when the stop begins. Requests in flight still get their responses; clients should use another node. */
  readonly stopping = this.#stopping.signal
  /** Aborted when requests in flight must end with an error. */
  readonly aborting = this.#aborting.signal

  constructor() {
    // Each request in flight adds a listener.
    setMaxListeners(0, this.stopping, this.aborting)
  }

  stop(): void {
    this.#stopping.abort()
  }

  abort(): void {
    this.#aborting.abort()
  }
}
