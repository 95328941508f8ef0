/** A bucket that charges each request at once, with its actual cost. `used` is in shares: 60,000 are one unit. */
export class IdealBucket {
  used = 0
  readonly #perMinute: number

  constructor(perMinute: number) {
    this.#perMinute = perMinute
  }

  pass(ms: number): void {
    this.used = Math.max(0, this.used - ms * this.#perMinute)
  }
}
