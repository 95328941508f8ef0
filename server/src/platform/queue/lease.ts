import { type RawBuilder, sql } from 'kysely'

/** SQL: whether a lease or delay has ended. An end later than `longestMs` from now counts too: the clock was set back. */
export const hasEnded = (until: RawBuilder<unknown>, now: Date, longestMs: number): RawBuilder<boolean> =>
  sql<boolean>`(${until} is null or ${until} <= ${now} or ${until} > ${new Date(now.getTime() + longestMs)})`

/** Renews a lease every `everyMs` until `work` has ended. A failed renewal is repeated after the next interval. */
export async function whileRenewing<T>(everyMs: number, renew: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  const timer = setInterval(() => void renew().catch(() => {}), everyMs).unref()
  try {
    return await work()
  } finally {
    clearInterval(timer)
  }
}
