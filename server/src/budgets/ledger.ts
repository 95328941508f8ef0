import { sql } from 'kysely'
import type { Db } from '../db/database.ts'
import { uuidOf, uuidOfWorkspace } from '../db/values.ts'
import { NOTHING_SPENT, type SettledEntry, type Settlement, type Spending } from '../domain/spending.ts'
import { GatehouseError } from '../errors.ts'
import { elapsed } from '../lib/clock.ts'
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

/** A settlement that waits for the database, and when it is given up. */
interface LateSettlement {
  readonly workspaceId: string
  readonly settlement: Settlement
  readonly until: number
}

/** More settlements than these are not kept: their reservations expire. */
const MAX_LATE = 10_000
const LATE_MS = 3_600_000

/** A reservation ends by itself after this time, unless its node renews it. */
const LEASE_SECONDS = 90

/** Reserves at budgets with one call of the database. Settlement belongs to the audit record (domain/spending.ts). */
export class BudgetLedger {
  readonly #deps: LedgerDeps
  /** UUIDs of the reservations of running requests. */
  readonly #open = new Set<string>()
  readonly #late: LateSettlement[] = []

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
      reserved.then((late) => late.ok && this.settleLater(workspaceId, late, NOTHING_SPENT)).catch(() => {})
      throw new GatehouseError('UNAVAILABLE', { message: 'The budgets cannot be checked now. Try again.' }, cause)
    }
  }

  /** Call it when the request has ended. A reservation that is not settled expires. */
  close({ id }: Reservation): void {
    this.#open.delete(id)
  }

  /** Extends the reservations of running requests. Call it more often than they expire. */
  async renew(): Promise<void> {
    const ids = [...this.#open, ...this.#late.map(({ settlement: { id } }) => id)]
    if (ids.length === 0) return
    const until = sql`coalesce(${this.#now()}::timestamptz, clock_timestamp()) + ${LEASE_SECONDS} * interval '1 second'`
    // Settlements lock in the same order.
    await sql`
      with locked as materialized (select id from budget_reservation where id = any(${ids}::uuid[]) order by id for update)
      update budget_reservation set expires_at = ${until} where id in (select id from locked)`.execute(this.#deps.db)
  }

  /**
   * Keeps the amount that a request has used until the database can be written, because its record could not be. It counts once, also
   * if the record was written after all.
   */
  settleLater(workspaceId: string, reservation: Reservation, spent: Spending): void {
    if (this.#late.length >= MAX_LATE) return
    this.#late.push({ workspaceId, settlement: settlementOf(reservation, spent), until: elapsed() + LATE_MS })
  }

  /** Charges the amounts that settleLater has kept, oldest first. Throws if the database does not answer. */
  async settleLate(): Promise<void> {
    for (let next = this.#late[0]; next; next = this.#late[0]) {
      const { workspaceId, settlement, until } = next
      if (elapsed() < until) {
        const late = JSON.stringify([{ ...settlement, late: true }])
        await sql`select budget_settle(${uuidOfWorkspace(workspaceId)}, ${late}::jsonb)`.execute(this.#deps.db)
      }
      this.#late.shift()
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
