import type { Database } from '../db/database.ts'
import { GatehouseError } from '../errors.ts'
import { elapsed } from '../lib/clock.ts'
import { type PreparedRecord, prepare, type RecordSealer, recordOf, type SealedRecord } from './chain.ts'
import { ChainAppender, isRefusal } from './chain-appender.ts'
import type { AuditDraft, AuditRecord } from './record.ts'

export interface AuditWriterOptions {
  /** Records in one commit. */
  readonly maxGroup?: number
  /** Records waiting, over all Workspaces; more are refused at once. */
  readonly maxWaiting?: number
  /** Of one statement; a connection that takes longer is given up. */
  readonly statementTimeoutMs?: number
  /** How long a record is tried to be written, counted from `append`. */
  readonly giveUpAfterMs?: number
  /** Told when the chain in the database is not the one that was written up to record `sequence`. */
  readonly onAlarm?: (workspaceId: string, sequence: number) => void
  /** What makes the seals of a Workspace's records: its keys' hasher. */
  readonly sealerOf: (workspaceId: string) => Promise<RecordSealer>
}

interface Waiting {
  readonly prepared: PreparedRecord
  readonly since: number
  readonly resolve: (record: AuditRecord) => void
  readonly reject: (error: GatehouseError) => void
}

/** One Workspace's queue; its commits follow one another, those of other Workspaces run beside them. */
interface Lane {
  readonly appender: ChainAppender
  queue: Waiting[]
  /** The group being committed. */
  group: Waiting[]
  busy: boolean
}

/**
 * Writes records that are nothing's companion in a transaction: whatever queued while the last commit ran goes into the next
 * one, so that nothing waits on a timer and a busy server shares each commit among many answers.
 */
export class AuditWriter {
  readonly #pool: Database['pool']
  readonly #options: Required<AuditWriterOptions>
  readonly #lanes = new Map<string, Lane>()
  #waiting = 0
  #idle: (() => void)[] = []

  constructor({ pool }: Pick<Database, 'pool'>, options: AuditWriterOptions) {
    this.#pool = pool
    this.#options = {
      maxGroup: 256,
      maxWaiting: 10_000,
      statementTimeoutMs: 5_000,
      giveUpAfterMs: 10_000,
      onAlarm: () => {},
      ...options,
    }
  }

  /**
   * Resolves with the record in its place once it is durable. Rejects with UNAVAILABLE when it could not be written, or too
   * many wait already: then nothing may be released. Never await it inside a transaction, which would wait for itself
   * (audit-store.ts, appendInTransaction).
   */
  append(workspaceId: string, draft: AuditDraft): Promise<AuditRecord> {
    return new Promise((resolve, reject) => {
      try {
        if (this.#waiting >= this.#options.maxWaiting) throw new Error(`${this.#waiting} audit records are waiting`)
        const lane = this.#lane(workspaceId)
        lane.queue.push({ prepared: prepare(workspaceId, draft), since: elapsed(), resolve, reject })
        this.#waiting += 1
        this.#start(lane)
      } catch (cause) {
        reject(unwritten(cause))
      }
    })
  }

  /** Records not yet durable. */
  get waiting(): number {
    return this.#waiting
  }

  /** Age of the oldest of them, 0 when there is none. */
  get lagSeconds(): number {
    const oldest = [...this.#lanes.values()].flatMap(({ group, queue }) => group[0] ?? queue[0] ?? [])
    return Math.max(0, ...oldest.map(({ since }) => elapsed() - since)) / 1_000
  }

  /** Resolves when nothing waits any more. Close the doors first. */
  async drain(): Promise<void> {
    if (this.#waiting > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
  }

  #lane(workspaceId: string): Lane {
    const known = this.#lanes.get(workspaceId)
    if (known) return known
    const appender = new ChainAppender(this.#pool, workspaceId, this.#options)
    const lane: Lane = { appender, queue: [], group: [], busy: false }
    this.#lanes.set(workspaceId, lane)
    return lane
  }

  /** Not at once: what the event loop has in hand at this moment joins the group. */
  #start(lane: Lane): void {
    if (lane.busy) return
    lane.busy = true
    setImmediate(() => void this.#run(lane))
  }

  async #run(lane: Lane): Promise<void> {
    while (lane.queue.length > 0) {
      lane.group = lane.queue.slice(0, this.#options.maxGroup)
      lane.queue = lane.queue.slice(this.#options.maxGroup)
      await this.#commit(lane, lane.group)
      this.#waiting -= lane.group.length
      lane.group = []
    }
    lane.busy = false
    if (this.#waiting === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }

  /** Never rejects: every record of the group gets its answer. */
  async #commit(lane: Lane, group: readonly Waiting[]): Promise<void> {
    let sealed: readonly SealedRecord[]
    try {
      const prepared = group.map((one) => one.prepared)
      sealed = await lane.appender.commit(prepared, (group[0]?.since ?? 0) + this.#options.giveUpAfterMs)
    } catch (cause) {
      // One record that the database will not have must not take the others with it.
      if (group.length > 1 && isRefusal(cause)) for (const one of group) await this.#commit(lane, [one])
      else for (const { reject } of group) reject(unwritten(cause))
      return
    }
    for (const [index, { resolve }] of group.entries()) resolve(recordOf(sealed[index] as SealedRecord))
  }
}

const unwritten = (cause: unknown): GatehouseError => new GatehouseError('UNAVAILABLE', {}, cause)
