import type { PipelineResult } from '../pipeline/pipeline-result.ts'
import { decisionOf, transformsOf } from '../pipeline/stage-results.ts'

/** The governance block of a response (GW-GOV-2). */
export function governanceOf({ auditId, trace }: PipelineResult) {
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

/** Response headers for clients that do not show the governance block (GW-GOV-6). */
export const GOVERNANCE_HEADERS = [
  'x-gatehouse-verdict',
  'x-gatehouse-risk-level',
  'x-gatehouse-user-verified',
  'x-gatehouse-dry-run',
  'x-gatehouse-review-item',
] as const

/** Their values. An error has them too: a held request, for example, has its review item. */
export function governanceHeaders(
  result: PipelineResult,
): Readonly<Partial<Record<(typeof GOVERNANCE_HEADERS)[number], string>>> {
  const { decision, risk_level, user_verified, dry_run, review_item_id } = governanceOf(result)
  const reviewItemId = result.error?.fields?.reviewItemId ?? review_item_id
  return {
    ...(decision && { 'x-gatehouse-verdict': decision.verdict }),
    ...(risk_level && { 'x-gatehouse-risk-level': risk_level }),
    ...(user_verified !== undefined && { 'x-gatehouse-user-verified': String(user_verified) }),
    ...(dry_run && { 'x-gatehouse-dry-run': 'true' }),
    ...(reviewItemId && { 'x-gatehouse-review-item': reviewItemId }),
  }
}
