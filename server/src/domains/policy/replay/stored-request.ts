import type { DecidingRule, PolicyPoint, Verdict } from '../../../shared/decision.ts'
import type { StoredInput } from './stored-input.ts'

/** The values of an audit record from which policies can be evaluated again. */
export interface StoredRequest {
  /** Rules that matched or failed in the recorded decision. */
  readonly rules: readonly DecidingRule[]
  /** In the order of the pipeline. */
  readonly points: readonly StoredPoint[]
}

export interface StoredPoint {
  readonly point: PolicyPoint
  /**
   * `evaluated`: rules were evaluated at the point. `unreached`: the request ended before the point. `unused`: the request had
   * no content for the point.
   */
  readonly state: 'evaluated' | 'unreached' | 'unused'
  /** Undefined at points that decide on single hits or memories, which are not stored. */
  readonly input: StoredInput | undefined
  /** Verdicts whose effect on the request differs from the verdict: a denied hit is left out, and the request is allowed. */
  readonly effectiveVerdicts: Readonly<Partial<Record<Verdict, Verdict>>>
  /** Verdicts that end the request at this point. */
  readonly endingVerdicts: readonly Verdict[]
  /** The directive that disables this point. */
  readonly disabledBy?: string
}
