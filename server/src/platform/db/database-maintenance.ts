import type pg from 'pg'

/** Size of the write-ahead log from which on a checkpoint is made. */
const CHECKPOINT_WAL_BYTES = 32 * 1_048_576

/** Maintenance of the embedded database, which has no background processes. Without checkpoints its write-ahead log would grow. */
export class DatabaseMaintenance {
  readonly #pool: pg.Pool
  #position = '0/0'

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  async checkpoint(): Promise<void> {
    const query = 'select pg_wal_lsn_diff(pg_current_wal_lsn(), $1)::float8 as bytes, pg_current_wal_lsn()::text as position'
    const { rows } = await this.#pool.query<{ bytes: number; position: string }>(query, [this.#position])
    const [now] = rows
    if (!now || now.bytes < CHECKPOINT_WAL_BYTES) return
    await this.#pool.query('checkpoint')
    this.#position = now.position
  }

  /** Frees the space of deleted rows and updates the statistics of the planner. Table by table, because requests wait for each statement. */
  async vacuum(): Promise<void> {
    const { rows } = await this.#pool.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace order by 1`,
    )
    for (const { name } of rows) await this.#pool.query(`vacuum (analyze) ${name}`)
  }
}
