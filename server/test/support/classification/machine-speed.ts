const PROSE = 'The invoice 4711 of 12 March came to 1,204.50 euros; ask ann at the office. '.repeat(13_798)
const PATTERNS = [/(?<![\w.])\d[A-Za-z\d,.]{0,19}/g, /[a-z]{2,20}@/g, /\b[A-Z][a-z]+\b/g]
/** What the work takes on the machine that limits in milliseconds were written for. */
const THERE_MS = 5.5

/** A work that never changes; the least of some tries, in milliseconds of this thread. */
function here(tries: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < tries; i++) {
    const before = process.threadCpuUsage()
    for (const pattern of PATTERNS) for (const _ of PROSE.matchAll(pattern));
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

/** How many times slower this machine is at this moment than the one that limits are written for; 1 when it is not. */
export const slowness = (tries = 5): number => Math.max(1, here(tries) / THERE_MS)
