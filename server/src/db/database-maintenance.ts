import type pg from 'pg'

/** Below it a checkpoint is not worth its time. */
const WORTHWHILE_WAL_BYTES = 32 * 1_048_576

/**
 * What a PostgreSQL server does by itself and the embedded one, a single process, does not: without checkpoints its write-ahead
 * log would grow until the next clean stop.
 */
export class DatabaseMaintenance {
  readonly #pool: pg.Pool
  #position = '0/0'

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async checkpoint(): Promise<void> {
    const written = 'select pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::float8 as bytes, pg_current_wal_lsn()::text as position'
    const { rows } = await this.#pool.query<{ bytes: number; position: string }>(written, [this.#position])
    const [now] = rows
    if (!now || now.bytes < WORTHWHILE_WAL_BYTES) return
    await this.#pool.query('checkpoint')
    this.#position = now.position
  }

  /** Gives back the room of rows that are gone, and tells the planner what the tables hold. */
  async vacuum(): Promise<void> {
    await this.#pool.query('vacuum (analyze)')
  }
}
