import { GatehouseError } from '../../errors.ts'
import type { Db } from '../../platform/db/database.ts'
import { elapsed } from '../../platform/lib/clock.ts'
import { DeadlineError, withDeadline } from '../../platform/lib/deadline.ts'
import { NOTHING_SPENT, type Settlement, type Spending } from '../../shared/spending.ts'
import type { BudgetUnit } from './budget-words.ts'
import type { MatchedBudget } from './match-budgets.ts'
import {
  type BudgetRefusal,
  type CountKey,
  type Demand,
  extendReservations,
  type Granted,
  giveBack,
  reserveAmounts,
} from './reservation-store.ts'
import { CountedRequests, type Slice, sliceEnd } from './slices.ts'

/** An amount that is set aside until the request is recorded. */
export interface Reservation {
  readonly ok: true
  /** UUID. Requests that were admitted from one slice share it. */
  readonly id: string
  /** The amount that was set aside for the request: 0 in a unit that no budget counts. */
  readonly spending: Spending
  readonly entries: readonly (CountKey & { readonly amount: number })[]
}

interface LedgerDeps {
  readonly db: Db
  /** Time limit in milliseconds for the database. */
  readonly loadMs: number
  /** Time of the windows, for tests. Default: the clock of the database, which all nodes share. */
  readonly now?: () => Date
  /** Monotonic milliseconds, for tests. */
  readonly clock?: () => number
}

/** A request waits for so many slices that other requests ask for. Then it asks by itself. */
const MOST_WAITS = 2

/**
 * Reserves at budgets, with one call of the database for each request or, where many requests come, for each slice. Settlement belongs to
 * the audit record (shared/spending.ts).
 */
export class BudgetLedger {
  readonly #deps: LedgerDeps
  readonly #clock: () => number
  /** How many running requests use a reservation, by its UUID. */
  readonly #running = new Map<string, number>()
  /** Recent requests by the budgets and members that count them. */
  readonly #counted = new Map<string, CountedRequests>()
  /** Their rests are given back. */
  readonly #unused: Slice[] = []
  #usesSlices = true

  constructor(deps: LedgerDeps) {
    this.#deps = deps
    this.#clock = deps.clock ?? elapsed
  }

