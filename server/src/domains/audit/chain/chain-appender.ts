import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { uuidOf } from '../../../platform/db/values.ts'
import { elapsed } from '../../../platform/lib/clock.ts'
import { readResumption } from '../checkpoints/log-seal.ts'
import { appendStatement, type GroupResult, groupStatement } from './append-statement.ts'
import {
  type ChainEnd,
  hashAt,
  hashContent,
  type PlacedRecord,
  type PreparedRecord,
  type RecordSealer,
  sealRecords,
} from './chain.ts'

const FIND_END = `select sequence, hash, pg_is_in_recovery() as "isStandby",
  (select hash from audit_record where workspace_id = $1 and sequence = $2) as "knownHash",
  (select audit_seal from workspace where id = $1) as "auditSeal"
  from audit_head where workspace_id = $1`
interface EndRow extends ChainEnd {
  readonly isStandby: boolean
  /** Hash of the record at the known end; null: retention may have removed it. */
  readonly knownHash: Buffer | null
  readonly auditSeal: string | null
}
const FIND_RECORDS = 'select id, sequence, prev_hash, hash from audit_record where workspace_id = $1 and id = any($2::uuid[])'
const REMOVE_PENDING = 'delete from audit_pending where id = any($1::uuid[])'

const UNIQUE_VIOLATION = '23505'
const HASH_BYTES = 32

/** A node reads the chain's end again if its last group is older: an old anchor covers little of what other nodes have appended. */
const ANCHOR_MAX_AGE_MS = 60_000
const FIRST_RETRY_MS = 25
const LAST_RETRY_MS = 400

export interface AppenderOptions {
  /** Timeout of one statement; a slower connection is closed. */
  readonly statementTimeoutMs: number
  /** Called if the chain in the database was cut off, or rewritten up to record `sequence`. */
  readonly onAlarm: (workspaceId: string, sequence: number) => void
  readonly findSealer: (workspaceId: string) => Promise<RecordSealer>
  /** Whether the database gives the records their positions, or this process. */
  readonly usesGroups: boolean
}

/** The last record that the process has read or appended, when, and `resumed` of the log's seal then. */
interface KnownEnd {
  readonly end: ChainEnd
  readonly resumed: number
  readonly at: number
}

class NoChainError extends Error {}

class DuplicateRecordError extends Error {}

/** A duplicate id or an invalid value (SQLSTATE class 22 or 23). */
export const isRejected = (cause: unknown): boolean =>
  cause instanceof DuplicateRecordError || (cause instanceof pg.DatabaseError && /^2[23]/.test(cause.code ?? ''))

/**
 * Appends groups of records to one Workspace's chain, one group at a time and in one statement. On PostgreSQL this is the database function
 * `audit_append`, which locks the chain's end, gives the records their positions and commits. The embedded database, which only one process uses,
 * gets the records with their positions, and writes nothing if the chain ends elsewhere: that takes less CPU (docs/decisions/0007-audit.md). After
 * such a conflict it uses the function too, because transactions that move the end all the time would let no other attempt succeed.
 */
export class ChainAppender {
  readonly #pool: pg.Pool
  readonly #workspaceId: string
  readonly #workspace: string
  readonly #options: AppenderOptions
  #known: KnownEnd | undefined
  #sealer: RecordSealer | undefined

  constructor(pool: pg.Pool, workspaceId: string, options: AppenderOptions) {
    this.#pool = pool
    this.#workspaceId = workspaceId
    this.#workspace = uuidOf('ws', workspaceId)
    this.#options = options
  }

  /** Throws when records are rejected, or the database cannot be reached until `deadline`. Unique ids prevent that records are stored twice. */
  async commit(records: readonly PreparedRecord[], deadline: number): Promise<PlacedRecord[]> {
    // Cached permanently: a retry must not depend on reading the keys again.
    this.#sealer ??= await this.#options.findSealer(this.#workspaceId)
    const placed = new Map<string, PlacedRecord>()
    let mayBeStored = false
    let { usesGroups } = this.#options
    for (let pause = FIRST_RETRY_MS; placed.size < records.length; ) {
      const left = records.filter(({ uuid }) => !placed.has(uuid))
      try {
        const append = usesGroups ? this.#appendGroup : this.#appendAtEnd
        const appended = await append.call(this, left, mayBeStored, this.#sealer)
        for (const record of appended) placed.set(record.prepared.uuid, record)
        if (appended.length > 0) continue
        usesGroups = true
        if (elapsed() > deadline) throw new Error('other writers moved the end of the chain until the deadline')
      } catch (cause) {
        const isStored = !mayBeStored && cause instanceof pg.DatabaseError && cause.code === UNIQUE_VIOLATION
        mayBeStored = true
        if (isStored) continue
        if (cause instanceof NoChainError || isRejected(cause) || elapsed() + pause > deadline) throw cause
        await sleep(pause)
        pause = Math.min(2 * pause, LAST_RETRY_MS)
      }
    }
    return records.map(({ uuid }) => placed.get(uuid) as PlacedRecord)
  }

  /** Empty: the group must be sealed again behind another record. */
  async #appendGroup(records: readonly PreparedRecord[], mayBeStored: boolean, sealer: RecordSealer): Promise<PlacedRecord[]> {
    const known = this.#known
    const anchor = known && elapsed() - known.at < ANCHOR_MAX_AGE_MS ? known.end : await this.#readEnd(sealer)
    const seals = sealGroup(records, anchor, sealer)
    const result = await this.#query<GroupResult>(groupStatement(this.#workspace, { anchor, records, seals, mayBeStored }))
    switch (result.rows[0]?.outcome) {
      case 'appended':
        return this.#place(records, result.rows[0])
      case 'stored': {
        const found = await this.#findStored(records)
        if (found.length > 0) return found
        throw new DuplicateRecordError('the audit log of another Workspace has a record with the same id')
      }
      case 'moved':
        await this.#readEnd(sealer)
        return []
      default:
        throw new NoChainError(`Workspace ${this.#workspaceId} has no audit chain`)
    }
  }

