import { parentPort } from 'node:worker_threads'
import { DETECTORS } from '../../../src/classification/detectors.ts'
import { scan } from '../../../src/classification/scan.ts'
import { repeated } from './hostile-texts.ts'
import { slowness } from './machine-speed.ts'

/**
 * Measures detectors as the server runs them: by Node itself. A test runner's module loader turns every imported name into a property
 * look-up, which doubles the time of the inner loops.
 */
export interface Question {
  readonly unit: string
  readonly length: number
  /** How often the text is scanned for one answer: small texts take less than the clock's grain. */
  readonly times: number
  /** Good enough to stop trying, in milliseconds. */
  readonly enough: number
  readonly tries: number
}

/** Milliseconds that this thread computed: others on the machine do not count. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

function cost(text: string, times: number): number {
  const start = threadMs()
  for (let i = 0; i < times; i++) {
    const { failures } = scan([text], { detectors: DETECTORS, budgetMs: Number.POSITIVE_INFINITY })
    if (failures.length > 0) return Number.POSITIVE_INFINITY
  }
  return threadMs() - start
}

/**
 * The least of some tries: what a neighbour on the same core, a garbage collection or a first compilation adds is not ours. On a
 * slower machine than the limits are for, in that machine's milliseconds.
 */
function least({ unit, length, times, enough, tries }: Question): number {
  const text = repeated(unit, length)
  let [best, slow] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let i = 0; i < tries && !(best / slow <= enough); i++) {
    best = Math.min(best, cost(text, times))
    slow = Math.min(slow, slowness(1))
  }
  return best / slow
}

parentPort?.on('message', (question: Question) => parentPort?.postMessage(least(question)))
