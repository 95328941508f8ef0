import type { Classification, RiskLevel } from '../../../shared/classification.ts'
import { type DecidingRule, stricterVerdict, type Verdict } from '../../../shared/decision.ts'

/** The decision on a recorded request. Obligations are included whether or not they changed a text. */
export interface ReplayedDecision {
  readonly verdict: Verdict
  /** The minimum that rules raise it to, as for `risk`. */
  readonly classification: Classification
  readonly risk: RiskLevel
  readonly transforms: readonly string[]
  readonly directives: readonly string[]
  readonly rules: readonly DecidingRule[]
}

/** Whether the decision changed for certain: it is at least `after`, and `possible` if all undecided rules match. */
export function isCertainlyDifferent(before: ReplayedDecision, after: ReplayedDecision, possible: ReplayedDecision): boolean {
  const listDiffers = (list: (decision: ReplayedDecision) => readonly string[]): boolean => {
    const [beforeSet, afterSet, possibleSet] = [new Set(list(before)), new Set(list(after)), new Set(list(possible))]
    return [...afterSet].some((item) => !beforeSet.has(item)) || [...beforeSet].some((item) => !possibleSet.has(item))
  }
  const verdictDiffers =
    stricterVerdict(after.verdict, before.verdict) !== before.verdict ||
    stricterVerdict(possible.verdict, before.verdict) !== possible.verdict
  return (
    verdictDiffers ||
    listDiffers(({ transforms }) => transforms) ||
    listDiffers(({ directives }) => directives) ||
    listDiffers(({ rules }) => rules.map(({ id, point, verdict, error = '' }) => `${point} ${id} ${verdict} ${error}`)) ||
    levelDiffers(before, after, possible)
  )
}

/** Whether classification or risk changed, if undecided rules do not influence them. */
const levelDiffers = (before: ReplayedDecision, after: ReplayedDecision, possible: ReplayedDecision): boolean =>
  after.classification === possible.classification &&
  after.risk === possible.risk &&
  (before.classification !== after.classification || before.risk !== after.risk)