  #place(records: readonly PreparedRecord[], { first_sequence: first, hashes, removed }: GroupResult): PlacedRecord[] {
    const hashOf = (index: number) => hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)
    const placed = records.map((prepared, index) => ({
      ...{ prepared, sequence: first + index },
      ...{ prevHash: hashOf(index), hash: hashOf(index + 1) },
    }))
    this.#remember(placed.at(-1))
    // The rows were committed, and only the append of the same records deletes them.
    if (removed !== null && removed < records.filter(({ isPending }) => isPending).length)
      this.#options.onAlarm(this.#workspaceId, first)
    return placed
  }

  /** As `#appendGroup`. A group is written as a whole or not at all. */
  async #appendAtEnd(records: readonly PreparedRecord[], mayBeStored: boolean, sealer: RecordSealer): Promise<PlacedRecord[]> {
    const stored = mayBeStored ? await this.#findStored(records) : []
    if (stored.length > 0) return stored
    const end = this.#known?.end ?? (await this.#readEnd(sealer))
    const sealed = sealRecords(records, end, sealer)
    const { rowCount } = await this.#query(appendStatement(this.#workspace, end, sealed))
    if (rowCount !== sealed.length) {
      await this.#readEnd(sealer)
      return []
    }
    this.#remember(sealed.at(-1))
    return sealed
  }

  /** After a resumption by an operator no group is appended before the end was read again, so the known resumption is the last one. */
  #remember(last: PlacedRecord | undefined): void {
    const resumed = this.#known?.resumed ?? 0
    if (last) this.#known = { end: { sequence: last.sequence, hash: Buffer.from(last.hash) }, resumed, at: elapsed() }
  }

  /** Raises the alarm if the chain no longer contains the last known record. A loss from before an operator's resumption was an alarm already. */
  async #readEnd(sealer: RecordSealer): Promise<ChainEnd> {
    const known = this.#known
    const { rows } = await this.#query<EndRow>({ text: FIND_END, values: [this.#workspace, known?.end.sequence ?? 0] })
    const [row] = rows
    if (row === undefined) throw new NoChainError(`Workspace ${this.#workspaceId} has no audit chain`)
    // A standby that was the primary, or is behind it, shows an older end.
    if (row.isStandby) throw new Error('the database is a standby: connect to the primary')
    const end = { sequence: row.sequence, hash: row.hash }
    // The seal is checked, so that a change in the database cannot hide a loss.
    const resumed = readResumption(row.auditSeal, this.#workspaceId, sealer.seals)
    this.#known = { end, resumed, at: elapsed() }
    if (known && isCutOff(known, row) && resumed <= known.resumed) this.#options.onAlarm(this.#workspaceId, known.end.sequence)
    return end
  }

  /** Those that an attempt with an unknown outcome, or another node, has stored. Removes pending rows that were inserted again. */
  async #findStored(records: readonly PreparedRecord[]): Promise<PlacedRecord[]> {
    const { rows } = await this.#query<{ id: string; sequence: number; prev_hash: Buffer; hash: Buffer }>({
      text: FIND_RECORDS,
      values: [this.#workspace, records.map(({ uuid }) => uuid)],
    })
    const stored = new Map(rows.map((row) => [row.id, row]))
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

/** Whether the chain no longer contains the known record. Other gaps are found when the next checkpoint is signed. */
function isCutOff({ end: known }: KnownEnd, { sequence, hash, knownHash }: EndRow): boolean {
  const found = sequence === known.sequence ? hash : knownHash
  return sequence < known.sequence || (found !== null && !found.equals(known.hash))
}

function sealGroup(records: readonly PreparedRecord[], anchor: ChainEnd, { seals }: RecordSealer): Buffer[] {
  const shared = { anchor, group: randomUUID().replaceAll('-', ''), size: records.length }
  return records.map((record, index) =>
    seals.grouped({ ...shared, index, offset: record.beforeIntegrity.length }, hashContent(record)),
  )
}
