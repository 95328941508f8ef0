export interface Spending {
  /** Billionths of a US dollar: an integer, so that sums are exact. */
  readonly usd: number
  readonly tokens: number
}

export const NOTHING_SPENT: Spending = { usd: 0, tokens: 0 }

export const addSpending = (a: Spending, b: Spending): Spending => ({ usd: a.usd + b.usd, tokens: a.tokens + b.tokens })

export const USD_SCALE = 1_000_000_000

/** The largest integer that a number holds exactly; more is not counted. */
const wholeBillionths = (usd: number): number => Math.min(usd * USD_SCALE, Number.MAX_SAFE_INTEGER)

export const billionths = (usd: number): number => Math.round(wholeBillionths(usd))

/** An estimate, rounded up so that it stays an upper bound. */
export const atMostBillionths = (usd: number): number => Math.ceil(wholeBillionths(usd))

/** The end of a request's reservation, in the transaction of its audit record (SQL function budget_settle). */
export interface Settlement {
  readonly id: string
  /** Amounts that the request asked for: they are taken out of the reservation, which may hold more. */
  readonly usd: number
  readonly tokens: number
  readonly entries: readonly SettledEntry[]
}

export interface SettledEntry {
  readonly budget: string
  readonly subject: string
  /** Start of the window, as the database wrote it. */
  readonly starts: string
  readonly amount: number
  readonly spent: number
}
