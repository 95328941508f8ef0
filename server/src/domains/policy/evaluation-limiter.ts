import { setImmediate as nextTurn } from 'node:timers/promises'
import { GatehouseError } from '../../errors.ts'
import { elapsed } from '../../platform/lib/clock.ts'

const MAX_RUNNING = 2
const RETRY_SECONDS = 5
const BUDGET_MS = 30_000
/** Time until an evaluation yields to the event loop. */
const TURN_MS = 15

export const EVALUATION_LIMIT_ERRORS = { 429: 'RATE_LIMITED, with Retry-After: too many evaluations at the same time' }

/** Call it between two cases: yields the event loop if it has not done so for TURN_MS. Throws VALIDATION_ERROR when the time budget is used up. */
export type Pause = () => Promise<void>

/** Limits how many drafts this process evaluates, and how long: operators who may only read can start it (decision 0005). */
export class EvaluationLimiter {
  readonly #budgetMs: number
  #running = 0

  constructor({ budgetMs = BUDGET_MS } = {}) {
    this.#budgetMs = budgetMs
  }

  async run<T>(evaluate: (pause: Pause) => Promise<T>): Promise<T> {
    if (this.#running >= MAX_RUNNING) {
      throw new GatehouseError('RATE_LIMITED', {
        message: `This server evaluates drafts for ${MAX_RUNNING} requests at the same time. Try again in ${RETRY_SECONDS} s.`,
        headers: { 'retry-after': String(RETRY_SECONDS) },
      })
    }
    this.#running += 1
    try {
      return await evaluate(createPause(this.#budgetMs))
    } finally {
      this.#running -= 1
    }
  }
}

export function createPause(budgetMs: number = BUDGET_MS): Pause {
  const start = elapsed()
  let turnStart = start
  return async () => {
    const now = elapsed()
    if (now - start > budgetMs) {
      const message = `The evaluation was stopped after ${budgetMs / 1_000} s. Use fewer cases or records, or simpler conditions (no long texts, no nested lists).`
      throw new GatehouseError('VALIDATION_ERROR', { message })
    }
    if (now - turnStart < TURN_MS) return
    await nextTurn()
    turnStart = elapsed()
  }
}
