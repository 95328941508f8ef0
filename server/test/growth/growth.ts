import { performance } from 'node:perf_hooks'
import { inject } from 'vitest'

/** Shorter times are noise of the clock and of compilation. */
const MEASURABLE_MS = 3
/** Maximum size of the smaller input. `npm test` uses a small one, which finds only the steepest functions. */
const MOST_UNITS = inject('isFull') ? 1 << 16 : 1 << 11
const FACTOR = 4
const ROUNDS = 30

/**
 * Wall time in milliseconds. CPU time has a resolution of 10 ms only, and the least of several wall times is one without
 * interruption.
 */
function wallMs(work: () => void, times = 1): number {
  const start = performance.now()
  for (let time = 0; time < times; time++) work()
  return performance.now() - start
}

/**
 * How many times more time `run` takes for four times the input: 4 is linear, 16 is quadratic. Compares the least of several
 * measurements, in turns; each covers the same amount of input, so that other load on the machine disturbs both alike. Stops as
 * soon as the ratio is at most `enough`. 1 when no size takes measurable time.
 */
export function growth<T>(make: (size: number) => T, run: (input: T) => unknown, enough: number, most = MOST_UNITS): number {
  let size = 1_024
  let input = make(size)
  const once = () => run(input)
  // The least of five, because the first runs of a function take longer than the following ones, which are compiled.
  while (Math.min(...Array.from({ length: 5 }, () => wallMs(once))) < MEASURABLE_MS) {
    if (size >= most) return 1
    size *= 2
    input = make(size)
  }
  const larger = make(size * FACTOR)
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < ROUNDS && !(large / small <= enough / FACTOR); round++) {
    small = Math.min(small, wallMs(once, FACTOR))
    large = Math.min(
      large,
      wallMs(() => run(larger)),
    )
  }
  return (large / small) * FACTOR
}
