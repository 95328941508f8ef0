import { cpuMs } from '../cpu-time.ts'

const PROSE = 'The invoice 4711 of 12 March came to 1,204.50 euros; ask ann at the office. '.repeat(13_798)
const PATTERNS = [/(?<![\w.])\d[A-Za-z\d,.]{0,19}/g, /[a-z]{2,20}@/g, /\b[A-Z][a-z]+\b/g]
/** Time of the reference work on the machine for which the limits in milliseconds were written. */
export const REFERENCE_MS = 5.5

/** How many times slower this machine is now than the reference machine; at least 1. The least of `tries`, each with `repeats` runs of the work. */
export function slowness(tries = 5, repeats = 1): number {
  const runs = Array.from({ length: tries }, () =>
    cpuMs(() => {
      for (let run = 0; run < repeats; run++) for (const pattern of PATTERNS) for (const _ of PROSE.matchAll(pattern));
    }),
  )
  return Math.max(1, Math.min(...runs) / REFERENCE_MS / repeats)
}
