import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { uuidOf } from '../../../platform/db/values.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { hashContent } from '../record/content-hash.ts'
import {
  type Appender,
  type AppenderOptions,
  DuplicateRecordError,
  FIRST_RETRY_MS,
  isPermanent,
  NoChainError,
  nextRetryMs,
} from './appender.ts'
import { type ChainEnd, hashAt, type PlacedRecord, type PreparedRecord, type RecordSealer } from './chain.ts'
import { type GroupResult, groupStatement } from './group-statement.ts'
import { END_COLUMNS, type EndRow, isCutOff, type KnownEnd, toKnownEnd } from './known-end.ts'

const FIND_END = `select ${END_COLUMNS}, pg_is_in_recovery() as "isStandby" from audit_head where workspace_id = $1`
const FIND_RECORDS = 'select id, sequence, prev_hash, hash from audit_record where workspace_id = $1 and id = any($2::uuid[])'
const REMOVE_PENDING = 'delete from audit_pending where id = any($1::uuid[])'

const UNIQUE_VIOLATION = '23505'
const HASH_BYTES = 32

/** A node reads the chain's end again if its last group is older: an old anchor covers little of what other nodes have appended. */
const ANCHOR_MAX_AGE_MS = 60_000

/**
 * Appends groups with the database function `audit_append`: one round trip, in which the database locks the chain's end, gives the
 * records their positions and commits. Nothing that happens to this node can make another one wait for the lock.
 */
export class GroupAppender implements Appender {
  readonly #pool: pg.Pool
  readonly #workspaceId: string
  readonly #workspace: string
  readonly #options: AppenderOptions
  /** Last known record of the chain, and when it was the last one; undefined before the first group. */
  #known: (KnownEnd & { readonly at: number }) | undefined
  #sealer: RecordSealer | undefined

  constructor(pool: pg.Pool, workspaceId: string, options: AppenderOptions) {
    this.#pool = pool
    this.#workspaceId = workspaceId
    this.#workspace = uuidOf('ws', workspaceId)
    this.#options = options
  }

  /**
   * When a connection breaks, the outcome of its statement is unknown. The next attempt looks for the records, and ids are unique, so
   * that a statement which arrives late cannot store them twice.
   */
  async commit(records: readonly PreparedRecord[], deadline: number): Promise<readonly PlacedRecord[]> {
    // Cached permanently: a retry must not depend on reading the keys again.
    this.#sealer ??= await this.#options.findSealer(this.#workspaceId)
    const placed = new Map<string, PlacedRecord>()
    let mayBeStored = false
    for (let pause = FIRST_RETRY_MS; placed.size < records.length; ) {
      const left = records.filter(({ uuid }) => !placed.has(uuid))
      try {
        const appended = await this.#append(left, mayBeStored, this.#sealer)
        for (const record of appended) placed.set(record.prepared.uuid, record)
        if (appended.length === 0 && elapsed() > deadline)
          throw new Error('other nodes moved the end of the chain until the deadline')
      } catch (cause) {
        const isStored = !mayBeStored && cause instanceof pg.DatabaseError && cause.code === UNIQUE_VIOLATION
        mayBeStored = true
        if (isStored) continue
        if (isPermanent(cause) || elapsed() + pause > deadline) throw cause
        await sleep(pause)
        pause = nextRetryMs(pause)
      }
    }
    return records.map(({ uuid }) => placed.get(uuid) as PlacedRecord)
  }

