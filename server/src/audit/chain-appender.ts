import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { elapsed } from '../lib/clock.ts'
import { appendStatement, type Statement } from './append.ts'
import { type ChainEnd, type PreparedRecord, type RecordSealer, type SealedRecord, seal, sealAll, uuidOf } from './chain.ts'

export interface AppenderOptions {
  /** Of one statement; a connection that takes longer is given up. */
  readonly statementTimeoutMs: number
  /** Told when the chain in the database is not the one that was written: cut, or rewritten before record `sequence`. */
  readonly onAlarm: (workspaceId: string, sequence: number) => void
  /** What makes the seals of a Workspace's records. */
  readonly sealerOf: (workspaceId: string) => Promise<RecordSealer>
}

/** The database will not have these records, however often it is asked: an id for the second time, bytes it cannot hold. */
export const isRefusal = (cause: unknown): boolean => cause instanceof pg.DatabaseError && /^2[23]/.test(cause.code ?? '')

class NoChain extends Error {}

const isFinal = (cause: unknown): boolean => cause instanceof NoChain || isRefusal(cause)

/** With the hash of the record that stands where this node has left the end. */
const LOCK_END_AND_FIND = `select sequence, hash,
  (select hash from audit_record where workspace_id = $1 and sequence = $2) as there
  from audit_head where workspace_id = $1 for update`
const FIND = 'select id, sequence, prev_hash, hash from audit_record where workspace_id = $1 and id = any($2::uuid[])'

/** Longest row of groups that go through the lock before the memory of the chain's end is trusted again. */
const MAX_PATIENCE = 32
const FIRST_RETRY_MS = 25
const LAST_RETRY_MS = 400

/**
 * Appends groups of records to one Workspace's chain, one group at a time; other nodes and `appendInTransaction` append to
 * the same chain meanwhile.
 *
 * While nobody else does, a group costs one statement: it says where the chain ended when this node left it, and writes
 * nothing if it ends elsewhere by now. Then the group takes the lock on the chain's end, reads it and writes behind it;
 * where that happens again and again, the lock is taken at once.
 */
export class ChainAppender {
  readonly #pool: pg.Pool
  readonly #workspaceId: string
  readonly #workspace: string
  readonly #options: AppenderOptions
  /** The last end known; undefined before the first group. */
  #end: ChainEnd | undefined
  /** Groups that take the lock at once before the next one trusts `#end`. */
  #lockNext = 0
  #patience = 1
  #sealer: RecordSealer | undefined

  constructor(pool: pg.Pool, workspaceId: string, options: AppenderOptions) {
    this.#pool = pool
    this.#workspaceId = workspaceId
    this.#workspace = uuidOf('ws', workspaceId)
    this.#options = options
  }

  /**
   * Resolves when all of them are durable, together. Throws when the database refuses them (isRefusal), or when it cannot be
   * reached until `deadline` (of `elapsed`; one attempt is always made).
   *
   * @NOTE When a connection breaks, nobody can say whether its statement took effect, or still will. So the next attempt
   * takes the lock on the chain's end and looks: what has landed counts; what has not can no longer land once the end has
   * moved on. Only when even that fails until the deadline may a record stand in the log whose caller was told of a
   * failure: an answer without a record cannot be, a record without an answer can.
   */
  async commit(records: readonly PreparedRecord[], deadline: number): Promise<readonly SealedRecord[]> {
    let mayHaveLanded = false
    // Kept for good: a database that is gone for a while must not keep records from being tried again.
    this.#sealer ??= await this.#options.sealerOf(this.#workspaceId)
    const sealer = this.#sealer
    if (this.#end !== undefined && this.#lockNext === 0) {
      try {
        const sealed = await this.#commitBehind(this.#end, records, sealer)
        if (sealed) return sealed
      } catch (cause) {
        if (isFinal(cause)) throw cause
        mayHaveLanded = true
      }
    }
    for (let pause = FIRST_RETRY_MS; ; pause = Math.min(2 * pause, LAST_RETRY_MS)) {
      try {
        return await this.#commitLocked(records, sealer, mayHaveLanded)
      } catch (cause) {
        if (isFinal(cause) || elapsed() + pause > deadline) throw cause
        mayHaveLanded = true
        await sleep(pause)
      }
    }
  }

