import type { FinishedExchange } from '../telemetry/exchange-observer.ts'
import { decisionOf } from './facts.ts'
import type { PipelineResult } from './pipeline-result.ts'
import type { Exchange } from './request.ts'

/** The exchange as telemetry sees it. */
export function finishedExchange(
  { endpoint, requestId }: Exchange,
  { trail, auditId, status, error, held, cause }: PipelineResult,
  now: Date,
): FinishedExchange {
  const { invoke, route, remember } = trail.facts
  return {
    endpoint,
    requestId,
    auditId,
    status,
    code: error?.code ?? '',
    verdict: decisionOf(trail.facts)?.verdict ?? '',
    // Only names that a provider offers become labels: anything else would be the caller's free text.
    model: route?.candidates[0]?.model.id ?? '',
    provider: invoke?.provider ?? '',
    held: held !== undefined,
    ms: trail.ms,
    stages: trail.notes,
    attempts: [...(invoke?.attempts ?? []), ...(remember?.attempts ?? [])],
    startedAt: now.getTime() - trail.ms,
    cause,
  }
}
