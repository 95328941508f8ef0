import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { uuidOf, uuidOfWorkspace } from '../db/values.ts'
import type { SettledEntry, Settlement, Spending } from '../domain/spending.ts'
import { GatehouseError } from '../errors.ts'
import { withDeadline } from '../lib/deadline.ts'
import { newUuid } from '../lib/id.ts'
import type { BudgetUnit } from './budget.ts'
import type { MatchedBudget } from './match-budgets.ts'

/** An amount that is set aside until the request is recorded. */
export interface Reservation {
  readonly ok: true
  /** UUID. */
  readonly id: string
  /** The amount that was asked for. */
  readonly spending: Spending
  readonly entries: readonly ReservedEntry[]
}

interface ReservedEntry extends Omit<SettledEntry, 'spent'> {
  readonly unit: BudgetUnit
}

/** The first budget that does not admit a request. Amounts are in its unit. */
export interface BudgetRefusal {
  readonly ok: false
  readonly name: string
  readonly unit: BudgetUnit
  readonly limit: number
  readonly spent: number
  readonly reserved: number
  readonly asked: number
  /** Until the window ends; at least 1. */
  readonly seconds: number
}

interface LedgerDeps {
  readonly db: Db
  /** Time limit in milliseconds for the database. */
  readonly loadMs: number
  /** Time of the windows, for tests. Default: the clock of the database, which all nodes share. */
  readonly now?: () => Date
}

/** A reservation ends by itself after this time, unless its node renews it. */
const LEASE_SECONDS = 90

/** Reserves at budgets with one call of the database. Settlement belongs to the audit record (domain/spending.ts). */
export class BudgetLedger {
  readonly #deps: LedgerDeps
  /** UUIDs of the reservations of running requests. */
  readonly #open = new Set<string>()

  constructor(deps: LedgerDeps) {
    this.#deps = deps
  }

  /** Reserves at all budgets or at none. Throws UNAVAILABLE if the database does not answer: the request is then refused. */
  async reserve(
    workspaceId: string,
    matched: readonly MatchedBudget[],
    spending: Spending,
  ): Promise<Reservation | BudgetRefusal> {
    const id = newUuid()
    const demands = matched.map(({ budget, subject }) => ({ budget: uuidOf('bud', budget.id), subject, ...spending }))
    const result = await this.#call(sql<{ result: ReserveResult }>`select budget_reserve(
      ${uuidOfWorkspace(workspaceId)}, ${id}, ${JSON.stringify(demands)}::jsonb, ${LEASE_SECONDS}, ${this.#now()}) as result`)
    if (!result.ok) return result
    this.#open.add(id)
    return { ok: true, id, spending, entries: result.entries }
  }

  /** Call it when the record is written, or cannot be. A reservation that is not settled expires. */
  close({ id }: Reservation): void {
    this.#open.delete(id)
  }

  /** Extends the reservations of running requests. Call it more often than they expire. */
  async renew(): Promise<void> {
    if (this.#open.size === 0) return
    const until = sql`coalesce(${this.#now()}::timestamptz, clock_timestamp()) + ${LEASE_SECONDS} * interval '1 second'`
    await sql`update budget_reservation set expires_at = ${until} where id = any(${[...this.#open]}::uuid[])`.execute(
      this.#deps.db,
    )
  }

  async #call(query: ReturnType<typeof sql<{ result: ReserveResult }>>): Promise<ReserveResult> {
    const { db, loadMs } = this.#deps
    try {
      const { rows } = await withDeadline(loadMs, query.execute(db), 'the budgets were not checked')
      if (!rows[0]) throw new Error('budget_reserve returned no row')
      return rows[0].result
    } catch (cause) {
      throw new GatehouseError('UNAVAILABLE', { message: 'The budgets cannot be checked now. Try again.' }, cause)
    }
  }

  #now(): Date | null {
    return this.#deps.now?.() ?? null
  }
}

type ReserveResult = BudgetRefusal | { readonly ok: true; readonly entries: readonly ReservedEntry[] }

/** The settlement of a reservation whose request has used `spent`. */
export const settlementOf = ({ id, entries }: Reservation, spent: Spending): Settlement => ({
  id,
  entries: entries.map(({ unit, ...entry }) => ({ ...entry, spent: spent[unit] })),
})

/** Releases reservations of nodes that died, up to `most`. Returns how many. */
export async function expireReservations(db: Db, most: number, now: Date | null = null): Promise<number> {
  const { rows } = await sql<{ count: number }>`select budget_expire(${now}, ${most}) as count`.execute(db)
  return rows[0]?.count ?? 0
}
