import type { Database } from '../db/database.ts'
import { GatehouseError } from '../errors.ts'
import { elapsed } from '../lib/clock.ts'
import { type PreparedRecord, prepareRecord, type RecordSealer, type SealedRecord, toAuditRecord } from './chain.ts'
import { ChainAppender, isRejectedByDatabase } from './chain-appender.ts'
import type { AuditDraft, AuditRecord, WithRecord } from './record.ts'

export interface AuditWriterOptions {
  /** Maximum number of records in one commit. */
  readonly maxGroup?: number
  /** Maximum number of queued records over all Workspaces; further records are rejected at once. */
  readonly maxWaiting?: number
  /** Timeout of one statement; a slower connection is closed. */
  readonly statementTimeoutMs?: number
  /** Time limit for writing a record, counted from `append`. */
  readonly giveUpAfterMs?: number
  /** Called if the chain in the database was cut off, or rewritten up to record `sequence`. */
  readonly onAlarm?: (workspaceId: string, sequence: number) => void
  /** Returns the sealer of a Workspace's records: its keys' hasher. */
  readonly findSealer: (workspaceId: string) => Promise<RecordSealer>
}

interface PendingRecord {
  readonly prepared: PreparedRecord
  readonly since: number
  readonly resolve: (record: AuditRecord) => void
  readonly reject: (error: GatehouseError) => void
}

/** Queue of one Workspace. Its commits run one after another, in parallel with those of other Workspaces. */
interface WorkspaceQueue {
  readonly appender: ChainAppender
  waiting: PendingRecord[]
  /** The group in the current commit. */
  group: PendingRecord[]
  busy: boolean
}

/**
 * Writes records that do not belong to a transaction. All records queued during a commit go into the next one, so no record waits
 * for a timer, and a busy server shares each commit among many responses.
 */
export class AuditWriter {
  readonly #pool: Database['pool']
  readonly #options: Required<AuditWriterOptions>
  readonly #queues = new Map<string, WorkspaceQueue>()
  #waiting = 0
  #drainCallbacks: (() => void)[] = []

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
   * Resolves with the sealed record once it is durable. Rejects with UNAVAILABLE if it could not be written or the queue is full;
   * the response must then not be sent. Never await it inside a transaction: use appendInTransaction (audit-store.ts).
   */
  append(workspaceId: string, draft: AuditDraft, { settlements }: WithRecord = {}): Promise<AuditRecord> {
    return new Promise((resolve, reject) => {
      try {
        if (this.#waiting >= this.#options.maxWaiting)
          throw new Error(`${this.#waiting} audit records are queued, which is the limit`)
        const workspaceQueue = this.#queueOf(workspaceId)
        workspaceQueue.waiting.push({
          prepared: prepareRecord(workspaceId, draft, settlements),
          since: elapsed(),
          resolve,
          reject,
        })
        this.#waiting += 1
        this.#start(workspaceQueue)
      } catch (cause) {
        reject(toUnavailable(cause))
      }
    })
  }

  /** Number of records that are not durable yet. */
  get waiting(): number {
    return this.#waiting
  }

  /** Age of the oldest of these records; 0: none. */
  get lagSeconds(): number {
    const oldest = [...this.#queues.values()].flatMap(({ group, waiting }) => group[0] ?? waiting[0] ?? [])
    return Math.max(0, ...oldest.map(({ since }) => elapsed() - since)) / 1_000
  }

  /** Resolves when no record is queued. Stop accepting requests first. */
  async drain(): Promise<void> {
    if (this.#waiting > 0) await new Promise<void>((resolve) => this.#drainCallbacks.push(resolve))
  }

  #queueOf(workspaceId: string): WorkspaceQueue {
    const known = this.#queues.get(workspaceId)
    if (known) return known
    const appender = new ChainAppender(this.#pool, workspaceId, this.#options)
    const workspaceQueue: WorkspaceQueue = { appender, waiting: [], group: [], busy: false }
    this.#queues.set(workspaceId, workspaceQueue)
    return workspaceQueue
  }

  /** Starts after the current event-loop turn, so that records of the same turn join the group. */
  #start(workspaceQueue: WorkspaceQueue): void {
    if (workspaceQueue.busy) return
    workspaceQueue.busy = true
    setImmediate(() => void this.#run(workspaceQueue))
  }

  async #run(workspaceQueue: WorkspaceQueue): Promise<void> {
    while (workspaceQueue.waiting.length > 0) {
      workspaceQueue.group = workspaceQueue.waiting.slice(0, this.#options.maxGroup)
      workspaceQueue.waiting = workspaceQueue.waiting.slice(this.#options.maxGroup)
      await this.#commit(workspaceQueue, workspaceQueue.group)
      this.#waiting -= workspaceQueue.group.length
      workspaceQueue.group = []
    }
    workspaceQueue.busy = false
    if (this.#waiting === 0) for (const resolve of this.#drainCallbacks.splice(0)) resolve()
  }

  /** Never rejects: settles every record of the group. */
  async #commit(workspaceQueue: WorkspaceQueue, group: readonly PendingRecord[]): Promise<void> {
    let sealed: readonly SealedRecord[]
    try {
      const prepared = group.map(({ prepared }) => prepared)
      sealed = await workspaceQueue.appender.commit(prepared, (group[0]?.since ?? 0) + this.#options.giveUpAfterMs)
    } catch (cause) {
      // A record that the database rejects must not fail the other records of its group.
      if (group.length > 1 && isRejectedByDatabase(cause)) for (const one of group) await this.#commit(workspaceQueue, [one])
      else for (const { reject } of group) reject(toUnavailable(cause))
      return
    }
    for (const [index, { resolve }] of group.entries()) resolve(toAuditRecord(sealed[index] as SealedRecord))
  }
}

const toUnavailable = (cause: unknown): GatehouseError => new GatehouseError('UNAVAILABLE', {}, cause)
