import { afterAll, beforeAll } from 'vitest'
import { adjustableClock } from '../support/adjustable-clock.ts'
import { type Governed, startGoverned } from '../support/governed.ts'

/**
 * The one server of a test file, from before its first test until after its last. The file's sections are modules of their
 * own; a server for each would cost more than all of their tests.
 */
export let governed: Governed

/** The server's time. */
export const clock = adjustableClock()

/** What the server takes chances with; a test may make it throw. */
export const chance = { next: (): number => 0.5 }

beforeAll(async () => {
  governed = await startGoverned({}, { clock, random: () => chance.next() })
})
afterAll(() => governed.close())
