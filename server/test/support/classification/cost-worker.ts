import { parentPort } from 'node:worker_threads'
import { DETECTORS } from '../../../src/domains/classification/detectors.ts'
import { scan } from '../../../src/domains/classification/scan.ts'
import { cpuMs } from '../cpu-time.ts'
import { repeated } from './hostile-texts.ts'
import { slowness } from './machine-speed.ts'

/**
 * A measurement. It runs in a worker because a test runner's module loader turns every imported name into a property look-up, which
 * doubles the time of inner loops.
 */
export interface Measurement {
  readonly unit: string
  readonly length: number
  /** Scans per try: a single scan of a small text is too short to measure. */
  readonly times: number
  /** No further try is made once a cost is at most this, in milliseconds. */
  readonly enough: number
  readonly tries: number
}

function cost(text: string, times: number): number {
  let isFailed = false
  const ms = cpuMs(() => {
    for (let i = 0; i < times && !isFailed; i++)
      isFailed = scan([text], { detectors: DETECTORS, budgetMs: Number.POSITIVE_INFINITY }).failures.length > 0
  })
  return isFailed ? Number.POSITIVE_INFINITY : ms
}

/**
 * The least cost of several tries, because other processes, garbage collection and compilation only add time. Divided by the
 * slowness of this machine (machine-speed.ts).
 */
function least({ unit, length, times, enough, tries }: Measurement): number {
  const text = repeated(unit, length)
  let [best, slow] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let i = 0; i < tries && !(best / slow <= enough); i++) {
    best = Math.min(best, cost(text, times))
    slow = Math.min(slow, slowness(1))
  }
  return best / slow
}

parentPort?.on('message', (measurement: Measurement) => parentPort?.postMessage(least(measurement)))
