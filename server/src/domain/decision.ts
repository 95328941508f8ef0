import type { Classification, RiskLevel } from './classification.ts'

/** Mildest first; the strictest of all matching rules wins (decisions.md §2.4). */
export const VERDICTS = ['allow', 'escalate', 'require_approval', 'deny'] as const
export type Verdict = (typeof VERDICTS)[number]

export const verdictRank = (verdict: Verdict): number => VERDICTS.indexOf(verdict)
export const stricterVerdict = (a: Verdict, b: Verdict): Verdict => (verdictRank(a) >= verdictRank(b) ? a : b)

/** Where in the pipeline a rule looks (decisions.md §2.4a, `at`). */
export const POLICY_POINTS = ['input', 'output', 'retrieve', 'recall', 'remember', 'message'] as const
export type PolicyPoint = (typeof POLICY_POINTS)[number]

/** A rule that matched, or failed and was therefore taken as a denial. Goes into the audit record. */
export interface DecidingRule {
  readonly id: string
  readonly point: PolicyPoint
  readonly verdict: Verdict
  /** Set when the rule's condition broke: the name of the failure, never its content. */
  readonly error?: string
}

/** What the policies of one point, or of several merged, demand. */
export interface Decision {
  readonly verdict: Verdict
  readonly classification: Classification
  readonly risk: RiskLevel
  /** Obligations such as `redact:pii`, without duplicates, in rule order. */
  readonly transforms: readonly string[]
  /** Steering such as `route:region=eu`, without duplicates, in rule order. */
  readonly directives: readonly string[]
  readonly rules: readonly DecidingRule[]
  /** Shortest lifetime demanded by a matching require_approval rule, in milliseconds. */
  readonly holdExpiresInMs?: number
}

/** The immutable policy set version that decided. */
export interface PolicyVersion {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly sha256: string
}