  /** Returns the records that are in the chain now; empty if the group must be sealed again behind another record. */
  async #append(
    records: readonly PreparedRecord[],
    mayBeStored: boolean,
    sealer: RecordSealer,
  ): Promise<readonly PlacedRecord[]> {
    const anchor = await this.#anchor(sealer)
    const seals = sealGroup(records, anchor, sealer)
    const result = await this.#query<GroupResult>(groupStatement(this.#workspace, { anchor, records, seals, mayBeStored }))
    switch (result.rows[0]?.outcome) {
      case 'appended':
        return this.#place(records, result.rows[0])
      case 'stored':
        return this.#findStored(records)
      case 'moved':
        await this.#readEnd(sealer)
        return []
      default:
        throw new NoChainError(`Workspace ${this.#workspaceId} has no audit chain`)
    }
  }

  #place(records: readonly PreparedRecord[], { first_sequence: first, hashes, removed }: GroupResult): readonly PlacedRecord[] {
    const hashOf = (index: number) => hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)
    const placed = records.map((prepared, index) => ({
      ...{ prepared, sequence: first + index },
      ...{ prevHash: hashOf(index), hash: hashOf(index + 1) },
    }))
    const last = placed.at(-1)
    // The database accepts no anchor from before an operator's last resumption, so the known one was read after it.
    const resumed = this.#known?.resumed ?? 0
    if (last) this.#known = { end: { sequence: last.sequence, hash: Buffer.from(last.hash) }, resumed, at: elapsed() }
    // The rows were committed, and only the append of the same records deletes them.
    if (removed !== null && removed < records.filter(({ isPending }) => isPending).length)
      this.#options.onAlarm(this.#workspaceId, first)
    return placed
  }

  /** The record that the next group is sealed behind. */
  async #anchor(sealer: RecordSealer): Promise<ChainEnd> {
    const known = this.#known
    return known && elapsed() - known.at < ANCHOR_MAX_AGE_MS ? known.end : this.#readEnd(sealer)
  }

  /**
   * Reads the chain's end, and raises the alarm if the chain no longer contains the last known record. A loss from before an operator's
   * resumption was an alarm already.
   */
  async #readEnd(sealer: RecordSealer): Promise<ChainEnd> {
    const known = this.#known
    const { rows } = await this.#query<EndRow & { isStandby: boolean }>({
      text: FIND_END,
      values: [this.#workspace, known?.end.sequence ?? 0],
    })
    const [row] = rows
    if (row === undefined) throw new NoChainError(`Workspace ${this.#workspaceId} has no audit chain`)
    // A standby that was the primary, or is behind it, shows an older end.
    if (row.isStandby) throw new Error('the database is a standby: connect to the primary')
    const found = toKnownEnd(this.#workspaceId, row, sealer)
    this.#known = { ...found, at: elapsed() }
    if (known && isCutOff(known, row) && found.resumed <= known.resumed)
      this.#options.onAlarm(this.#workspaceId, known.end.sequence)
    return found.end
  }

  /**
   * Finds those of the records that an attempt with an unknown outcome, or another node, has stored. A pending row of theirs
   * was inserted again, because the append deletes it, and is removed. Throws DuplicateRecordError.
   */
  async #findStored(records: readonly PreparedRecord[]): Promise<readonly PlacedRecord[]> {
    const { rows } = await this.#query<{ id: string; sequence: number; prev_hash: Buffer; hash: Buffer }>({
      text: FIND_RECORDS,
      values: [this.#workspace, records.map(({ uuid }) => uuid)],
    })
    const stored = new Map(rows.map((row) => [row.id, row]))
    if (stored.size === 0) throw new DuplicateRecordError('the audit log of another Workspace has a record with the same id')
    const found = records.flatMap((prepared) => {
      const row = stored.get(prepared.uuid)
      if (!row) return []
      const place = { sequence: row.sequence, prevHash: row.prev_hash, hash: row.hash }
      if (!hashAt(prepared, { sequence: place.sequence - 1, hash: place.prevHash }).equals(place.hash))
        throw new DuplicateRecordError(`the audit log has another record with the id ${prepared.draft.id}`)
      return [{ prepared, ...place }]
    })
    const pending = found.flatMap(({ prepared: { isPending, uuid } }) => (isPending ? [uuid] : []))
    if (pending.length > 0) await this.#query({ text: REMOVE_PENDING, values: [pending] })
    return found
  }

  #query<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    const limited: pg.QueryConfig & { query_timeout: number } = { ...statement, query_timeout: this.#options.statementTimeoutMs }
    return this.#pool.query<Row>(limited)
  }
}

/** Seals the records as a group that follows `anchor`, directly or not. */
function sealGroup(records: readonly PreparedRecord[], anchor: ChainEnd, { seals }: RecordSealer): Buffer[] {
  const shared = { anchor, group: randomUUID().replaceAll('-', ''), size: records.length }
  return records.map((record, index) =>
    seals.grouped({ ...shared, index, offset: record.beforeIntegrity.length }, hashContent(record)),
  )
}
