import { decisionOf, transformsOf } from '../pipeline/facts.ts'
import type { PipelineResult } from '../pipeline/pipeline-result.ts'

/** gateway-api.md, GovernanceBlock: what the caller may know of how the answer came about. */
export function governanceOf({ auditId, trail }: PipelineResult) {
  const { authorize, identify, admit, invoke } = trail.facts
  const decision = decisionOf(trail.facts)
  const reviewItemId = authorize?.release?.item.id
  return {
    audit_id: auditId,
    ...(decision && {
      decision: {
        verdict: decision.verdict,
        transforms: transformsOf(trail.facts),
        directives: decision.directives,
      },
      risk_level: decision.risk,
    }),
    ...(identify && { user_verified: identify.user.verified }),
    ...(admit?.request.dryRun && { dry_run: true }),
    ...(invoke?.provider && { provider: invoke.provider }),
    ...(reviewItemId && { review_item_id: reviewItemId }),
  }
}
