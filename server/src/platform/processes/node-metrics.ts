import { type Snapshot, sumOf } from '../telemetry/snapshots.ts'

/** Metrics that only grow. Those of a process that has ended stay in the sum, so that the node's counters do not fall. */
const GROWING = new Set<unknown>(['counter', 'histogram'])

/** The metrics of all processes of a node. */
export class NodeMetrics {
  readonly #last = new Map<number, Snapshot>()
  #ended: Promise<Snapshot> = Promise.resolve([])

  /** `id` is never used again after the process has ended. */
  update(id: number, snapshot: Snapshot): void {
    this.#last.set(id, snapshot)
  }

  /** Keeps the counters of a process that has ended, as they were last shown. */
  remove(id: number): void {
    const last = this.#last.get(id)
    this.#last.delete(id)
    if (!last) return
    const growing = last.filter(({ type }) => GROWING.has(type))
    this.#ended = this.#ended.then((ended) => sumOf([ended, growing]))
  }

  /** The sum over all processes. A process that does not answer counts with its last snapshot. */
  async snapshot(): Promise<Snapshot> {
    return sumOf([...this.#last.values(), await this.#ended])
  }
}
