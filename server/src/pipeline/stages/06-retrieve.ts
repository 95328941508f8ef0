import type { Passage } from '../facts.ts'
import { Passed, type Step } from '../outcome.ts'

/** Stage 6 of 12: knowledge that this user may see. No knowledge store is part of this server yet, so nothing is found. */
export const retrieve = (): Step<readonly Passage[]> => new Passed([])
