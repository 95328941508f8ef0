/**
 * Age of a replica's data. The replica's own clock cannot tell it: without writes the last replayed transaction grows old, and a replica
 * without a connection believes that it is complete. So its position is compared with those that the primary had.
 */
export class ReplicaLag {
  readonly #keepMs: number
  /** Positions in the write-ahead log of the primary (bytes), and when the primary had reached them (of `elapsed`). */
  #samples: { readonly at: number; readonly position: number }[] = []
  /** When the primary was where the replica is now. */
  #dataFrom = Number.NEGATIVE_INFINITY

  /** @param keepMs an older replica has an unknown age. */
  constructor(keepMs: number) {
    this.#keepMs = keepMs
  }

  /** Call it with the primary's position, and the time before it was asked. */
  sample(at: number, position: number): void {
    this.#samples = [...this.#samples.filter((sample) => at - sample.at <= this.#keepMs), { at, position }]
  }

  /** Call it with the position up to which the replica has replayed. */
  replayed(position: number): void {
    this.#dataFrom = this.#samples.findLast((sample) => sample.position <= position)?.at ?? Number.NEGATIVE_INFINITY
  }

  /** The replica does not respond, or has failed. */
  forget(): void {
    this.#dataFrom = Number.NEGATIVE_INFINITY
  }

  /** Milliseconds; Infinity: unknown. */
  at(now: number): number {
    return now - this.#dataFrom
  }
}
