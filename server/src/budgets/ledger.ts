import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { uuidOf, uuidOfWorkspace } from '../db/values.ts'
import { NOTHING_SPENT, type SettledEntry, type Settlement, type Spending } from '../domain/spending.ts'
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

/** A reservation that was made after its request was refused. */
interface LateReservation {
  readonly workspaceId: string
  readonly reservation: Reservation
}

/** A reservation ends by itself after this time, unless its node renews it. */
const LEASE_SECONDS = 90

/** Reserves at budgets with one call of the database. Settlement belongs to the audit record (domain/spending.ts). */
export class BudgetLedger {
  readonly #deps: LedgerDeps
  /** UUIDs of the reservations of running requests. */
  readonly #open = new Set<string>()
  /** Given back soon: few, because a reservation that comes later than a little is not made. */
  readonly #late: LateReservation[] = []

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
    const { db, loadMs } = this.#deps
    const reserved = sql<{ result: ReserveResult }>`select budget_reserve(
        ${uuidOfWorkspace(workspaceId)}, ${id}, ${JSON.stringify(demands)}::jsonb, ${LEASE_SECONDS}, ${loadMs}, ${this.#now()}
      ) as result`
      .execute(db)
      .then(({ rows: [row] }): Reservation | BudgetRefusal => {
        if (!row) throw new Error('budget_reserve returned no row')
        return row.result.ok ? { ok: true, id, spending, entries: row.result.entries } : row.result
      })
    try {
      const result = await withDeadline(loadMs, reserved, 'the budgets were not checked')
      if (result.ok) this.#open.add(id)
      return result
    } catch (cause) {
      // The request was refused, so a reservation that comes too late is returned.
      reserved.then((late) => late.ok && this.#late.push({ workspaceId, reservation: late })).catch(() => {})
      throw new GatehouseError('UNAVAILABLE', { message: 'The budgets cannot be checked now. Try again.' }, cause)
    }
  }

  /** Call it when the request has ended. A reservation that is not settled expires. */
  close({ id }: Reservation): void {
    this.#open.delete(id)
  }

  /** Extends the reservations of running requests. Call it more often than they expire. */
  async renew(): Promise<void> {
    const ids = [...this.#open]
    if (ids.length === 0) return
    const until = sql`coalesce(${this.#now()}::timestamptz, clock_timestamp()) + ${LEASE_SECONDS} * interval '1 second'`
    // Settlements lock in the same order.
    await sql`
      with locked as materialized (select id from budget_reservation where id = any(${ids}::uuid[]) order by id for update)
      update budget_reservation set expires_at = ${until} where id in (select id from locked)`.execute(this.#deps.db)
  }

  /** Gives back the reservations that came too late. Those that it cannot give back expire. */
  async returnLate(): Promise<void> {
    for (const { workspaceId, reservation } of this.#late.splice(0)) {
      const settlement = JSON.stringify([{ ...settlementOf(reservation, NOTHING_SPENT), late: true }])
      await sql`select budget_settle(${uuidOfWorkspace(workspaceId)}, ${settlement}::jsonb)`.execute(this.#deps.db)
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
