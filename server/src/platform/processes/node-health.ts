import type { Snapshot } from '../telemetry/snapshots.ts'
import { NodeMetrics } from './node-metrics.ts'
import { type ProcessReadiness, type Report, readinessOfNode } from './node-readiness.ts'
import type { Questions } from './questions.ts'

/** A serving process, as the health of the node sees it. */
export interface Member {
  /** Unique for each process that was ever started. */
  readonly id: number
  /** Place in the node; undefined: the only process. */
  readonly number: number | undefined
  readonly questions: Questions
}

interface Options {
  readonly members: () => readonly Member[]
  /** Number of processes that should run. */
  readonly expected: number
  readonly isStopping?: () => boolean
  /** Whether event loops run that no process restarts. Default: yes. */
  readonly isAlive?: () => boolean
  /** Metrics of the process that asks. */
  readonly own?: () => Promise<Snapshot>
}

/** Longer than the deadline of each check, so that a process that answers can name the check. */
const READINESS_MS = 2_500
const METRICS_MS = 2_000
/** How often metrics are read without a scrape: the counts of a process that dies are lost back to the last reading. */
const READING_MS = 5_000
const OWN_ID = 0

/** Asks all processes of a node for their readiness and metrics. Concurrent callers share one round. */
export class NodeHealth {
  readonly #options: Options
  readonly #metrics = new NodeMetrics()
  readonly #timer: NodeJS.Timeout
  #readiness: Promise<ProcessReadiness> | undefined
  #reading: Promise<void> | undefined

  constructor(options: Options) {
    this.#options = options
    this.#timer = setInterval(() => void this.#read(), READING_MS).unref()
  }

  /** False if the supervisor of the node must restart it. */
  get isAlive(): boolean {
    return this.#options.isAlive?.() ?? true
  }

  /** `body` is the response of `/readyz`. Never rejects. */
  async readiness(): Promise<{ readonly ready: boolean; readonly body: object }> {
    this.#readiness ??= this.#askReadiness().finally(() => {
      this.#readiness = undefined
    })
    const { ready, checks } = await this.#readiness
    return { ready, body: { status: ready ? 'ready' : 'not ready', deadline_ms: READINESS_MS, checks } }
  }

  /** The sum over all processes. */
  async metrics(): Promise<Snapshot> {
    await this.#read()
    return this.#metrics.snapshot()
  }

  /** Call it when a process has ended. */
  remove(id: number): void {
    this.#metrics.remove(id)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #askReadiness(): Promise<ProcessReadiness> {
    const { members, expected, isStopping } = this.#options
    const reports = await Promise.all(
      members().map(async ({ number, questions }): Promise<Report> => {
        const readiness = await questions.ask<ProcessReadiness>('readiness', READINESS_MS).catch(() => undefined)
        return { number, readiness }
      }),
    )
    return readinessOfNode(reports, expected, isStopping?.() ?? false)
  }

  #read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #readAll(): Promise<void> {
    const { members, own } = this.#options
    const asked = members().map(async ({ id, questions }) => {
      const snapshot = await questions.ask<Snapshot>('metrics', METRICS_MS).catch(() => undefined)
      // The process may have ended meanwhile: its counters are already in the sum.
      if (snapshot && members().some((member) => member.id === id)) this.#metrics.update(id, snapshot)
    })
    await Promise.all(asked)
    if (own) this.#metrics.update(OWN_ID, await own())
  }
}
