import { setImmediate as othersTurn } from 'node:timers/promises'
import { GatehouseError } from '../errors.ts'
import { elapsed } from '../lib/clock.ts'

/** At the same time, in this process: each may take the whole of a piece before others have their turn. */
const AT_ONCE = 2
const RETRY_SECONDS = 5
const BUDGET_MS = 30_000
/** Requests wait that long for a trial, and for the one case in which it ends. */
const PIECE_MS = 15

/** What operations that try policies out document beside their own. */
export const EVALUATION_LIMIT_ERRORS = { 429: 'RATE_LIMITED, with Retry-After: too many trials at the same time' }

/** Called between two cases: lets others have their turn when it is due. Throws when the trial has taken too long. */
export type Pause = () => Promise<void>

/** Policies asked of many cases, by whoever may read them and with a draft that anybody may have written. */
export class EvaluationLimiter {
  readonly #budgetMs: number
  #running = 0

  constructor({ budgetMs = BUDGET_MS } = {}) {
    this.#budgetMs = budgetMs
  }

  /** Throws RATE_LIMITED when there are too many already. */
  async run<T>(trial: (pause: Pause) => Promise<T>): Promise<T> {
    if (this.#running >= AT_ONCE) {
      throw new GatehouseError('RATE_LIMITED', {
        message: `This server tries policies out for ${AT_ONCE} requests at the same time; try again in ${RETRY_SECONDS} s.`,
        headers: { 'retry-after': String(RETRY_SECONDS) },
      })
    }
    this.#running += 1
    try {
      return await trial(createPause(this.#budgetMs))
    } finally {
      this.#running -= 1
    }
  }
}

/** Pauses of something that has a time to end by. */
export function createPause(budgetMs: number = BUDGET_MS): Pause {
  const began = elapsed()
  let resumed = began
  return async () => {
    const now = elapsed()
    if (now - began > budgetMs) throw tooLong(budgetMs)
    if (now - resumed < PIECE_MS) return
    await othersTurn()
    resumed = elapsed()
  }
}

const tooLong = (budgetMs: number): GatehouseError =>
  new GatehouseError('VALIDATION_ERROR', {
    message: `This was given up after ${budgetMs / 1_000} s: try fewer cases or records, or conditions that go through less (long texts, lists inside one another).`,
  })