  /** Undefined when the chain does not end there (any more). */
  async #commitBehind(
    end: ChainEnd,
    records: readonly PreparedRecord[],
    sealer: RecordSealer,
  ): Promise<SealedRecord[] | undefined> {
    const sealed = sealAll(records, end, sealer)
    const { rowCount } = await this.#pool.query(this.#timed(appendStatement(this.#workspace, end, sealed)))
    if (rowCount === sealed.length) {
      this.#end = sealed.at(-1)
      this.#patience = 1
      return sealed
    }
    this.#lockNext = this.#patience
    this.#patience = Math.min(2 * this.#patience, MAX_PATIENCE)
    return undefined
  }

  async #commitLocked(
    records: readonly PreparedRecord[],
    sealer: RecordSealer,
    mayHaveLanded: boolean,
  ): Promise<readonly SealedRecord[]> {
    const client = await this.#pool.connect()
    try {
      await client.query(this.#timed({ text: 'begin' }))
      const end = await this.#lockEnd(client)
      const landed = mayHaveLanded ? await this.#landed(client, records, sealer) : undefined
      const sealed = landed ?? sealAll(records, end, sealer)
      if (!landed) {
        const { rowCount } = await client.query(this.#timed(appendStatement(this.#workspace, end, sealed)))
        if (rowCount !== sealed.length) throw new Error('the end of the audit chain moved under its lock')
      }
      await client.query(this.#timed({ text: 'commit' }))
      this.#end = landed ? end : sealed.at(-1)
      this.#lockNext = Math.max(0, this.#lockNext - 1)
      client.release()
      return sealed
    } catch (cause) {
      // Not to be used again: its transaction may be open, its last answer on the way.
      client.release(true)
      throw cause
    }
  }

  async #lockEnd(client: pg.PoolClient): Promise<ChainEnd> {
    const known = this.#end
    const { rows } = await client.query<ChainEnd & { there: Buffer | null }>(
      this.#timed({ text: LOCK_END_AND_FIND, values: [this.#workspace, known?.sequence ?? 0] }),
    )
    const [row] = rows
    if (row === undefined) throw new NoChain(`Workspace ${this.#workspaceId} has no audit chain`)
    const { there, ...end } = row
    // Retention may have removed it since; a record that is missing behind that is found when the next checkpoint is signed.
    const isOther = (hash: Buffer | null) => known && hash && !hash.equals(known.hash)
    if (known && (end.sequence < known.sequence || isOther(end.sequence === known.sequence ? end.hash : there))) {
      this.#options.onAlarm(this.#workspaceId, known.sequence)
    }
    return end
  }

  /** The group as it stands in the log, if an attempt whose outcome is unknown has put it there. */
  async #landed(
    client: pg.PoolClient,
    records: readonly PreparedRecord[],
    sealer: RecordSealer,
  ): Promise<SealedRecord[] | undefined> {
    const { rows } = await client.query<{ id: string; sequence: number; prev_hash: Buffer; hash: Buffer }>(
      this.#timed({ text: FIND, values: [this.#workspace, records.map(({ uuid }) => uuid)] }),
    )
    const found = new Map(rows.map((row) => [row.id, row]))
    const landed = records.flatMap((record) => {
      const row = found.get(record.uuid)
      const sealed = row && seal(record, { sequence: row.sequence - 1, hash: row.prev_hash }, sealer)
      return sealed?.hash.equals(row?.hash ?? sealed.hash) ? [sealed] : []
    })
    return landed.length === records.length ? landed : undefined
  }

  #timed(statement: Pick<Statement, 'text'> & Partial<Statement>): pg.QueryConfig & { query_timeout: number } {
    return { ...statement, query_timeout: this.#options.statementTimeoutMs }
  }
}
