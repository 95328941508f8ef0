import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { BudgetScope } from './budget.ts'

/** Share of the limit from which a budget counts as near it: the first fraction at which an alert is sent by default. */
const NEAR = 0.8

/** Counts of enabled budgets in their current windows. A budget with a count for each member is counted for each. */
interface Reading {
  readonly scope: BudgetScope
  /** At least 80 % of the limit is spent, but not all. */
  readonly near: number
  readonly usedUp: number
}

/** Counts the budgets that are nearly or completely used up, for metrics, because a scrape must not wait for the database. */
export class BudgetMeter {
  readonly #db: Db
  readonly #clock: Clock
  /** As of the last measurement; empty before the first one, and without budgets. */
  readings: readonly Reading[] = []

  constructor({ db, clock }: { readonly db: Db; readonly clock: Clock }) {
    this.#db = db
    this.#clock = clock
  }

  async run(): Promise<void> {
    const { rows } = await sql<Reading>`
      select scope, count(*) filter (where spent >= ${NEAR}::float8 * amount and spent < amount)::int as near,
        count(*) filter (where spent >= amount)::int as "usedUp"
      from budget left join budget_window on budget_id = id and ends_at > ${this.#clock.now()}
      where enabled group by scope`.execute(this.#db)
    this.readings = rows
  }
}
