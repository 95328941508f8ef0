export interface Ranked {
  /** The entry's UUID. */
  readonly id: string
  /** 0 to 1. */
  readonly similarity: number
}
