import type { DecidingRule, PolicyPoint, Verdict } from '../../../shared/decision.ts'
import type { StoredInput } from './stored-input.ts'

export interface StoredRequest {
  readonly rules: readonly DecidingRule[]
  readonly points: readonly StoredPoint[]
}

export interface StoredPoint {
  readonly point: PolicyPoint
  /** `unreached`: the request ended before the point. `unused`: it had no content for the point. */
  readonly state: 'evaluated' | 'unreached' | 'unused'
  /** Undefined at points that decide on single hits or memories, which are not stored. */
  readonly input: StoredInput | undefined
  /** Verdicts whose effect on the request differs from the verdict: a denied hit is left out, and the request is allowed. */
  readonly effectiveVerdicts: Readonly<Partial<Record<Verdict, Verdict>>>
  readonly endingVerdicts: readonly Verdict[]
  readonly disabledBy?: string
}
