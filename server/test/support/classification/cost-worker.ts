import { parentPort } from 'node:worker_threads'
import { DETECTORS } from '../../../src/domains/classification/detectors.ts'
import { scan } from '../../../src/domains/classification/scan.ts'
import { cpuMs } from '../cpu-time.ts'
import { repeated } from './hostile-texts.ts'
import { REFERENCE_MS, slowness } from './machine-speed.ts'

/**
 * A measurement. It runs in a worker because a test runner's module loader turns every imported name into a property look-up, which
 * doubles the time of inner loops.
 */
export interface Measurement {
  readonly unit: string
  readonly length: number
  /** `cost` is the time of one scan. `growth` is the time of one scan divided by that of eight scans of an eighth of the text. */
  readonly of: 'cost' | 'growth'
  /** No further try is made once a result is at most this: milliseconds for `cost`, a ratio for `growth`. */
  readonly enough: number
  readonly tries: number
}

/** Tries whose speed of the machine is measured with one run of the reference work. */
const SHORT_TRIES = 3
const PIECES = 8

function msOf(text: string, times = 1): number {
  let isFailed = false
  const ms = cpuMs(() => {
    for (let i = 0; i < times && !isFailed; i++)
      isFailed = scan([text], { detectors: DETECTORS, budgetMs: Number.POSITIVE_INFINITY }).failures.length > 0
  })
  return isFailed ? Number.POSITIVE_INFINITY : ms
}

/**
 * The least of several tries, because other processes, garbage collection and compilation only add time. Divided by the slowness of this
 * machine (machine-speed.ts). Short work finds a quiet moment that long work does not find: after the first tries, the reference work takes
 * as long as the scan.
 */
function cost({ unit, length, enough, tries }: Measurement): number {
  const text = repeated(unit, length)
  const leastOf = (most: number, repeats: number): number => {
    let [best, slow] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
    for (let i = 0; i < most && !(best / slow <= enough); i++) {
      best = Math.min(best, msOf(text))
      slow = Math.min(slow, slowness(1, repeats))
    }
    return best / slow
  }
  const short = leastOf(Math.min(tries, SHORT_TRIES), 1)
  return short <= enough || tries <= SHORT_TRIES ? short : leastOf(tries - SHORT_TRIES, Math.ceil(short / REFERENCE_MS))
}

/** Both sizes are measured in turns and take as long if time is linear, so that other load disturbs both alike. */
function growth({ unit, length, enough, tries }: Measurement): number {
  const [whole, piece] = [repeated(unit, length), repeated(unit, length / PIECES)]
  let [large, small] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let i = 0; i < tries && !(large / small <= enough); i++) {
    small = Math.min(small, msOf(piece, PIECES))
    large = Math.min(large, msOf(whole))
  }
  return large / small
}

parentPort?.on('message', (measurement: Measurement) =>
  parentPort?.postMessage(measurement.of === 'cost' ? cost(measurement) : growth(measurement)),
)
