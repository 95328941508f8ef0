import { Worker } from 'node:worker_threads'
import { countFindings } from '../domain/finding.ts'
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

interface Job {
  readonly texts: readonly string[]
  readonly resolve: (found: Scan) => void
  readonly timer: NodeJS.Timeout
}

/** One thread for the detectors, started when it is needed and ended when it has been idle for a while. */
export class ScanThread {
  readonly #longestMs: number
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  readonly #jobs = new Map<number, Job>()
  #nextId = 0

  constructor(longestMs = LONGEST_MS) {
    this.#longestMs = longestMs
  }

  run(texts: readonly string[], budgetMs: number): Promise<Scan> {
    return new Promise((resolve) => {
      clearTimeout(this.#idle)
      const worker = this.#open()
      const id = this.#nextId++
      const timer = setTimeout(() => this.#fail(worker), this.#longestMs)
      this.#jobs.set(id, { texts, resolve, timer })
      worker.ref()
      worker.postMessage({ id, texts, budgetMs } satisfies ScanTask)
    })
  }

  #open(): Worker {
    if (this.#worker) return this.#worker
    const worker = new Worker(new URL('./scan-worker.ts', import.meta.url), { execArgv: [], env: {} })
    worker.on('message', ({ id, found }: { id: number; found: Scan }) => this.#settle(id, found))
    worker.on('error', () => this.#fail(worker))
    worker.on('exit', () => this.#fail(worker))
    this.#worker = worker
    return worker
  }

  #settle(id: number, found: Scan): void {
    const job = this.#jobs.get(id)
    if (!job) return
    this.#jobs.delete(id)
    clearTimeout(job.timer)
    job.resolve(found)
    if (this.#jobs.size > 0) return
    this.#worker?.unref()
    this.#idle = setTimeout(() => this.#close(), IDLE_MS).unref()
  }

  /** Whatever the thread was to read counts as unread: every detector has failed, and the request is denied. */
  #fail(worker: Worker): void {
    if (this.#worker !== worker) return
    this.#close()
    for (const [id, { texts }] of [...this.#jobs]) this.#settle(id, unread(texts))
  }

  #close(): void {
    const worker = this.#worker
    this.#worker = undefined
    clearTimeout(this.#idle)
    void worker?.terminate()
  }
}

const unread = (texts: readonly string[]): Scan => ({
  findings: texts.map(() => []),
  counts: countFindings([]),
  failures: DETECTORS.map(({ name }) => name),
})

const thread = new ScanThread()

/** As `scan`, without keeping others waiting while a long set of texts is read. */
export async function scanAside(
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
