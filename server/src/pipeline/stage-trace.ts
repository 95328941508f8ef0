import { elapsed } from '../platform/lib/clock.ts'
import type { MaybePromise } from '../platform/lib/maybe-promise.ts'
import { Skipped, type StageReturn, Stop } from '../shared/outcome.ts'
import { STAGES, type StageName } from './endpoints.ts'

export interface StageNote {
  readonly name: StageName
  readonly outcome: 'ok' | 'skipped' | 'stopped' | 'failed'
  /** Milliseconds since the run began, and the duration of the stage. */
  readonly startMs: number
  readonly ms: number
}

/** The stages of one request so far: timing and outcome of each, and its result. The audit record is made from it. */
export class StageTrace<Results extends object> {
  readonly notes: StageNote[] = []
  readonly results: Partial<Results> = {}
  readonly #used: ReadonlySet<StageName>
  readonly #startedAt: number
  #reachedMs: number

  /** `startedAt`: when the request arrived. The first stage starts now. */
  constructor(used: ReadonlySet<StageName>, startedAt: number) {
    this.#used = used
    this.#startedAt = startedAt
    this.#reachedMs = this.ms
  }

  get ms(): number {
    return elapsed() - this.#startedAt
  }

  /** Without `neutral` the stage runs for every endpoint. Throws the Stop of a stage that ends the run. */
  run<N extends StageName & keyof Results>(
    name: N,
    run: () => MaybePromise<StageReturn<Results[N]>>,
    neutral?: Results[N],
  ): MaybePromise<Results[N]> {
    if (neutral !== undefined && !this.#used.has(name)) {
      this.notes.push({ name, outcome: 'skipped', startMs: this.#reachedMs, ms: 0 })
      return neutral
    }
    const fail = (cause: unknown): never => {
      this.#note(name, 'failed')
      throw cause
    }
    let result: MaybePromise<StageReturn<Results[N]>>
    try {
      result = run()
    } catch (cause) {
      return fail(cause)
    }
    if (!(result instanceof Promise)) return this.#end(name, result, neutral)
    return result.then((returned) => this.#end(name, returned, neutral), fail)
  }

  #end<N extends StageName & keyof Results>(name: N, result: StageReturn<Results[N]>, neutral?: Results[N]): Results[N] {
    if (result instanceof Stop) {
      this.#note(name, 'stopped')
      if (result.partial !== undefined) this.results[name] = result.partial
      // Not an Error, because a stack costs time.
      throw result
    }
    const value = result instanceof Skipped ? (result.value ?? neutral) : (result as Results[N])
    this.#note(name, value === undefined ? 'failed' : result instanceof Skipped ? 'skipped' : 'ok')
    if (value === undefined) throw new TypeError(`the stage ${name} has no neutral result`)
    this.results[name] = value
    return value
  }

  /** A stage begins where the previous one ended, which saves a reading of the clock. */
  #note(name: StageName, outcome: StageNote['outcome']): void {
    const startMs = this.#reachedMs
    this.#reachedMs = this.ms
    this.notes.push({ name, outcome, startMs, ms: this.#reachedMs - startMs })
  }

  /** All twelve, in order; a stage that was not reached counts as skipped. */
  get stages(): StageNote[] {
    const reached = new Map(this.notes.map((note) => [note.name, note]))
    return STAGES.map((name) => reached.get(name) ?? { name, outcome: 'skipped', startMs: this.ms, ms: 0 })
  }
}
