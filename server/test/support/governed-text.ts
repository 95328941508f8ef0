import type { GovernedString } from '../../src/domain/governed.ts'

/** For tests of stores, which take governed texts only: as if policies had let it pass. */
export const asGoverned = (text: string): GovernedString => text as GovernedString
