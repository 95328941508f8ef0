import type { Piscina } from 'piscina'
import { countFindings } from '../domain/finding.ts'
import { createThreadPool } from '../lib/thread-pool.ts'
import type { Detector } from './detector.ts'
import { DETECTORS } from './detectors.ts'
import { type Scan, scan } from './scan.ts'
import type { ScanTask } from './scan-worker.ts'

/** Longer sets of texts are scanned in a thread: a mebibyte takes some 60 ms, in which nobody else would be answered. */
const ASIDE_CHARACTERS = 524_288
/** The budget is for so many characters; longer sets have more of it, in proportion. */
const BUDGET_CHARACTERS = 1_048_576
/** A thread that has not answered by then, with all that waited before, is ended; what it was to read is denied. */
const LONGEST_MS = 60_000
const IDLE_MS = 30_000

/** One thread for the detectors, started when it is needed and ended when it has been idle for a while. */
export class ScanThread {
  readonly #longestMs: number
  #thread: Promise<Piscina<ScanTask, Scan>> | undefined

  constructor(longestMs = LONGEST_MS) {
    this.#longestMs = longestMs
  }

  /** When the thread ends or is too slow, every detector has failed, so that the request is denied. */
  async run(texts: readonly string[], budgetMs: number): Promise<Scan> {
    const filename = new URL('./scan-worker.ts', import.meta.url).href
    this.#thread ??= createThreadPool({ filename, name: 'scanAll', maxThreads: 1, idleTimeout: IDLE_MS })
    try {
      return await (await this.#thread).run({ texts, budgetMs }, { signal: AbortSignal.timeout(this.#longestMs) })
    } catch {
      return unread(texts)
    }
  }
}

const unread = (texts: readonly string[]): Scan => ({
  findings: texts.map(() => []),
  counts: countFindings([]),
  failures: DETECTORS.map(({ name }) => name),
})

const thread = new ScanThread()

/** As `scan`, without keeping others waiting while a long set of texts is read. */
export async function scanInThread(
  texts: readonly string[],
  { detectors, budgetMs }: { readonly detectors: readonly Detector[]; readonly budgetMs: number },
): Promise<Scan> {
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  const budget = budgetMs * Math.max(1, characters / BUDGET_CHARACTERS)
  // Detectors that somebody has brought along cannot go to a thread.
  if (characters <= ASIDE_CHARACTERS || !areOurs(detectors)) return scan(texts, { detectors, budgetMs: budget })
  const found = await thread.run(texts, budget)
  for (const detector of detectors) if (found.failures.includes(detector.name)) detector.failed?.('overran')
  return found
}

/** Whether they are the ones that the thread has, watched over or not. */
const areOurs = (detectors: readonly Detector[]): boolean =>
  detectors.length === DETECTORS.length && detectors.every((detector, at) => (detector.watches ?? detector) === DETECTORS[at])
