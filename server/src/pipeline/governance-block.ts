import { UNKNOWN_FIELD } from '../shared/original-request.ts'
import type { PipelineResult } from './pipeline-result.ts'
import { decisionOf, transformsOf } from './stage-results.ts'

/** The governance block of a response (GW-GOV-2). */
export function governanceOf({ auditId, trace }: Pick<PipelineResult, 'auditId' | 'trace'>) {
  const { authorize, identify, admit, invoke } = trace.results
  const decision = decisionOf(trace.results)
  const reviewItemId = authorize?.release?.item.id
  const unknown = unknownFieldsOf(trace.results)
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
    ...(unknown.length > 0 && { warnings: unknown.map((path) => `${path}: ${UNKNOWN_FIELD}.`) }),
  }
}

/** Most unknown fields that a response names: a conversation may repeat one in each of its messages. */
const MAX_NAMED = 16
const NONE: readonly string[] = []

export const unknownFieldsOf = ({ admit }: PipelineResult['trace']['results']): readonly string[] =>
  admit?.request.source?.unknown.slice(0, MAX_NAMED) ?? NONE
