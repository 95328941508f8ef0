/** Requests that wait for the next exchange of a lease, and those that wait for the one in progress. */
export class Asking {
  /** Amount that the waiting requests need together, and the smallest of them. */
  need = 0
  smallest = Number.POSITIVE_INFINITY
  #next: PromiseWithResolvers<void> | undefined
  #sent: PromiseWithResolvers<void> | undefined

  get isWaiting(): boolean {
    return this.#next !== undefined
  }

  ask(amount: number): Promise<void> {
    this.need += amount
    this.smallest = Math.min(this.smallest, amount)
    if (!this.#next) {
      this.#next = Promise.withResolvers<void>()
      // A request that another limit refuses does not wait for the answer.
      this.#next.promise.catch(() => {})
    }
    return this.#next.promise
  }

  /** The exchange is sent: later requests wait for another one. */
  send(): void {
    this.#sent = this.#next
    this.#next = undefined
    this.need = 0
    this.smallest = Number.POSITIVE_INFINITY
  }

  answer(): void {
    this.#sent?.resolve()
    this.#sent = undefined
  }

  fail(cause: unknown): void {
    this.#sent?.reject(cause)
    this.#sent = undefined
  }
}
