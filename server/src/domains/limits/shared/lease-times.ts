/** How long a node may spend what it was granted, in milliseconds. After it, the store counts the rest as spent. */
export const RATE_LEASE_MS = 2_000
/** How long slots of a node that has died stay in use. */
export const SLOT_LEASE_MS = 10_000
/** A lease ends earlier on the node than in the store, because two clocks do not run equally fast. */
const MARGIN = 0.05
/** A lease that is in use is renewed at this interval. Units beyond the recent use return then. */
export const RENEW_MS = 500
/** An answer that refused a request is good for as long: later requests are refused without another exchange. */
export const FRESH_MS = 25
/** The store keeps what a node has told it for a minute after its lease. */
const REMEMBERED_MS = 50_000

/** The time, on the node's clock, at which a lease ends that was asked for at `sentAt`. */
export const leaseEnd = (sentAt: number, leaseMs: number): number => sentAt + leaseMs * (1 - MARGIN)

/** The exchange that the store must remember. */
export const rememberedBatch = (last: { readonly batch: number; readonly at: number }, now: number): number =>
  now - last.at < REMEMBERED_MS ? last.batch : 0
