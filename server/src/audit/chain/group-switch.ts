import type pg from 'pg'
import { elapsed } from '../../lib/clock.ts'

const IS_STARTED = "select starts_at <= now() as started from upgrade_step where name = 'audit groups'"
const RECHECK_MS = 5_000
const QUERY_TIMEOUT_MS = 5_000

/**
 * Whether groups of audit records get their positions in the database. Nodes of the last release do not know the seals of such groups and
 * would raise an alarm, so this starts a day after the migration, or with `gatehouse upgrade finish`.
 */
export class GroupSwitch {
  readonly #pool: Pick<pg.Pool, 'query'>
  readonly #recheckMs: number
  #isOn = false
  #checkedAt = Number.NEGATIVE_INFINITY
  #check: Promise<void> | undefined

  /** `recheckMs`: how often the database is asked until it starts. */
  constructor(pool: Pick<pg.Pool, 'query'>, recheckMs: number = RECHECK_MS) {
    this.#pool = pool
    this.#recheckMs = recheckMs
  }

  /** Never turns off again. False while the database cannot be asked: the other way works too. */
  async isOn(): Promise<boolean> {
    if (this.#isOn || elapsed() - this.#checkedAt < this.#recheckMs) return this.#isOn
    this.#check ??= this.#read().finally(() => {
      this.#check = undefined
      this.#checkedAt = elapsed()
    })
    await this.#check
    return this.#isOn
  }

  async #read(): Promise<void> {
    const statement: pg.QueryConfig & { query_timeout: number } = { text: IS_STARTED, query_timeout: QUERY_TIMEOUT_MS }
    const found = await this.#pool.query<{ started: boolean }>(statement).catch(() => undefined)
    this.#isOn = found?.rows[0]?.started === true
  }
}
