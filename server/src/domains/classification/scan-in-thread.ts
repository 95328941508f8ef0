import type { Piscina } from 'piscina'
import type { MaybePromise } from '../../platform/lib/maybe-promise.ts'
import { createThreadPool } from '../../platform/lib/thread-pool.ts'
import { NOTHING_FOUND } from '../../shared/finding.ts'
import type { Detector } from './detector.ts'
import { DETECTORS } from './detectors.ts'
import { type Scan, type ScanOptions, scan } from './scan.ts'
import { packFindings, type ScanTask, type TimedScan, unpackFindings } from './scan-worker.ts'

/** Longer texts are scanned in a thread: a mebibyte takes 60 to 110 ms, which would block all other requests. */
const MAX_INLINE_CHARACTERS = 524_288
const BUDGET_CHARACTERS = 1_048_576
/** Time limit of a scan in the thread, with its time in the queue. After that the thread is ended and the texts are denied. */
const TIMEOUT_MS = 60_000
const IDLE_MS = 30_000

export class ScanThread {
  readonly #timeoutMs: number
  #thread: Promise<Piscina<ScanTask, TimedScan>> | undefined

  constructor(timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs
  }

  /** If the thread ends or is too slow, all detectors are reported as failed, so that the request is denied. */
  async run(texts: readonly string[], budgetMs: number): Promise<TimedScan> {
    const filename = new URL('./scan-worker.ts', import.meta.url).href
    this.#thread ??= createThreadPool({ filename, name: 'scanAll', maxThreads: 1, idleTimeout: IDLE_MS })
    try {
      return await (await this.#thread).run({ texts, budgetMs }, { signal: AbortSignal.timeout(this.#timeoutMs) })
    } catch {
      const findings = texts.map(() => packFindings([]))
      return { times: {}, findings, counts: NOTHING_FOUND, failures: DETECTORS.map(({ name }) => name) }
    }
  }
}

const thread = new ScanThread()

/** A promise only for long texts, in which the thread runs the detectors of detectors.ts. */
export function scanInThread(texts: readonly string[], { detectors, budgetMs }: ScanOptions): MaybePromise<Scan> {
  const characters = texts.reduce((sum, text) => sum + text.length, 0)
  const budget = budgetMs * Math.max(1, characters / BUDGET_CHARACTERS)
  if (characters <= MAX_INLINE_CHARACTERS) return scan(texts, { detectors, budgetMs: budget })
  return thread.run(texts, budget).then((timed) => unpackScan(timed, detectors))
}

function unpackScan({ times, findings, ...result }: TimedScan, detectors: readonly Detector[]): Scan {
  for (const detector of detectors) {
    if (result.failures.includes(detector.name)) detector.reportFailure?.('overran')
    const ms = times[detector.name]
    if (ms !== undefined) detector.reportTime?.(ms)
  }
  return { ...result, findings: findings.map(unpackFindings) }
}