  /** Reserves at all budgets or at none. Throws UNAVAILABLE if the database does not answer: the request is then refused. */
  async reserve(workspaceId: string, matched: readonly MatchedBudget[], asked: Spending): Promise<Reservation | BudgetRefusal> {
    const requests = this.#countedBy(matched)
    const spending = countedPart(asked, matched)
    requests.count(spending, this.#clock())
    for (let waits = 0; ; waits++) {
      const slice = requests.draw(spending, this.#clock())
      if (slice) return this.#admit(slice, spending)
      if (!requests.taking || waits === MOST_WAITS) break
      await requests.taking
    }
    const times = this.#usesSlices ? requests.times(spending, this.#clock()) : 1
    const demand = { workspaceId, matched, spending, times, patienceMs: this.#deps.loadMs }
    const reserved = this.#ask(demand, requests)
    if (times > 1) requests.setTaking(reserved)
    return reserved
  }

  /** Call it when the request has ended. A reservation that is not settled expires. */
  close({ id }: Reservation): void {
    const others = (this.#running.get(id) ?? 1) - 1
    if (others === 0) this.#running.delete(id)
    else this.#running.set(id, others)
  }

  /** Extends the reservations of running requests. Call it more often than they expire. */
  async renew(): Promise<void> {
    if (this.#running.size > 0) await extendReservations(this.#deps.db, [...this.#running.keys()], this.#now())
  }

  /**
   * Gives back the rests of slices that have ended, and reservations that came too late. Those that it cannot give back expire: a second
   * attempt could give back the same amount twice.
   */
  async returnUnused(now = this.#clock()): Promise<void> {
    for (const [key, requests] of this.#counted) {
      this.#release(requests.end(now))
      if (requests.isIdle(now)) this.#counted.delete(key)
    }
    const unused = Map.groupBy(this.#unused.splice(0), ({ workspaceId }) => workspaceId)
    // A Workspace whose counts are locked does not delay the others.
    const returned = await Promise.allSettled(
      [...unused].map(([workspaceId, all]) => {
        const settlements = all.map((slice) => settlementOf(reservationOf(slice, slice.free), NOTHING_SPENT))
        return withDeadline(this.#deps.loadMs, giveBack(this.#deps.db, workspaceId, settlements), 'amounts were not given back')
      }),
    )
    const failed = returned.find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
  }

  /** Gives back all slices; later requests ask the database. Call it when the server stops. Does not throw: slices end by themselves. */
  async stop(): Promise<void> {
    this.#usesSlices = false
    await this.returnUnused(Number.POSITIVE_INFINITY).catch(() => {})
  }

  /** A change of a budget changes the key, so that no slice from before is used. */
  #countedBy(matched: readonly MatchedBudget[]): CountedRequests {
    const key = JSON.stringify(matched.map(({ budget, subject }) => [budget.id, budget.updatedAt, subject]))
    const known = this.#counted.get(key)
    if (known) return known
    const requests = new CountedRequests()
    this.#counted.set(key, requests)
    return requests
  }

  /** The surplus of a reservation for several requests becomes their slice. */
  async #ask(demand: Demand, requests: CountedRequests): Promise<Reservation | BudgetRefusal> {
    const { spending, times } = demand
    const sentAt = this.#clock()
    const asked = reserveAmounts(this.#deps.db, demand, this.#now())
    try {
      const answer = await withDeadline(this.#deps.loadMs, asked, 'the budgets were not checked')
      if (times > 1 && !(answer.ok && answer.times > 1)) requests.noteScarce(spending, this.#clock())
      if (!answer.ok) return answer
      // The timer of the deadline may run late: in a process that was frozen, the reservation may already have expired.
      if (this.#clock() - sentAt >= this.#deps.loadMs) throw new DeadlineError('the budgets were checked too late')
      const slice = sliceOf(demand, answer, { times: answer.times - 1, endsAt: sliceEnd(sentAt, answer.window_ms) })
      if (answer.times > 1) this.#release(requests.hold(slice))
      return this.#admit(slice, spending)
    } catch (cause) {
      // The request was refused, so a reservation that comes too late is returned.
      asked
        .then((late) => late.ok && this.#unused.push(sliceOf(demand, late, { times: late.times, endsAt: sentAt })))
        .catch(() => {})
      throw new GatehouseError('UNAVAILABLE', { message: 'The budgets cannot be checked now. Try again.' }, cause)
    }
  }

  /** A slice that is used up needs no call. */
  #release(slice: Slice | undefined): void {
    if (slice && (slice.free.usd > 0 || slice.free.tokens > 0)) this.#unused.push(slice)
  }

  #admit(slice: Slice, spending: Spending): Reservation {
    this.#running.set(slice.id, (this.#running.get(slice.id) ?? 0) + 1)
    return reservationOf(slice, spending)
  }

  #now(): Date | null {
    return this.#deps.now?.() ?? null
  }
}

/** In the units that the budgets count. Requests that differ only in the other unit fit into the same slices. */
function countedPart({ usd, tokens }: Spending, matched: readonly MatchedBudget[]): Spending {
  const counts = (unit: BudgetUnit) => matched.some(({ budget }) => budget.unit === unit)
  return { usd: counts('usd') ? usd : 0, tokens: counts('tokens') ? tokens : 0 }
}

function sliceOf(
  { workspaceId, spending }: Demand,
  { id, entries }: Granted,
  { times, endsAt }: { readonly times: number; readonly endsAt: number },
): Slice {
  const granted = { usd: spending.usd * times, tokens: spending.tokens * times }
  return { workspaceId, id, entries, endsAt, granted, free: granted }
}

const reservationOf = ({ id, entries }: Slice, spending: Spending): Reservation => ({
  ok: true,
  id,
  spending,
  entries: entries.map((entry) => ({ ...entry, amount: spending[entry.unit] })),
})

/** The settlement of a reservation whose request has used `spent`. */
export const settlementOf = ({ id, spending, entries }: Reservation, spent: Spending): Settlement => ({
  id,
  usd: spending.usd,
  tokens: spending.tokens,
  entries: entries.map(({ unit, ...entry }) => ({ ...entry, spent: spent[unit] })),
})
