import { elapsed } from '../lib/clock.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Delays that double with each failure in a row. */
interface Doubling {
  readonly firstMs: number
  readonly maxMs: number
}

export const RETRY_DELAYS = {
  /** After the first failed attempt, after the second …; the last delay repeats. */
  webhookDelivery: [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR],
  mail: [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 3 * HOUR],
  assistantTurn: 2 * SECOND,
  checkpointDelivery: { firstMs: 5 * SECOND, maxMs: 5 * MINUTE },
  embedding: { firstMs: 10 * SECOND, maxMs: 5 * MINUTE },
  queryEmbedding: { firstMs: SECOND, maxMs: 30 * SECOND },
} as const

/** `failures`: number of failures in a row, at least 1. */
export const doublingDelay = (failures: number, { firstMs, maxMs }: Doubling): number =>
  Math.min(firstMs * 2 ** Math.min(failures - 1, 30), maxMs)

/** Random part of a delay, so that many retries do not happen at the same moment. */
const SPREAD = 0.2

/** `failures`: at least 1. `random`: returns a number from 0 to 1. */
export function steppedDelay(failures: number, steps: readonly number[], random: () => number): number {
  const step = steps[Math.min(failures, steps.length) - 1] as number
  return Math.round(step * (1 + SPREAD * (random() - 0.5)))
}

export const longestDelay = (steps: readonly number[]): number => steppedDelay(steps.length, steps, () => 1)

/** A pause in the requests to a server that fails. It doubles with each failure in a row. */
export class RetryPause {
  /** End of the pause, in the time of `elapsed`. */
  until = 0
  #failures = 0
  readonly #delays: Doubling
  readonly #tolerated: number

  /** `tolerated`: failures in a row that cause no pause. */
  constructor(delays: Doubling, tolerated = 0) {
    this.#delays = delays
    this.#tolerated = tolerated
  }

  get isActive(): boolean {
    return elapsed() < this.until
  }

  get hasFailed(): boolean {
    return this.#failures > 0
  }

  failed(): void {
    this.#failures++
    this.restart()
  }

  /** Begins the pause again, with the same length. */
  restart(): void {
    const failures = this.#failures - this.#tolerated
    if (failures > 0) this.until = elapsed() + doublingDelay(failures, this.#delays)
  }

  succeeded(): void {
    this.#failures = 0
    this.until = 0
  }
}
