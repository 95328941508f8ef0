import type { DecidingRule, PolicyPoint, Verdict } from '../../domain/decision.ts'
import type { StoredInput } from './stored-input.ts'

/** What a record tells of an exchange that policies decided on. */
export interface StoredRequest {
  /** Rules that matched then, or broke. */
  readonly rules: readonly DecidingRule[]
  /** The points on its way, in order. */
  readonly points: readonly StoredPoint[]
}

export interface StoredPoint {
  readonly point: PolicyPoint
  /**
   * `asked`: the policies were asked there; `unreached`: they might have been, had a point before not ended the exchange;
   * `idle`: there was nothing to ask about, whatever policies say.
   */
  readonly state: 'evaluated' | 'unreached' | 'unused'
  /** Undefined where each hit or memory was asked about by itself: those are not stored. */
  readonly input: StoredInput | undefined
  /** What a verdict there comes to for the exchange, where that is something else: a denied hit is left out, and that is all. */
  readonly effectiveVerdicts: Readonly<Partial<Record<Verdict, Verdict>>>
  /** Verdicts that end the exchange there. */
  readonly endingVerdicts: readonly Verdict[]
  /** A directive by which a policy keeps this point from being reached. */
  readonly disabledBy?: string
}
