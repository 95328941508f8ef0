import type { PipelineResult } from './pipeline-result.ts'
import { decisionOf, transformsOf } from './stage-results.ts'

/** The governance block of a response (GW-GOV-2). */
export function governanceOf({ auditId, trace }: Pick<PipelineResult, 'auditId' | 'trace'>) {
  const { authorize, identify, admit, invoke } = trace.results
  const decision = decisionOf(trace.results)
  const reviewItemId = authorize?.release?.item.id
  return {
    audit_id: auditId,
    ...(decision && {
      decision: {
        verdict: decision.verdict,
        transforms: transformsOf(trace.results),
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
