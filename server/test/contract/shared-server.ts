import { adjustableClock } from '../support/adjustable-clock.ts'
import { startGoverned } from '../support/governed.ts'

/** The server's time. */
export const clock = adjustableClock()

/** The server's source of random numbers; a test may make it throw. */
export const chance = { next: (): number => 0.5 }

/** One server for all files of the gateway contract that a worker runs. */
export const governed = await startGoverned({}, { clock, random: () => chance.next() })
