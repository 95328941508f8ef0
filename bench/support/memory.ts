import { residentMb } from './process-stats.ts'
import { quantile, slope } from './statistics.ts'

/** Samples of resident memory by number of requests. */
export class MemorySamples {
  readonly #pid: number
  readonly #points: [requests: number, mb: number][] = []

  constructor(pid: number) {
    this.#pid = pid
  }

  take(requests: number): number {
    const mb = residentMb(this.#pid)
    this.#points.push([requests, mb])
    return mb
  }

  get last(): number {
    return this.#points.at(-1)?.[1] ?? Number.NaN
  }

  /** Megabytes per million requests in the second half, because the first half is warm-up. */
  get slopePerMillion(): number {
    return slope(this.#points.slice(Math.floor(this.#points.length / 2))) * 1_000_000
  }

  /** Growth from the second quarter to the last one in percent. Medians reduce the noise of the garbage collector. */
  get growthPercent(): number {
    const quarter = Math.floor(this.#points.length / 4)
    const middle = (from: number, to: number) =>
      quantile(Float64Array.from(this.#points.slice(from, to).map(([, mb]) => mb)).sort(), 0.5)
    return (middle(3 * quarter, this.#points.length) / middle(quarter, 2 * quarter) - 1) * 100
  }
}
