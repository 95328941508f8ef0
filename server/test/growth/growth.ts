import { performance } from 'node:perf_hooks'
import { inject } from 'vitest'
import { cpuMs } from '../support/cpu-time.ts'

/** Shorter times are noise of compilation. */
const MEASURABLE_MS = 3
/** Maximum size of the smaller input. `npm test` uses a small one, which finds only the steepest functions. */
const MOST_UNITS = inject('isFull') ? 1 << 16 : 1 << 11
/** Maximum size of the smaller input where smaller ones are steep. */
const MOST_STEEP_UNITS = inject('isFull') ? 1 << 20 : MOST_UNITS
const FACTOR = 4
const ROUNDS = 30
/** A step of the machine makes one size steep: a cache that is full, or a heap that has to grow. A function of quadratic cost is steep at each size. */
const SIZES = 3
/** A larger size of a function of quadratic cost takes sixteen times as long in each round. */
const MOST_MS = 5_000

const cost = (work: () => void, times = 1): number =>
  cpuMs(() => {
    for (let time = 0; time < times; time++) work()
  })

/**
 * Compares the least of several measurements, in turns; each covers the same amount of input, so that other load on the machine
 * disturbs both alike. Stops as soon as the ratio is at most `enough`.
 */
function ratioAt<T>(size: number, make: (size: number) => T, run: (input: T) => unknown, enough: number): number {
  const [input, larger] = [make(size), make(size * FACTOR)]
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  const start = performance.now()
  for (let round = 0; round < ROUNDS && (round === 0 || performance.now() - start < MOST_MS); round++) {
    small = Math.min(
      small,
      cost(() => run(input), FACTOR),
    )
    large = Math.min(
      large,
      cost(() => run(larger)),
    )
    if (large / small <= enough / FACTOR) break
  }
  return (large / small) * FACTOR
}

/**
 * How many times more time `run` takes for four times the input, at each size until one is at most `enough`: 4 is linear, 16 is
 * quadratic. 1 when no size takes measurable time.
 */
export function growth<T>(make: (size: number) => T, run: (input: T) => unknown, enough: number, limit?: number): number[] {
  const most = limit ?? MOST_UNITS
  let size = 1_024
  let input = make(size)
  const once = () => run(input)
  // The first runs of a function take longer than the following ones, which are compiled.
  while (Array.from({ length: 5 }).some(() => cost(once) < MEASURABLE_MS)) {
    if (size >= most) return [1]
    size *= 2
    input = make(size)
  }
  const ratios: number[] = []
  while (ratios.length < SIZES && !((ratios.at(-1) ?? Number.POSITIVE_INFINITY) <= enough)) {
    ratios.push(ratioAt(size, make, run, enough))
    size = Math.min(size * FACTOR, Math.max(size, limit ?? MOST_STEEP_UNITS))
  }
  return ratios
}
