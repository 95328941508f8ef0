import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { elapsed } from '../lib/clock.ts'
import type { ReadDb, Reads, ReplicaState } from './reads.ts'

interface Server {
  readonly db: ReadDb
  readonly probe: Pick<pg.Pool, 'query'>
}

interface Deps {
  readonly primary: Server
  readonly replica: Server
  readonly maxLagMs: number
  readonly onError: (error: Error) => void
}

/** How often the positions of both servers are compared. At most so much of the lag is the age of the measurement. */
const CHECK_MS = 250
const CATCH_UP_MS = 5_000
const CATCH_UP_POLL_MS = 50
const STATEMENT_TIMEOUT = '57014'

const PRIMARY_POSITION = "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as position"
/** A URL may lead to the primary while there is no replica. */
const REPLICA_POSITION = `select pg_wal_lsn_diff(
  case when pg_is_in_recovery() then pg_last_wal_replay_lsn() else pg_current_wal_lsn() end, '0/0')::bigint as position`

/** Reads from a replica as long as its data is not older than `maxLagMs`, else from the primary. */
export class ReadReplica implements Reads {
  readonly #deps: Deps
  readonly #lag: ReplicaLag
  #timer: NodeJS.Timeout | undefined
  #checking: Promise<void> = Promise.resolve()
  #isClosed = false
  #isReported = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#lag = new ReplicaLag(10 * deps.maxLagMs)
  }

  /** Compares the positions once, then every quarter of a second. Does not throw if the replica cannot be reached. */
  async open(): Promise<void> {
    await this.#check()
    this.#schedule()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#checking
  }

  get replica(): ReplicaState {
    return { lagMs: this.#lag.at(elapsed()), maxLagMs: this.#deps.maxLagMs }
  }

  async run<T>(work: (db: ReadDb) => Promise<T>): Promise<T> {
    const { primary, replica, onError } = this.#deps
    if (!this.#isFresh()) return work(primary.db)
    try {
      return await work(replica.db)
    } catch (error) {
      // The primary would need as long.
      if ((error as { code?: unknown }).code === STATEMENT_TIMEOUT) throw error
      // A row may be too new, a conflict with the replay may have ended the statement, or the replica is gone.
      const value = await work(primary.db)
      onError(new Error('a read from the replica failed and was repeated on the primary', { cause: error }))
      return value
    }
  }

  async caughtUp(): Promise<ReadDb> {
    const { primary, replica } = this.#deps
    if (!this.#isFresh()) return primary.db
    try {
      const committed = await positionOf(primary.probe, PRIMARY_POSITION)
      for (const until = elapsed() + CATCH_UP_MS; elapsed() < until; await sleep(CATCH_UP_POLL_MS))
        if ((await positionOf(replica.probe, REPLICA_POSITION)) >= committed) return replica.db
    } catch {
      this.#lag.forget()
    }
    return primary.db
  }

  #isFresh(): boolean {
    return this.replica.lagMs <= this.#deps.maxLagMs
  }

  #schedule(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#checking = this.#check()
      void this.#checking.then(() => this.#schedule())
    }, CHECK_MS).unref()
  }

  async #check(): Promise<void> {
    const { primary, replica, onError } = this.#deps
    const askedAt = elapsed()
    try {
      const [sampled, replayed] = await Promise.allSettled([
        positionOf(primary.probe, PRIMARY_POSITION),
        positionOf(replica.probe, REPLICA_POSITION),
      ])
      // Without the primary the data keeps the age that it had, and becomes too old by itself.
      if (sampled.status === 'fulfilled') this.#lag.sample(askedAt, sampled.value)
      if (replayed.status === 'rejected') throw replayed.reason
      this.#lag.replayed(replayed.value)
      this.#isReported = false
    } catch (error) {
      this.#lag.forget()
      if (!this.#isReported) onError(new Error('the read replica does not respond: reading from the primary', { cause: error }))
      this.#isReported = true
    }
  }
}

async function positionOf(connection: Pick<pg.Pool, 'query'>, statement: string): Promise<number> {
  const { rows } = await connection.query<{ position: number | null }>(statement)
  const position = rows[0]?.position
  if (typeof position !== 'number') throw new Error('the database did not tell its position in the write-ahead log')
  return position
}

/**
 * Age of a replica's data. The replica's own clock cannot tell it: without writes the last replayed transaction grows old, and a replica
 * without a connection believes that it is complete. So its position is compared with those that the primary had.
 */
export class ReplicaLag {
  readonly #keepMs: number
  /** Positions in the write-ahead log of the primary (bytes), and when the primary had reached them (of `elapsed`). */
  #samples: { readonly at: number; readonly position: number }[] = []
  /** When the primary was where the replica is now. */
  #dataFrom = Number.NEGATIVE_INFINITY

  /** @param keepMs an older replica has an unknown age. */
  constructor(keepMs: number) {
    this.#keepMs = keepMs
  }

  /** Call it with the primary's position, and the time before it was asked. */
  sample(at: number, position: number): void {
    this.#samples = [...this.#samples.filter((sample) => at - sample.at <= this.#keepMs), { at, position }]
  }

  /** Call it with the position up to which the replica has replayed. */
  replayed(position: number): void {
    this.#dataFrom = this.#samples.findLast((sample) => sample.position <= position)?.at ?? Number.NEGATIVE_INFINITY
  }

  /** The replica does not respond, or has failed. */
  forget(): void {
    this.#dataFrom = Number.NEGATIVE_INFINITY
  }

  /** Milliseconds; Infinity: unknown. */
  at(now: number): number {
    return now - this.#dataFrom
  }
}
