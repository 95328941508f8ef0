const PROSE = 'The invoice 4711 of 12 March came to 1,204.50 euros; ask ann at the office. '.repeat(13_798)
const PATTERNS = [/(?<![\w.])\d[A-Za-z\d,.]{0,19}/g, /[a-z]{2,20}@/g, /\b[A-Z][a-z]+\b/g]
/** Time of the reference work on the machine for which the limits in milliseconds were written. */
const REFERENCE_MS = 5.5

/** The least CPU time of several runs of the reference work, in milliseconds. */
function measureReference(tries: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < tries; i++) {
    const before = process.threadCpuUsage()
    for (const pattern of PATTERNS) for (const _ of PROSE.matchAll(pattern));
    const { user, system } = process.threadCpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

/** How many times slower this machine is now than the reference machine; at least 1. */
export const slowness = (tries = 5): number => Math.max(1, measureReference(tries) / REFERENCE_MS)
