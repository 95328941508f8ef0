import { GatehouseError } from '../../../errors.ts'
import type { Database } from '../../../platform/db/database.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import type { AuditDraft, AuditRecord } from '../record/record.ts'
import { type PlacedRecord, type PreparedRecord, prepareRecord, type RecordOptions, toAuditRecord } from './chain.ts'
import { type AppenderOptions, ChainAppender, isRejected } from './chain-appender.ts'
import { GroupSize } from './group-size.ts'

export interface AuditWriterOptions extends Partial<Omit<AppenderOptions, 'findSealer'>>, Pick<AppenderOptions, 'findSealer'> {
  readonly maxGroup?: number
  /** Over all Workspaces; further records are rejected at once. */
  readonly maxWaiting?: number
  readonly giveUpAfterMs?: number
  readonly onCommit?: (records: readonly PlacedRecord[]) => void
}

interface QueuedRecord {
  readonly prepared: PreparedRecord
  readonly since: number
  readonly resolve: (record: AuditRecord) => void
  readonly reject: (error: GatehouseError) => void
}

/** The commits of a Workspace run one after another, in parallel with those of others. */
interface WorkspaceQueue {
  readonly appender: ChainAppender
  readonly size: GroupSize
  waiting: QueuedRecord[]
  group: QueuedRecord[]
  busy: boolean
}

/** For records that belong to no transaction. All that are queued during a commit go into the next one, so none waits for a timer (group-size.ts). */
export class AuditWriter {
  readonly #pool: Database['pool']
  readonly #options: Required<AuditWriterOptions>
  readonly #queues = new Map<string, WorkspaceQueue>()
  #waiting = 0
  #drainCallbacks: (() => void)[] = []

  constructor({ pool, kind }: Pick<Database, 'pool' | 'kind'>, options: AuditWriterOptions) {
    this.#pool = pool
    this.#options = {
      maxGroup: 256,
      maxWaiting: 10_000,
      statementTimeoutMs: 5_000,
      giveUpAfterMs: 10_000,
      onAlarm: () => {},
      onCommit: () => {},
      usesGroups: kind === 'postgresql',
      ...options,
    }
  }

  /** Whether the records of transactions are left pending, to be chained after the commit (audited-transaction.ts). */
  get leavesPending(): boolean {
    return this.#options.usesGroups
  }

  /** Rejects with UNAVAILABLE: the response must then not be sent. Never await it inside a transaction: use appendInTransaction. */
  async append(workspaceId: string, draft: AuditDraft, options?: RecordOptions): Promise<AuditRecord> {
    try {
      return await this.#enqueue(prepareRecord(workspaceId, draft, options))
    } catch (cause) {
      throw toUnavailable(cause)
    }
  }

  /** For records that committed transactions have left pending. Rejects with UNAVAILABLE. */
  async chain(records: readonly PreparedRecord[]): Promise<void> {
    await Promise.all(records.map((record) => this.#enqueue(record)))
  }

  async #enqueue(prepared: PreparedRecord): Promise<AuditRecord> {
    if (this.#waiting >= this.#options.maxWaiting)
      throw toUnavailable(new Error(`${this.#waiting} audit records are queued, which is the limit`))
    const workspaceQueue = this.#queueOf(prepared.draft.workspace_id)
    return new Promise((resolve, reject) => {
      workspaceQueue.waiting.push({ prepared, since: elapsed(), resolve, reject })
      this.#waiting += 1
      this.#start(workspaceQueue)
    })
  }

  get waiting(): number {
    return this.#waiting
  }

  get lagSeconds(): number {
    const oldest = [...this.#queues.values()].flatMap(({ group, waiting }) => group[0] ?? waiting[0] ?? [])
    return Math.max(0, ...oldest.map(({ since }) => elapsed() - since)) / 1_000
  }

  /** Stop accepting requests first. */
  async drain(): Promise<void> {
    if (this.#waiting > 0) await new Promise<void>((resolve) => this.#drainCallbacks.push(resolve))
  }

  #queueOf(workspaceId: string): WorkspaceQueue {
    const known = this.#queues.get(workspaceId)
    if (known) return known
    const appender = new ChainAppender(this.#pool, workspaceId, this.#options)
    const workspaceQueue: WorkspaceQueue = { appender, size: new GroupSize(), waiting: [], group: [], busy: false }
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
    const { size } = workspaceQueue
    for (let [first] = workspaceQueue.waiting; first; [first] = workspaceQueue.waiting) {
      await size.wait(() => workspaceQueue.waiting.length, first.since)
      workspaceQueue.group = workspaceQueue.waiting.slice(0, this.#options.maxGroup)
      workspaceQueue.waiting = workspaceQueue.waiting.slice(this.#options.maxGroup)
      await this.#commit(workspaceQueue, workspaceQueue.group)
      this.#waiting -= workspaceQueue.group.length
      size.adapt(workspaceQueue.waiting.length)
      workspaceQueue.group = []
    }
    workspaceQueue.busy = false
    if (this.#waiting === 0) for (const resolve of this.#drainCallbacks.splice(0)) resolve()
  }

  /** Never rejects: settles every record of the group. */
  async #commit(workspaceQueue: WorkspaceQueue, group: readonly QueuedRecord[]): Promise<void> {
    let placed: readonly PlacedRecord[]
    try {
      const prepared = withoutRepeats(group.map(({ prepared }) => prepared))
      placed = await workspaceQueue.appender.commit(prepared, (group[0]?.since ?? 0) + this.#options.giveUpAfterMs)
    } catch (cause) {
      // A record that the database rejects must not fail the other records of its group.
      if (group.length > 1 && isRejected(cause)) for (const one of group) await this.#commit(workspaceQueue, [one])
      else for (const { reject } of group) reject(toUnavailable(cause))
      return
    }
    this.#options.onCommit(placed)
    const byId = new Map(placed.map((record) => [record.prepared.uuid, record]))
    for (const { prepared, resolve } of group) resolve(toAuditRecord(byId.get(prepared.uuid) as PlacedRecord))
  }
}

/** Readers of the log queue a pending record again while it waits. A record with the same id and another text is left to the database. */
function withoutRepeats(records: readonly PreparedRecord[]): PreparedRecord[] {
  const known = new Map<string, PreparedRecord>()
  return records.filter((record) => {
    const first = known.get(record.uuid)
    known.set(record.uuid, first ?? record)
    return first?.beforeIntegrity !== record.beforeIntegrity || first.afterIntegrity !== record.afterIntegrity
  })
}

const toUnavailable = (cause: unknown): GatehouseError =>
  cause instanceof GatehouseError ? cause : new GatehouseError('UNAVAILABLE', {}, cause)
