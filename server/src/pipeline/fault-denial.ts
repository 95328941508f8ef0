import type { Decision, PolicyPoint } from '../domain/decision.ts'

/**
 * What a detector or transform that broke down makes of a decision: a denial, with the culprit named among the rules, so that
 * the record says why (decisions.md §2.2).
 */
export const deniedByFault = (decision: Decision, point: PolicyPoint, culprits: readonly string[]): Decision => ({
  ...decision,
  verdict: 'deny',
  rules: [...decision.rules, ...culprits.map((id) => ({ id, point, verdict: 'deny' as const, error: 'failed' }))],
})
