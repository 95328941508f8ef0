import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { uuidOf } from '../../../platform/db/values.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { appendStatement, type SqlStatement } from './append-statement.ts'
import { type Appender, type AppenderOptions, FIRST_RETRY_MS, isPermanent, NoChainError, nextRetryMs } from './appender.ts'
import { type PreparedRecord, type RecordSealer, type SealedRecord, sealRecord, sealRecords } from './chain.ts'
import { END_COLUMNS, type EndRow, isCutOff, type KnownEnd, toKnownEnd } from './known-end.ts'

const LOCK_END = 'select 1 from audit_head where workspace_id = $1 for update'
/** A statement of its own: one that waits for the lock has read the other tables before it waited. */
const FIND_END = `select ${END_COLUMNS} from audit_head where workspace_id = $1`
const FIND_RECORDS = 'select id, sequence, prev_hash, hash from audit_record where workspace_id = $1 and id = any($2::uuid[])'

/** Maximum number of consecutive groups that take the lock before the known end is used again. */
const MAX_LOCK_RUN = 32

/**
 * Appends groups whose positions this process works out itself: for the embedded database, which only one process uses, where it takes
 * less than the database function (docs/decisions/0007-audit.md).
 *
 * Without concurrent writers a group costs one statement, which writes nothing if the chain does not end where this node left it.
 * In that case the group locks the chain's end, reads it and appends there; after repeated conflicts the next groups take the
 * lock at once.
 */
export class ChainAppender implements Appender {
  readonly #pool: pg.Pool
  readonly #workspaceId: string
  readonly #workspace: string
  readonly #options: AppenderOptions
  /** Last known end of the chain, set when a group is committed; undefined before the first group. */
  #known: KnownEnd | undefined
  /** Number of following groups that take the lock without trying the known end first. */
  #groupsUnderLock = 0
  #nextLockRun = 1
  #sealer: RecordSealer | undefined

  constructor(pool: pg.Pool, workspaceId: string, options: AppenderOptions) {
    this.#pool = pool
    this.#workspaceId = workspaceId
    this.#workspace = uuidOf('ws', workspaceId)
    this.#options = options
  }

  /**
   * When a connection breaks, the outcome of its statement is unknown. The next attempt locks the chain's end and looks for the
   * records: found records count as written, and a pending statement can no longer succeed once the end has moved. If this also
   * fails until the deadline, the log may contain a record of a failed request, but never lacks the record of a sent response.
   */
  async commit(records: readonly PreparedRecord[], deadline: number): Promise<readonly SealedRecord[]> {
    let mayBeStored = false
    // Cached permanently: a retry must not depend on reading the keys again.
    this.#sealer ??= await this.#options.findSealer(this.#workspaceId)
    const sealer = this.#sealer
    if (this.#known !== undefined && this.#groupsUnderLock === 0) {
      try {
        const sealed = await this.#appendAtKnownEnd(this.#known, records, sealer)
        if (sealed) return sealed
      } catch (cause) {
        if (isPermanent(cause)) throw cause
        mayBeStored = true
      }
    }
    for (let pause = FIRST_RETRY_MS; ; pause = nextRetryMs(pause)) {
      try {
        return await this.#appendUnderLock(records, sealer, mayBeStored)
      } catch (cause) {
        if (isPermanent(cause) || elapsed() + pause > deadline) throw cause
        mayBeStored = true
        await sleep(pause)
      }
    }
  }

  /** Returns undefined if the chain ends elsewhere. */
  async #appendAtKnownEnd(
    { end, resumed }: KnownEnd,
    records: readonly PreparedRecord[],
    sealer: RecordSealer,
  ): Promise<SealedRecord[] | undefined> {
    const sealed = sealRecords(records, end, sealer)
    const { rowCount } = await this.#pool.query(this.#withTimeout(appendStatement(this.#workspace, end, sealed)))
    if (rowCount === sealed.length) {
      this.#known = { end: sealed.at(-1) ?? end, resumed }
      this.#nextLockRun = 1
      return sealed
    }
    this.#groupsUnderLock = this.#nextLockRun
    this.#nextLockRun = Math.min(2 * this.#nextLockRun, MAX_LOCK_RUN)
    return undefined
  }

  async #appendUnderLock(
    records: readonly PreparedRecord[],
    sealer: RecordSealer,
    mayBeStored: boolean,
  ): Promise<readonly SealedRecord[]> {
    const client = await this.#pool.connect()
    try {
      await client.query(this.#withTimeout({ text: 'begin' }))
      const { end, resumed } = await this.#lockChainEnd(client, sealer)
      const stored = mayBeStored ? await this.#findStoredGroup(client, records, sealer) : undefined
      const sealed = stored ?? sealRecords(records, end, sealer)
      if (!stored) {
        const { rowCount } = await client.query(this.#withTimeout(appendStatement(this.#workspace, end, sealed)))
        if (rowCount !== sealed.length) throw new Error('the end of the audit chain changed while it was locked')
      }
      await client.query(this.#withTimeout({ text: 'commit' }))
      this.#known = { end: stored ? end : (sealed.at(-1) ?? end), resumed }
      this.#groupsUnderLock = Math.max(0, this.#groupsUnderLock - 1)
      client.release()
      return sealed
    } catch (cause) {
      // The connection is discarded: its transaction may be open and a result may be pending.
      client.release(true)
      throw cause
    }
  }

  /** Raises the alarm if the chain no longer contains the last known record, unless an operator has resumed signing since. */
  async #lockChainEnd(client: pg.PoolClient, sealer: RecordSealer): Promise<KnownEnd> {
    const known = this.#known
    await client.query(this.#withTimeout({ text: LOCK_END, values: [this.#workspace] }))
    const { rows } = await client.query<EndRow>(
      this.#withTimeout({ text: FIND_END, values: [this.#workspace, known?.end.sequence ?? 0] }),
    )
    const [row] = rows
    if (row === undefined) throw new NoChainError(`Workspace ${this.#workspaceId} has no audit chain`)
    const found = toKnownEnd(this.#workspaceId, row, sealer)
    if (known && isCutOff(known, row) && found.resumed <= known.resumed)
      this.#options.onAlarm(this.#workspaceId, known.end.sequence)
    return found
  }

  /** Returns the group if an attempt with an unknown outcome has stored all of it. */
  async #findStoredGroup(
    client: pg.PoolClient,
    records: readonly PreparedRecord[],
    sealer: RecordSealer,
  ): Promise<SealedRecord[] | undefined> {
    const { rows } = await client.query<{ id: string; sequence: number; prev_hash: Buffer; hash: Buffer }>(
      this.#withTimeout({ text: FIND_RECORDS, values: [this.#workspace, records.map(({ uuid }) => uuid)] }),
    )
    const found = new Map(rows.map((row) => [row.id, row]))
    const stored = records.flatMap((record) => {
      const row = found.get(record.uuid)
      const sealed = row && sealRecord(record, { sequence: row.sequence - 1, hash: row.prev_hash }, sealer)
      return sealed?.hash.equals(row?.hash ?? sealed.hash) ? [sealed] : []
    })
    return stored.length === records.length ? stored : undefined
  }

  #withTimeout(statement: Pick<SqlStatement, 'text'> & Partial<SqlStatement>): pg.QueryConfig & { query_timeout: number } {
    return { ...statement, query_timeout: this.#options.statementTimeoutMs }
  }
}
