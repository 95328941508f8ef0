import { DIGITS, LOWER, UPPER } from '../../../src/domains/classification/text/search.ts'

/**
 * A repeatable random number generator (mulberry32). Tests and benchmarks generate keys with it, because literal keys would alarm
 * secret scanners.
 */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** An integer from 0 to `below` - 1. */
  number(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) % below
  }

  pick<T>(values: ArrayLike<T>): T {
    return values[this.number(values.length)] as T
  }

  string(length: number, alphabet = ALPHANUMERIC): string {
    return Array.from({ length }, () => this.pick(alphabet)).join('')
  }
}

const ALPHANUMERIC = LOWER + UPPER + DIGITS
export const HEX = `${DIGITS}abcdef`
