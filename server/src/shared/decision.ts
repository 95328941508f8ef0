import type { Classification, RiskLevel } from './classification.ts'

/** Mildest first; the strictest of all matching rules wins (GW-VERD-5). */
export const VERDICTS = ['allow', 'escalate', 'require_approval', 'deny'] as const
export type Verdict = (typeof VERDICTS)[number]

export const verdictRank = (verdict: Verdict): number => VERDICTS.indexOf(verdict)
export const stricterVerdict = (a: Verdict, b: Verdict): Verdict => (verdictRank(a) >= verdictRank(b) ? a : b)

/** The policy points at which rules are evaluated (GW-POL-4). */
export const POLICY_POINTS = ['input', 'output', 'retrieve', 'recall', 'remember', 'message'] as const
export type PolicyPoint = (typeof POLICY_POINTS)[number]

/** A rule that matched, or that failed and counts as a denial. Part of the audit record. */
export interface DecidingRule {
  readonly id: string
  readonly point: PolicyPoint
  readonly verdict: Verdict
  /** Set when the rule's condition failed: the name of the failure, never its content. */
  readonly error?: string
  /** Set if it decided only on hits that were left out. The Application does not see it in the record. */
  readonly left_out?: true
}

export interface Decision {
  readonly verdict: Verdict
  readonly classification: Classification
  readonly risk: RiskLevel
  /** Obligations such as `redact:pii`, without duplicates, in rule order. */
  readonly transforms: readonly string[]
  /** Directives such as `route:region=eu`, without duplicates, in rule order. */
  readonly directives: readonly string[]
  readonly rules: readonly DecidingRule[]
  /** Shortest lifetime demanded by a matching require_approval rule, in milliseconds. */
  readonly holdExpiresInMs?: number
  /** Most approvals demanded by a matching require_approval rule; absent: one. */
  readonly approvals?: number
}

export const decidingRules = ({ rules, verdict }: Decision): readonly string[] =>
  rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id)

export const NO_DEMANDS: Decision = {
  verdict: 'allow',
  classification: 'public',
  risk: 'low',
  transforms: [],
  directives: [],
  rules: [],
}

export interface PolicyVersion {
  readonly id: string
  readonly name: string
  readonly version: number
  readonly sha256: string
}
