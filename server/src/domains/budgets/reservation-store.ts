import { sql } from 'kysely'
import type { Db } from '../../platform/db/database.ts'
import { uuidOf, uuidOfWorkspace } from '../../platform/db/values.ts'
import { newUuid } from '../../platform/lib/id.ts'
import type { SettledEntry, Settlement, Spending } from '../../shared/spending.ts'
import type { BudgetUnit } from './budget-words.ts'
import type { MatchedBudget } from './match-budgets.ts'

/** A reservation ends by itself after this time, unless its node renews it. */
const LEASE_SECONDS = 90

export interface CountKey extends Pick<SettledEntry, 'budget' | 'subject' | 'starts'> {
  readonly unit: BudgetUnit
}

/** Enough for `times` requests is reserved. */
export interface Granted {
  readonly ok: true
  /** UUID. */
  readonly id: string
  readonly entries: readonly CountKey[]
  readonly times: number
  /** Until the first window of the entries ends. */
  readonly window_ms: number
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

export interface Demand {
  readonly workspaceId: string
  readonly matched: readonly MatchedBudget[]
  /** Of one request. */
  readonly spending: Spending
  /** For how many requests to reserve, if so much is left; at least 1. */
  readonly times: number
  /** After so long, nothing is reserved. */
  readonly patienceMs: number
}

/** Reserves at all budgets or at none. `now`: time of the windows; null: by the clock of the database. */
export async function reserveAmounts(
  db: Db,
  { workspaceId, matched, spending: { usd, tokens }, times, patienceMs }: Demand,
  now: Date | null,
): Promise<Granted | BudgetRefusal> {
  const id = newUuid()
  const counts = JSON.stringify(matched.map(({ budget, subject }) => ({ budget: uuidOf('bud', budget.id), subject })))
  const { rows } = await sql<{ answer: BudgetRefusal | Omit<Granted, 'id'> }>`select budget_reserve(
      ${uuidOfWorkspace(workspaceId)}, ${id}, ${counts}::jsonb, ${usd}, ${tokens}, ${times}, ${LEASE_SECONDS}, ${patienceMs}, ${now}
    ) as answer`.execute(db)
  const [row] = rows
  if (!row) throw new Error('budget_reserve returned no row')
  return row.answer.ok ? { ...row.answer, id } : row.answer
}

export async function extendReservations(db: Db, ids: readonly string[], now: Date | null): Promise<void> {
  const until = sql`coalesce(${now}::timestamptz, clock_timestamp()) + ${LEASE_SECONDS} * interval '1 second'`
  // Settlements lock in the same order.
  await sql`
    with locked as materialized (select id from budget_reservation where id = any(${ids}::uuid[]) order by id for update)
    update budget_reservation set expires_at = ${until} where id in (select id from locked)`.execute(db)
}

/** Settles outside of a transaction of records: only for amounts that no request has used. */
export async function giveBack(db: Db, workspaceId: string, settlements: readonly Settlement[]): Promise<void> {
  await sql`select budget_settle(${uuidOfWorkspace(workspaceId)}, ${JSON.stringify(settlements)}::jsonb)`.execute(db)
}

/** Releases reservations of nodes that died, up to `most`. Returns how many. */
export async function expireReservations(db: Db, most: number, now: Date | null = null): Promise<number> {
  const { rows } = await sql<{ count: number }>`select budget_expire(${now}, ${most}) as count`.execute(db)
  return rows[0]?.count ?? 0
}
