import type { Recalled } from '../facts.ts'
import { Passed, type Step } from '../outcome.ts'

/** Stage 7 of 12: memories of this user's scopes. No memory store is part of this server yet, so nothing is recalled. */
export const recall = (): Step<readonly Recalled[]> => new Passed([])
