import type { GovernedString } from '../../src/shared/governed.ts'

/** Marks a text as governed, for tests of stores: stores accept only texts that policies have evaluated. */
export const asGoverned = (text: string): GovernedString => text as GovernedString
