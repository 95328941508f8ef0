/**
 * A node's report on one limit, and the amounts that it asks for. Amounts are shares (bucket.ts) for rates and slots for concurrency. The function that
 * answers it is in platform/db/migrations/0004-limits.ts.
 */
export interface QuotaRequest {
  readonly key: string
  /** The lease. Unique among all nodes, so that a lease after a restart is another one. */
  readonly holder: string
  /** Shares that refill in a millisecond, which is the number of units per minute. 0: concurrency slots. */
  readonly rate: number
  readonly capacity: number
  /** Milliseconds after which the node's lease ends by itself. */
  readonly lease: number
  /** Number of the last exchange that was answered; 0: none, or long ago. A store that does not know it has lost its state. */
  readonly last: number
  /** Shares that this process has spent since it started, and how many of them an answer has confirmed. */
  readonly spent: number
  readonly base: number
  /** Amount that the node still holds. The rest of its lease returns to the limit. */
  readonly keep: number
  /** Amount for requests that wait, and for the first of them. Less than `first` is of no use. */
  readonly need: number
  readonly first: number
  /** Amount for requests to come. The store gives at most a quarter of what is left. */
  readonly want: number
}

export interface QuotaAnswer {
  readonly holder: string
  readonly granted: number
  /** Shares that are used and drain at the rate. */
  readonly used: number
  /** Amount that no node uses or holds. Negative after a request that used more than its estimate. */
  readonly free: number
}

/** One exchange: the requests of different leases, at most MAX_REQUESTS. */
export interface Exchange {
  /** Grows with each exchange of this process. The store ignores an exchange that arrives after a later one. */
  readonly batch: number
  readonly requests: readonly QuotaRequest[]
}

/** Holds the state of all limits for all nodes. */
export interface QuotaStore {
  /** Rejects if the store does not answer in time: whether it has carried out the exchange is unknown then. */
  exchange(exchange: Exchange): Promise<readonly QuotaAnswer[]>
}

export const MAX_REQUESTS = 500
