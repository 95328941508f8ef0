import type { Classification, RiskLevel } from '../domain/classification.ts'
import type { FindingCounts } from '../domain/finding.ts'
import type { Application, Endpoint } from '../domain/principal.ts'
import type { PolicyInput } from '../policy/input.ts'
import type { Admitted, Identity } from './facts.ts'

interface Looked {
  readonly texts: readonly string[]
  readonly joined?: string
  readonly unread?: number
  readonly counts: FindingCounts
  readonly classification: Classification
  readonly risk: RiskLevel
}

/** What a condition may look at (decisions.md §2.4a), the same at every point but for `content`. */
export function policyInput(
  endpoint: Endpoint,
  { id, name, settings, defaultModel }: Application,
  { request, tokens }: Admitted,
  { user, sessionId }: Identity,
  now: Date,
  { texts, joined = '', unread = 0, counts, classification, risk }: Looked,
): PolicyInput {
  return {
    user,
    application: { id, name, settings },
    request: {
      endpoint,
      model: request.model || (defaultModel ?? ''),
      sessionId,
      stream: request.stream,
      dryRun: request.dryRun,
      messageCount: request.messages.length,
      tokens,
      maxTokens: request.maxTokens ?? 0,
    },
    content: {
      text: texts.length === 1 ? (texts[0] ?? '') : texts.join('\n'),
      joined,
      unread,
      classification,
      riskLevel: risk,
      findings: counts,
    },
    now,
  }
}
