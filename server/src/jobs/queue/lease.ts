import { type RawBuilder, sql } from 'kysely'

/**
 * Whether a lease, or a delay, that ends at `until` is over. `longestMs`: no lease or delay is longer. One that ends later was set
 * before the clock was set back, and counts as over.
 */
export const isOver = (until: RawBuilder<unknown>, now: Date, longestMs: number): RawBuilder<boolean> =>
  sql<boolean>`(${until} is null or ${until} <= ${now} or ${until} > ${new Date(now.getTime() + longestMs)})`

/** Renews a lease every `everyMs` until `work` has ended. A renewal that fails is tried again after the next interval. */
export async function whileRenewing<T>(everyMs: number, renew: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => void renew().catch(() => {}), everyMs).unref()
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
