import { elapsed } from '../lib/clock.ts'
import { type Outcome, Passed, type Step, Stop } from './outcome.ts'
import { STAGES, type StageName } from './stages.ts'

export interface StepNote {
  readonly name: StageName
  readonly outcome: 'ok' | 'skipped' | 'stopped' | 'failed'
  /** Milliseconds since the exchange came in, and how long the stage took. */
  readonly startMs: number
  readonly ms: number
}

/** Carries an outcome out of the walk; never leaves the pipeline. Not an Error: it has no stack to pay for. */
export class Halt {
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    this.outcome = outcome
  }
}

/**
 * What happened to one exchange so far: a note for each stage, and what each stage found out, under the stage's name.
 * The audit record is made from it, so a stage need not know that there is one.
 */
export class Trail<Facts extends object> {
  readonly notes: StepNote[] = []
  readonly facts: Partial<Facts> = {}
  readonly #works: ReadonlySet<StageName>
  readonly #startedAt = elapsed()
  #reachedMs = 0

  constructor(works: ReadonlySet<StageName>) {
    this.#works = works
  }

  get ms(): number {
    return elapsed() - this.#startedAt
  }

  /**
   * Runs a stage if it works for this endpoint, else `neutral` stands in; a stage without one works for every endpoint.
   * Throws Halt when the stage ends the walk.
   */
  async step<N extends StageName & keyof Facts>(
    name: N,
    run: () => Step<Facts[N]> | Promise<Step<Facts[N]>>,
    neutral?: Facts[N],
  ): Promise<Facts[N]> {
    // A stage begins where the last one ended: asking the clock for both would double its cost.
    const startMs = this.#reachedMs
    if (neutral !== undefined && !this.#works.has(name)) {
      this.notes.push({ name, outcome: 'skipped', startMs, ms: 0 })
      return neutral
    }
    let outcome: StepNote['outcome'] = 'failed'
    try {
      const result = await run()
      if (result instanceof Stop) {
        outcome = 'stopped'
        if (result.known !== undefined) this.facts[name] = result.known
        throw new Halt(result.outcome)
      }
      outcome = result instanceof Passed ? 'skipped' : 'ok'
      const value: Facts[N] = result instanceof Passed ? result.value : (result as Facts[N])
      this.facts[name] = value
      return value
    } finally {
      this.#reachedMs = this.ms
      this.notes.push({ name, outcome, startMs, ms: this.#reachedMs - startMs })
    }
  }

  /** All twelve, in order: stages that the walk did not reach count as skipped. */
  get stages(): StepNote[] {
    const reached = new Map(this.notes.map((note) => [note.name, note]))
    return STAGES.map((name) => reached.get(name) ?? { name, outcome: 'skipped', startMs: this.ms, ms: 0 })
  }
}
